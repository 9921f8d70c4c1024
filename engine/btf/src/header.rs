//! The header: byte order, and where types and strings are.

use std::ops::Range;

use crate::error::{Error, Result};

/// The magic number.
pub const MAGIC: u16 = 0xeb9f;
/// The size of the header that has all fields we know.
pub const SIZE: usize = 24;

/// The order of the bytes of a number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Endian {
    /// The least significant byte first.
    #[default]
    Little,
    /// The most significant byte first.
    Big,
}

impl Endian {
    /// The number of four bytes at an offset.
    #[inline]
    pub(crate) fn word(self, bytes: &[u8], offset: usize) -> Option<u32> {
        let bytes: [u8; 4] = *bytes.get(offset..)?.first_chunk()?;
        Some(match self {
            Self::Little => u32::from_le_bytes(bytes),
            Self::Big => u32::from_be_bytes(bytes),
        })
    }

    pub(crate) fn bytes(self, word: u32) -> [u8; 4] {
        match self {
            Self::Little => word.to_le_bytes(),
            Self::Big => word.to_be_bytes(),
        }
    }
}

/// Where the parts are, in the whole data.
#[derive(Debug, Clone)]
pub struct Header {
    pub order: Endian,
    pub types: Range<usize>,
    pub strings: Range<usize>,
}

impl Header {
    /// Reads it; both parts lie in `bytes`, and the types are whole words.
    pub fn read(bytes: &[u8]) -> Result<Self> {
        let (magic, rest) = bytes
            .split_first_chunk::<2>()
            .ok_or(Error::Short(bytes.len()))?;
        let order = match u16::from_le_bytes(*magic) {
            MAGIC => Endian::Little,
            magic if magic.swap_bytes() == MAGIC => Endian::Big,
            _ => return Err(Error::Magic(*magic)),
        };
        if let [version, flags, ..] = *rest
            && (version, flags) != (1, 0)
        {
            return Err(Error::Version { version, flags });
        }
        let size = bytes.len();
        let word = |offset| order.word(bytes, offset).ok_or(Error::Short(size));
        let (header, _) = (word(4)?, word(SIZE - 4)?);
        if (header as usize) < SIZE {
            return Err(Error::Short(header as usize));
        }
        let part = |part, offset, length, unit: u32| {
            let fault = Error::Part {
                part,
                offset,
                length,
                size,
            };
            let range = range(size, [header, offset, length]);
            let is_whole = offset.is_multiple_of(unit) && length.is_multiple_of(unit);
            range.filter(|_| is_whole).ok_or(fault)
        };
        let types = part("types", word(8)?, word(12)?, 4)?;
        let strings = part("strings", word(16)?, word(20)?, 1)?;
        Ok(Self {
            order,
            types,
            strings,
        })
    }
}

fn range(size: usize, [behind, offset, length]: [u32; 3]) -> Option<Range<usize>> {
    let start = (behind as usize).checked_add(offset as usize)?;
    let end = start.checked_add(length as usize)?;
    (end <= size).then_some(start..end)
}
