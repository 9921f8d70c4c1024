//! What keeps the harness itself from doing its part: never a guest's fault.

use std::io;
use std::path::{Path, PathBuf};

/// The harness or its host failed.
#[derive(Debug, thiserror::Error)]
pub enum HostError {
    /// A program is not installed.
    #[error("`{program}` is not in PATH; `{remedy}` gets it")]
    NoProgram {
        /// Its name.
        program: &'static str,
        /// The command that brings it.
        remedy: &'static str,
    },
    /// The guest's image was not built.
    #[error("{}: not there; `cargo xtask image {guest}` builds it", path.display())]
    NoImage {
        /// The guest.
        guest: String,
        /// Its description, which is missing.
        path: PathBuf,
    },
    /// The guest's description does not say what it should.
    #[error("{}: {what}; `cargo xtask image {guest}` writes it anew", path.display())]
    BadImage {
        /// The guest.
        guest: String,
        /// Its description.
        path: PathBuf,
        /// What is wrong with it.
        what: String,
    },
    /// A file could not be read or written.
    #[error("{}: cannot {action}: {cause}", path.display())]
    File {
        /// What was tried.
        action: &'static str,
        /// The file.
        path: PathBuf,
        /// Why it failed.
        cause: io::Error,
    },
    /// The user wants to leave, and nothing else is wrong.
    #[error("interrupted")]
    Interrupted,
    /// The guest's description is of another kernel than the one that booted.
    #[error(
        "{guest} runs {booted}, its guest.json says {described}; `cargo xtask image {guest}` writes it anew"
    )]
    OtherKernel {
        /// The guest.
        guest: String,
        /// What its description says.
        described: String,
        /// What it says itself.
        booted: String,
    },
    /// A guest was not saved, since what begins with it would not show this.
    #[error("not saved: {0}")]
    Unsaved(String),
    /// A module from which a debugger's symbols cannot be made.
    #[error("{}: no symbols for gdb can be made: {what}", path.display())]
    Symbols {
        /// The module.
        path: PathBuf,
        /// Why.
        what: String,
    },
    /// The host has no randomness to give.
    #[error("the kernel gives no random bytes: {0}")]
    Random(io::Error),
    /// QEMU did not start.
    #[error("QEMU did not start: {0}")]
    Qemu(String),
    /// QEMU's monitor did not do what it was told.
    #[error("QEMU's monitor: {0}")]
    Monitor(String),
}

impl HostError {
    /// For `map_err` after an operation on a file.
    pub fn file(action: &'static str, path: &Path) -> impl FnOnce(io::Error) -> Self {
        let path = path.to_owned();
        move |cause| Self::File {
            action,
            path,
            cause,
        }
    }
}
