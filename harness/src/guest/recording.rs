//! QEMU's record and replay.

use std::path::{Path, PathBuf};

/// A log of all nondeterministic input of a guest, with its instruction counts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Recording {
    /// To be recorded, into this file.
    Record(PathBuf),
    /// To be replayed; the guest's input comes from the log.
    Replay {
        /// The log.
        path: PathBuf,
        /// Whether QEMU starts stopped (`-S`), until a debugger continues it.
        is_held: bool,
    },
}

impl Recording {
    /// The default `-icount` shift of a recording: virtual time passes about as fast as QEMU
    /// executes.
    pub const SHIFT: u8 = 3;

    /// The values of `-icount`'s `rr` and `rrfile`.
    pub fn option(&self) -> (&'static str, &Path) {
        match self {
            Self::Record(path) => ("record", path),
            Self::Replay { path, .. } => ("replay", path),
        }
    }
}
