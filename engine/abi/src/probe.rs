//! Probe names: `provider:module:function:name`.
//!
//! The same struct names one probe, and describes many: in a description each field is a glob, and
//! an empty field matches everything.

use core::fmt;

use zerocopy::{FromBytes, Immutable, IntoBytes, KnownLayout};

/// Size of a provider's name, including the terminating NUL (DTRACE_PROVNAMELEN).
pub const PROVIDER_LEN: usize = 64;
/// Size of a module's name, including the NUL (DTRACE_MODNAMELEN).
pub const MODULE_LEN: usize = 64;
/// Size of a function's name, including the NUL (DTRACE_FUNCNAMELEN).
pub const FUNCTION_LEN: usize = 192;
/// Size of a probe's own name, `entry` for example, including the NUL (DTRACE_NAMELEN).
pub const NAME_LEN: usize = 64;

/// A probe's four names, or globs for them. Each field is NUL-terminated.
#[derive(Clone, Copy, PartialEq, Eq, FromBytes, IntoBytes, KnownLayout, Immutable)]
#[repr(C)]
pub struct Description {
    provider: [u8; PROVIDER_LEN],
    module: [u8; MODULE_LEN],
    function: [u8; FUNCTION_LEN],
    name: [u8; NAME_LEN],
}

const _: () = assert!(size_of::<Description>() == 384);

/// A name that does not fit its field.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TextTooLong;

impl Description {
    /// A description with these four fields.
    pub fn new(
        provider: &[u8],
        module: &[u8],
        function: &[u8],
        name: &[u8],
    ) -> Result<Self, TextTooLong> {
        Ok(Self {
            provider: field(provider)?,
            module: field(module)?,
            function: field(function)?,
            name: field(name)?,
        })
    }

    /// The provider, `fbt` for example.
    pub fn provider(&self) -> &[u8] {
        text(&self.provider)
    }

    /// The module: `vmlinux` for the kernel proper.
    pub fn module(&self) -> &[u8] {
        text(&self.module)
    }

    /// The function that the probe is in; empty if it is in none.
    pub fn function(&self) -> &[u8] {
        text(&self.function)
    }

    /// The probe's own name, `entry` for example.
    pub fn name(&self) -> &[u8] {
        text(&self.name)
    }
}

impl Default for Description {
    fn default() -> Self {
        Self {
            provider: [0; PROVIDER_LEN],
            module: [0; MODULE_LEN],
            function: [0; FUNCTION_LEN],
            name: [0; NAME_LEN],
        }
    }
}

impl fmt::Display for Description {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let fields = [self.provider(), self.module(), self.function(), self.name()];
        for (position, field) in fields.into_iter().enumerate() {
            if position > 0 {
                f.write_str(":")?;
            }
            for chunk in field.utf8_chunks() {
                f.write_str(chunk.valid())?;
            }
        }
        Ok(())
    }
}

impl fmt::Debug for Description {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{self}")
    }
}

/// `source` as a NUL-terminated field. Fails if the NUL does not fit, or if `source` contains one.
fn field<const N: usize>(source: &[u8]) -> Result<[u8; N], TextTooLong> {
    if source.len() >= N {
        return Err(TextTooLong);
    }
    let mut target = [0; N];
    for (to, from) in target.iter_mut().zip(source) {
        *to = *from;
    }
    Ok(target)
}

/// The field up to its first NUL; all of it if an untrusted sender left the NUL out.
fn text(field: &[u8]) -> &[u8] {
    field.split(|&byte| byte == 0).next().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_come_back_as_they_went_in() {
        let description = Description::new(b"fbt", b"", b"sys_chdir", b"entry").unwrap();
        assert_eq!(description.provider(), b"fbt");
        assert_eq!(description.module(), b"");
        assert_eq!(description.function(), b"sys_chdir");
        assert_eq!(description.name(), b"entry");
        assert_eq!(std::format!("{description}"), "fbt::sys_chdir:entry");
    }

    #[test]
    fn a_field_keeps_room_for_its_nul() {
        let longest = [b'a'; NAME_LEN - 1];
        assert!(Description::new(b"", b"", b"", &longest).is_ok());
        let too_long = [b'a'; NAME_LEN];
        assert_eq!(Description::new(b"", b"", b"", &too_long), Err(TextTooLong));
    }

    #[test]
    fn a_field_without_its_nul_ends_with_the_field() {
        let hostile = Description::read_from_bytes(&[b'x'; 384]).unwrap();
        assert_eq!(hostile.provider().len(), PROVIDER_LEN);
        assert_eq!(hostile.name().len(), NAME_LEN);
    }

    extern crate std;
}
