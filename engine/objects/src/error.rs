//! Errors: of a process, of a file, and of what a file contains.

use std::io;
use std::path::PathBuf;

use thiserror::Error;

use crate::reason::Reason;

/// Why a process or one of its files cannot be read.
#[derive(Debug, Error)]
pub enum Error {
    /// There is no such process, or it exited (or executed another program) meanwhile.
    #[error("process {pid} does not exist, or ended while {doing}")]
    Gone {
        /// Its PID.
        pid: u32,
        /// What was being done.
        doing: &'static str,
    },
    /// The process has no memory of its own: a kernel thread.
    #[error("process {0} has no memory map: it is a kernel thread")]
    NoMemory(u32),
    /// A file below `/proc/PID` cannot be read.
    #[error("process {pid}: {doing}: {why}")]
    Proc {
        /// Its PID.
        pid: u32,
        /// What was being done.
        doing: &'static str,
        /// The cause.
        why: io::Error,
    },
    /// A line of `/proc/PID/maps` has another form than documented in proc_pid_maps(5).
    #[error("line {0} of maps is malformed")]
    Maps(usize),
    /// A mapped file can be opened in neither way.
    #[error("{}: map_files: {map_files}; by its path: {root}", path.display())]
    Open {
        /// Its path.
        path: PathBuf,
        /// Why not through `/proc/PID/map_files`.
        map_files: io::Error,
        /// Why not by its path below `/proc/PID/root`.
        root: io::Error,
    },
    /// The file at a mapping's path is another one.
    #[error(
        "{}: map_files: {map_files}; the file of this name is device {found}, \
         the mapped one is device {mapped}",
        path.display()
    )]
    Replaced {
        /// The path.
        path: PathBuf,
        /// Why not through `/proc/PID/map_files`.
        map_files: io::Error,
        /// Device and inode of the mapping.
        mapped: String,
        /// Device and inode of the file at the path.
        found: String,
    },
    /// A file is not an ELF file that can be used.
    #[error("{}: {fault}", path.display())]
    File {
        /// Its path.
        path: PathBuf,
        /// What is wrong.
        fault: Fault,
    },
}

/// A table that lists functions.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Table {
    /// `.symtab`, of the object itself.
    Symtab,
    /// `.symtab` of a separate debug file.
    Debug,
    /// `.symtab` of the object's MiniDebugInfo, `.gnu_debugdata`.
    Mini,
    /// `.dynsym`.
    Dynsym,
    /// `.eh_frame`, which has no names.
    EhFrame,
}

impl std::fmt::Display for Table {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Symtab => ".symtab",
            Self::Debug => ".symtab of the debug file",
            Self::Mini => ".symtab in .gnu_debugdata",
            Self::Dynsym => ".dynsym",
            Self::EhFrame => ".eh_frame",
        })
    }
}

/// What is wrong with the contents of an ELF file.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum Fault {
    /// No ELF magic number.
    #[error("not an ELF file")]
    NotElf,
    /// The ELF header is truncated, or of unknown class, byte order or version.
    #[error("malformed ELF header")]
    Header,
    /// Neither a program nor a shared object: its `e_type`.
    #[error("neither a program nor a shared object (e_type {0})")]
    Kind(u16),
    /// The program headers lie outside the file, or have another size.
    #[error("malformed program headers")]
    ProgramHeaders,
    /// The section headers lie outside the file, or have another size.
    #[error("malformed section headers")]
    SectionHeaders,
    /// No segment that is mapped executable corresponds to a mapping.
    #[error("no segment corresponds to the mapping at {0:#x}")]
    NoSegment(u64),
    /// There are no section headers, and with them no tables of symbols.
    #[error("no section headers: its functions have no names")]
    NoSections,
    /// The dynamic section, or its string, lies outside the file.
    #[error("malformed dynamic section")]
    Dynamic,
    /// Notes lie outside the file or have impossible sizes.
    #[error("malformed notes")]
    Notes,
    /// The `.gnu_debuglink` section is not a plain file name with a checksum.
    #[error("malformed .gnu_debuglink")]
    DebugLink,
    /// A symbol table is longer than the file; it was cut.
    #[error("{table}: truncated: {kept} of {all} symbols are in the file")]
    Truncated {
        /// The table.
        table: Table,
        /// The number of whole symbols in the file.
        kept: u64,
        /// The number that its header states.
        all: u64,
    },
    /// A symbol table has entries of another size than its class prescribes.
    #[error("{table}: entries of {size} bytes")]
    EntrySize {
        /// The table.
        table: Table,
        /// The stated size.
        size: u64,
    },
    /// A symbol table names no string table, or it is outside the file or too large.
    #[error("{0}: no usable string table")]
    Strings(Table),
    /// Functions without a name: outside the string table, not terminated in it, or longer than
    /// any compiler's.
    #[error("{table}: {count} functions have no valid name")]
    Names {
        /// The table.
        table: Table,
        /// Their number.
        count: usize,
    },
    /// Functions outside of all executable sections.
    #[error("{table}: {count} functions lie outside executable sections")]
    Outside {
        /// The table.
        table: Table,
        /// Their number.
        count: usize,
    },
    /// The MiniDebugInfo cannot be decompressed.
    #[error(".gnu_debugdata: {0}")]
    Xz(String),
    /// The MiniDebugInfo is larger than its limit when decompressed: the limit.
    #[error(".gnu_debugdata: more than {0} bytes when decompressed")]
    XzLimit(u64),
    /// The decompressed MiniDebugInfo is malformed itself.
    #[error(".gnu_debugdata: {0}")]
    Mini(Box<Fault>),
    /// `.eh_frame` cannot be found or not be read to its end: the reason.
    #[error(".eh_frame: {0}")]
    EhFrame(String),
    /// Functions whose description in `.eh_frame` is malformed: their number.
    #[error(".eh_frame: {0} malformed descriptions")]
    Frames(usize),
    /// `.ARM.exidx` lies outside the file, or is not sorted.
    #[error(".ARM.exidx: {0}")]
    Exidx(&'static str),
    /// Ranges of code beyond the addresses that rows of unwind tables have: their number.
    #[error("unwind table: {0} ranges lie beyond 4 GiB")]
    UnwindRange(usize),
    /// An unwind table is too large, and was cut: the number of its rows.
    #[error("unwind table: cut, {0} rows are too many")]
    UnwindRows(usize),
    /// The note of a probe is malformed.
    #[error("the note of a probe at offset {offset:#x}: {reason}")]
    Probe {
        /// Its offset in the file.
        offset: u64,
        /// The reason.
        reason: Reason,
    },
    /// A separate debug file was found but cannot be used.
    #[error("debug file {path}: {why}", path = path.display())]
    DebugFile {
        /// Its path.
        path: PathBuf,
        /// The reason.
        why: String,
    },
}

/// A result with this crate's error.
pub type Result<T, E = Error> = std::result::Result<T, E>;
