//! Why debug information cannot be converted.

use thiserror::Error;

use crate::write::WriteError;

/// Why debug information cannot be converted.
#[derive(Debug, Error)]
pub enum DwarfError {
    /// Not an ELF file, or a malformed one.
    #[error("no usable ELF file: {0}")]
    Elf(#[from] object::Error),
    /// There is no `.debug_info`.
    #[error("the file has no debug information (.debug_info)")]
    None,
    /// A section is compressed.
    #[error("section {0} is compressed; `objcopy --decompress-debug-sections` decompresses it")]
    Compressed(String),
    /// Malformed DWARF, as gimli sees it: the offset of the unit, and what is wrong.
    #[error("the unit at {unit:#x} is malformed: {why}")]
    Dwarf {
        /// The unit's offset in `.debug_info`.
        unit: usize,
        /// What is wrong.
        why: gimli::Error,
    },
    /// Something that is well-formed and yet cannot be.
    #[error("the unit at {unit:#x}, entry {entry:#x}: {what}")]
    Entry {
        /// The unit's offset in `.debug_info`.
        unit: usize,
        /// The entry's offset in the unit.
        entry: u32,
        /// What is wrong.
        what: &'static str,
    },
    /// The types cannot be written as BTF.
    #[error(transparent)]
    Write(#[from] WriteError),
}

/// What is wrong with an entry: its offset, and what.
pub type Fault = (u32, &'static str);
