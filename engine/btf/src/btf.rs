//! BTF that has been checked, and access to its words and strings.

use std::borrow::Cow;
use std::collections::HashMap;
use std::fmt;
use std::ops::Range;
use std::sync::{Arc, OnceLock};

use crate::error::{Error, Result};
use crate::format::{Code, Info, row_of};
use crate::header::{Endian, Header};
use crate::id::TypeId;
use crate::index::{self, Limits};
use crate::names::Names;
use crate::places::Places;

/// BTF: the types of a kernel or, split, of one of its modules.
pub struct Btf<'d> {
    bytes: Cow<'d, [u8]>,
    order: Endian,
    types: Range<usize>,
    strings: Range<usize>,
    /// Of each type of its own, the offset in `types`.
    offsets: Vec<u32>,
    base: Option<Arc<Btf<'d>>>,
    /// The ID of the first type of its own.
    first: u32,
    /// The offset of its own first string.
    first_string: u32,
    pub(crate) names: OnceLock<Names>,
    pub(crate) places: OnceLock<Places>,
}

impl fmt::Debug for Btf<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (first, end) = (self.first, self.count());
        write!(f, "Btf({:?}, types {first}..{end})", self.order)
    }
}

impl<'d> Btf<'d> {
    /// Checks the BTF of a kernel.
    ///
    /// # Errors
    /// Whatever is malformed: afterwards every type, name and reference is known to exist.
    pub fn read(bytes: impl Into<Cow<'d, [u8]>>) -> Result<Self> {
        Self::checked(bytes.into(), None)
    }

    /// Checks the split BTF of a module, whose IDs and strings continue those of `base`.
    ///
    /// # Errors
    /// As [`Btf::read`], or `base` has another byte order.
    pub fn read_split(bytes: impl Into<Cow<'d, [u8]>>, base: Arc<Btf<'d>>) -> Result<Self> {
        Self::checked(bytes.into(), Some(base))
    }

    /// Checks BTF that continues `base`, without keeping anything of it.
    pub(crate) fn check(bytes: &[u8], base: Option<&Btf<'_>>) -> Result<()> {
        check(bytes, base).map(drop)
    }

    fn checked(bytes: Cow<'d, [u8]>, base: Option<Arc<Btf<'d>>>) -> Result<Self> {
        let (header, offsets) = check(&bytes, base.as_deref())?;
        Ok(Self {
            bytes,
            order: header.order,
            types: header.types,
            strings: header.strings,
            offsets,
            first: base.as_ref().map_or(1, |base| base.count()),
            first_string: base.as_ref().map_or(0, |base| base.end_of_strings()),
            base,
            names: OnceLock::new(),
            places: OnceLock::new(),
        })
    }

    /// The byte order.
    pub fn endian(&self) -> Endian {
        self.order
    }

    /// What this one is split from.
    pub fn base(&self) -> Option<&Arc<Btf<'d>>> {
        self.base.as_ref()
    }

    /// One more than the highest ID.
    pub fn count(&self) -> u32 {
        self.first + self.offsets.len() as u32
    }

    /// The IDs of the types of its own, without those of its base.
    pub fn own_ids(&self) -> impl DoubleEndedIterator<Item = TypeId> + Clone + use<> {
        (self.first..self.count()).map(TypeId)
    }

    pub(crate) fn end_of_strings(&self) -> u32 {
        self.first_string + self.strings.len() as u32
    }

    /// The BTF that has the type itself, and the words of the type.
    pub(crate) fn owner(&self, id: TypeId) -> Option<(&Btf<'d>, Words<'_>)> {
        let Some(own) = id.0.checked_sub(self.first) else {
            return self.base.as_ref()?.owner(id);
        };
        let offset = *self.offsets.get(own as usize)?;
        let types = self.bytes.get(self.types.clone())?;
        let bytes = types.get(offset as usize..)?;
        let order = self.order;
        Some((self, Words { bytes, order }))
    }

    /// The kind of a type, without the rest of it.
    pub(crate) fn code(&self, id: TypeId) -> Option<Code> {
        let (_, words) = self.owner(id)?;
        Some(row_of(Info(words.get(1)).kind())?.code)
    }

    /// The string at an offset, without its NUL.
    pub(crate) fn string_bytes(&self, offset: u32) -> &[u8] {
        let Some(own) = offset.checked_sub(self.first_string) else {
            return self
                .base
                .as_ref()
                .map_or(&[], |base| base.string_bytes(offset));
        };
        let strings = self.bytes.get(self.strings.clone()).unwrap_or_default();
        let rest = strings.get(own as usize..).unwrap_or_default();
        rest.split(|byte| *byte == 0).next().unwrap_or_default()
    }

    /// All strings and their offsets; of the same ones, the first.
    pub(crate) fn all_strings(&self) -> HashMap<Box<[u8]>, u32> {
        let mut found = self
            .base
            .as_ref()
            .map_or_else(HashMap::new, |base| base.all_strings());
        let strings = self.bytes.get(self.strings.clone()).unwrap_or_default();
        let mut offset = self.first_string;
        for string in strings.split(|byte| *byte == 0) {
            found.entry(string.into()).or_insert(offset);
            offset += string.len() as u32 + 1;
        }
        found
    }

    /// As text, which all strings were found to be. An offset within a character is nobody's name.
    pub(crate) fn string(&self, offset: u32) -> &str {
        std::str::from_utf8(self.string_bytes(offset)).unwrap_or_default()
    }
}

/// The header, and the offset of each type.
fn check(bytes: &[u8], base: Option<&Btf<'_>>) -> Result<(Header, Vec<u32>)> {
    let header = Header::read(bytes)?;
    if base.is_some_and(|base| base.order != header.order) {
        return Err(Error::BaseOrder);
    }
    let strings = bytes.get(header.strings.clone()).unwrap_or_default();
    check_strings(strings, base.is_some())?;
    let before = base.map_or(0, Btf::end_of_strings);
    let limits = Limits {
        order: header.order,
        first: base.map_or(1, Btf::count),
        strings: before
            .checked_add(strings.len() as u32)
            .ok_or(Error::Strings)?,
    };
    let types = bytes.get(header.types.clone()).unwrap_or_default();
    let offsets = index::build(types, &limits)?;
    Ok((header, offsets))
}

fn check_strings(strings: &[u8], is_split: bool) -> Result<()> {
    match strings {
        [] if is_split => {}
        [0] => {}
        [0, .., 0] => {}
        [_, .., 0] if is_split => {}
        _ => return Err(Error::Strings),
    }
    let checked = std::str::from_utf8(strings);
    checked
        .map(drop)
        .map_err(|error| Error::Utf8(error.valid_up_to()))
}

/// The words of a type, and of all that follow it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Words<'b> {
    bytes: &'b [u8],
    order: Endian,
}

impl Words<'_> {
    /// A word by its number. The check has found all that a type has; 0 beyond them.
    #[inline]
    pub(crate) fn get(&self, number: usize) -> u32 {
        self.order.word(self.bytes, number * 4).unwrap_or_default()
    }
}
