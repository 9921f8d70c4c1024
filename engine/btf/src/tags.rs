//! What a converted file says of itself.

use crate::btf::Btf;
use crate::format::Code;

/// Begins the tag that has the build-id.
pub const BUILD_ID: &str = "build-id:";

impl Btf<'_> {
    /// The build-id of the kernel that it was made of, if it says so. This looks at all types.
    pub fn build_id(&self) -> Option<Vec<u8>> {
        let tags = self.own_ids().rev();
        let tags = tags.filter(|id| self.code(*id) == Some(Code::DeclTag));
        let mut tags = tags.filter_map(|id| self.get(id).ok());
        let text = tags.find_map(|tag| tag.name.strip_prefix(BUILD_ID))?;
        let bytes = text.as_bytes().chunks(2);
        let byte = |digits| u8::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok();
        bytes.map(byte).collect()
    }
}
