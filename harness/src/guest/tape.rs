//! Recordings.

use std::path::{Path, PathBuf};

/// QEMU's record of everything that came into a guest from outside, and when.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Tape {
    /// It is made.
    Record(PathBuf),
    /// It is what the guest is given.
    Replay {
        /// The recording.
        path: PathBuf,
        /// Whether it begins only when a debugger says so.
        is_held: bool,
    },
}

impl Tape {
    /// The shift that a recording has if nothing else is asked for: about as quick as QEMU is.
    pub const SHIFT: u8 = 3;

    /// As `-icount` takes it.
    pub fn option(&self) -> (&'static str, &Path) {
        match self {
            Self::Record(path) => ("record", path),
            Self::Replay { path, .. } => ("replay", path),
        }
    }
}
