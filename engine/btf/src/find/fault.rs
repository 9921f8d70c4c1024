//! Why a file is not used, and why nothing was found.

use std::io;
use std::path::PathBuf;

use thiserror::Error;

#[cfg(feature = "dwarf")]
use crate::dwarf::DwarfError;
use crate::error::Error as BtfError;

/// Why a file is not used.
#[derive(Debug, Error)]
pub enum Fault {
    /// It cannot be read.
    #[error(transparent)]
    Io(#[from] io::Error),
    /// It is malformed.
    #[error(transparent)]
    Btf(#[from] BtfError),
    /// It is an ELF file, but a malformed one.
    #[error("no usable ELF file: {0}")]
    Elf(#[from] object::Error),
    /// It has debug information, which cannot be converted.
    #[cfg(feature = "dwarf")]
    #[error(transparent)]
    Dwarf(#[from] DwarfError),
    /// It is an ELF file without BTF, and nothing here converts debug information.
    #[error("has no BTF, and this build does not convert debug information")]
    NoBtf,
    /// It is of a kernel with another build-id.
    #[error("is of another kernel: its build-id is {found}, the running kernel's is {expected}")]
    BuildId {
        /// The file's.
        found: String,
        /// The running kernel's.
        expected: String,
    },
    /// It is of a kernel whose modules are larger or smaller.
    #[error(
        "is of another kernel: its `struct module` has {found} bytes, \
         the running kernel's modules have {expected}"
    )]
    Module {
        /// The file's.
        found: u64,
        /// That of modules of the running kernel.
        expected: u64,
    },
}

/// Why there are no types.
#[derive(Debug, Error)]
pub enum FindError {
    /// The file that was asked for is not used.
    #[error("{}: {why}", path.display())]
    Asked {
        /// The file.
        path: PathBuf,
        /// Why not.
        why: Fault,
    },
    /// None of the places has any.
    #[error("no types of kernel {release}{}", list(tried))]
    Nowhere {
        /// The kernel's release.
        release: String,
        /// Files that exist but were not used.
        tried: Vec<(PathBuf, Fault)>,
    },
}

fn list(tried: &[(PathBuf, Fault)]) -> String {
    let reasons = tried.iter();
    let reasons = reasons.map(|(path, why)| format!("; {}: {why}", path.display()));
    reasons.collect()
}
