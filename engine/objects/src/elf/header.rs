//! Headers, independent of class and byte order.

use object::read::elf::FileHeader;
use object::{Endianness, elf};

/// The size of addresses.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Class {
    /// 32 bits.
    Elf32,
    /// 64 bits.
    Elf64,
}

impl Class {
    /// The class that a header belongs to.
    pub(super) fn of<E: FileHeader>() -> Self {
        match E::is_type_64_sized() {
            true => Self::Elf64,
            false => Self::Elf32,
        }
    }
}

/// The byte order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Endian {
    /// Least significant byte first.
    Little,
    /// Most significant byte first.
    Big,
}

impl From<Endianness> for Endian {
    fn from(endian: Endianness) -> Self {
        match endian {
            Endianness::Little => Self::Little,
            Endianness::Big => Self::Big,
        }
    }
}

impl From<Endian> for Endianness {
    fn from(endian: Endian) -> Self {
        match endian {
            Endian::Little => Self::Little,
            Endian::Big => Self::Big,
        }
    }
}

/// Whether the file is linked to fixed addresses.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Kind {
    /// `ET_EXEC`: mapped at the addresses that it states.
    Fixed,
    /// `ET_DYN`: a shared object or a position-independent program.
    Dynamic,
}

/// The contents of `.gnu_debuglink`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DebugLink {
    /// The file's name, without a directory.
    pub name: Vec<u8>,
    /// The CRC-32 of its contents.
    pub crc: u32,
}

/// A program header, of any class.
#[derive(Debug, Clone, Copy)]
pub struct Segment {
    pub kind: elf::ProgramType,
    pub is_executable: bool,
    pub is_writable: bool,
    pub offset: u64,
    pub address: u64,
    pub file_size: u64,
    pub memory_size: u64,
}

/// A section header, of any class.
#[derive(Debug, Clone, Copy)]
pub struct Section {
    pub kind: elf::SectionType,
    pub is_executable: bool,
    pub address: u64,
    pub offset: u64,
    pub size: u64,
    pub entry_size: u64,
    /// The index of the string table of a symbol table.
    pub link: u32,
}

/// The offset in the file of an address, with the number of bytes from there on.
pub fn file_offset(segments: &[Segment], address: u64) -> Option<(u64, u64)> {
    let inside = |segment: &Segment| {
        let within = address.checked_sub(segment.address)?;
        let rest = segment.file_size.checked_sub(within)?;
        Some((segment.offset.checked_add(within)?, rest))
    };
    let mut loaded = segments
        .iter()
        .filter(|segment| segment.kind == elf::PT_LOAD);
    loaded.find_map(inside)
}
