//! What can go wrong, in DTrace's words.

use std::io;
use std::path::PathBuf;
use std::process::ExitCode;

use thiserror::Error;

/// Why the command ends without having done what it was asked to.
#[derive(Debug, Error)]
pub enum Error {
    /// The command line makes no sense.
    #[error("{0}")]
    Usage(String),
    /// A `-n` that is no probe description.
    #[error("invalid probe specifier {specifier}: {why}")]
    Specifier {
        /// The option's argument.
        specifier: String,
        /// What is wrong with it.
        why: String,
    },
    /// A `-n` that names no probe, to be listed.
    #[error("failed to match {0}: No probe matches description")]
    NoMatch(String),
    /// No module, or no right to it.
    #[error("failed to initialize dtrace: {0}")]
    Device(String),
    /// The module refused a request.
    #[error("failed to {doing}: {why}")]
    Request {
        /// What the request was for.
        doing: &'static str,
        /// The kernel's answer.
        why: io::Error,
    },
    /// The `-o` file cannot be had.
    #[error("failed to open output file '{}': {why}", path.display())]
    OpenOutput {
        /// The file.
        path: PathBuf,
        /// The system's answer.
        why: io::Error,
    },
    /// Output cannot be written.
    #[error("failed to write to {to}: {why}")]
    Write {
        /// The file, or "stdout".
        to: String,
        /// The system's answer.
        why: io::Error,
    },
    /// The `-c` command cannot be run.
    #[error("failed to execute {command}: {why}")]
    Execute {
        /// The command.
        command: String,
        /// The system's answer.
        why: io::Error,
    },
    /// A signal cannot be caught.
    #[error("failed to catch a signal: {0}")]
    Signal(io::Error),
}

impl Error {
    /// The exit code for it.
    pub fn exit_code(&self) -> ExitCode {
        match self {
            Self::Usage(_) => ExitCode::from(2),
            _ => ExitCode::from(1),
        }
    }
}
