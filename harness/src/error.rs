//! Errors of the harness or its host, as opposed to trouble in a guest.

use std::io;
use std::path::{Path, PathBuf};

/// A failure of the harness or its host; it makes a job broken, never failed.
#[derive(Debug, thiserror::Error)]
pub enum HostError {
    /// A required program is not installed.
    #[error("`{program}` is not in PATH; `{remedy}` installs it")]
    NoProgram {
        /// Its file name.
        program: &'static str,
        /// The command that installs it.
        remedy: &'static str,
    },
    /// The guest's image was not built, or one of its files is gone.
    #[error("{} does not exist; `cargo xtask image {guest}` builds it", path.display())]
    NoImage {
        /// The guest.
        guest: String,
        /// The missing file.
        path: PathBuf,
    },
    /// `guest.json` cannot be parsed, or has another schema.
    #[error("{}: {what}; `cargo xtask image {guest}` rewrites it", path.display())]
    BadImage {
        /// The guest.
        guest: String,
        /// Its `guest.json`.
        path: PathBuf,
        /// The parser's complaint.
        what: String,
    },
    /// A file could not be read or written.
    #[error("{}: cannot {action}: {cause}", path.display())]
    File {
        /// The operation, as a verb: `read`, `lock`.
        action: &'static str,
        /// The file.
        path: PathBuf,
        /// The cause, from the operating system.
        cause: io::Error,
    },
    /// SIGINT or SIGTERM arrived; nothing else is wrong.
    #[error("interrupted")]
    Interrupted,
    /// The guest booted another kernel than its `guest.json` names.
    #[error(
        "{guest} runs {booted}, its guest.json says {described}; `cargo xtask image {guest}` rewrites it"
    )]
    OtherKernel {
        /// The guest.
        guest: String,
        /// The release in `guest.json`.
        described: String,
        /// `uname -r` in the guest.
        booted: String,
    },
    /// The guest cannot be saved: a job restored from it would not see what is wrong with it.
    #[error("not saved: {0}")]
    Unsaved(String),
    /// Symbols for gdb cannot be extracted from a module.
    #[error("{}: cannot extract symbols for gdb: {what}", path.display())]
    Symbols {
        /// The module.
        path: PathBuf,
        /// The cause.
        what: String,
    },
    /// getrandom(2) failed.
    #[error("cannot read random bytes: {0}")]
    Random(io::Error),
    /// QEMU did not start.
    #[error("QEMU did not start: {0}")]
    Qemu(String),
    /// QEMU's monitor failed, refused a command or timed out.
    #[error("QEMU's monitor: {0}")]
    Monitor(String),
}

impl HostError {
    /// Builds the closure for `map_err` after a file operation.
    pub fn file(action: &'static str, path: &Path) -> impl FnOnce(io::Error) -> Self {
        let path = path.to_owned();
        move |cause| Self::File {
            action,
            path,
            cause,
        }
    }
}
