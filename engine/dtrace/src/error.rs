//! What can go wrong, in DTrace's words.

use std::io;
use std::path::PathBuf;
use std::process::ExitCode;

use thiserror::Error;

use crate::options::USAGE;

/// Why the command ends without having done what it was asked to.
#[derive(Debug, Error)]
pub enum Error {
    /// The command line makes no sense.
    #[error("{0}\n{usage}", usage = USAGE.trim_end())]
    Usage(String),
    /// It makes sense, but asks for nothing.
    #[error("no probes specified")]
    NoProbes,
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
    #[error("failed to {doing}: {}", reason(why))]
    Request {
        /// What the request was for.
        doing: &'static str,
        /// The kernel's answer.
        why: io::Error,
    },
    /// The `-o` file cannot be had.
    #[error("failed to open output file '{}': {}", path.display(), reason(why))]
    OpenOutput {
        /// The file.
        path: PathBuf,
        /// The system's answer.
        why: io::Error,
    },
    /// Output cannot be written.
    #[error("failed to write to {to}: {}", reason(why))]
    Write {
        /// The file, or "stdout".
        to: String,
        /// The system's answer.
        why: io::Error,
    },
    /// The `-c` command cannot be run.
    #[error("failed to execute {command}: {}", reason(why))]
    Execute {
        /// The command.
        command: String,
        /// The system's answer.
        why: io::Error,
    },
    /// A principal buffer holds what is no record.
    #[error("{0} bytes of CPU {1}'s principal buffer are no record: module and command do not fit")]
    Buffer(usize, u32),
    /// A signal cannot be caught.
    #[error("failed to catch a signal: {}", reason(.0))]
    Signal(io::Error),
}

/// The system's words for an error, without the number that Rust adds to them.
fn reason(error: &io::Error) -> String {
    let text = error.to_string();
    match text.split_once(" (os error ") {
        Some((words, _)) => words.to_owned(),
        None => text,
    }
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_system_is_quoted_in_its_own_words() {
        let why = io::Error::from_raw_os_error(2);
        let to = "<stdout>".to_owned();
        let told = Error::Write { to, why }.to_string();
        assert_eq!(
            told,
            "failed to write to <stdout>: No such file or directory"
        );
    }

    #[test]
    fn a_usage_error_shows_the_usage() {
        let told = Error::Usage("invalid option '-x'".into()).to_string();
        assert!(
            told.starts_with("invalid option '-x'\nUsage: dtrace"),
            "{told}"
        );
    }
}
