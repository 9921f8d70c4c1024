//! What can go wrong, in DTrace's words.

use std::io;
use std::path::PathBuf;

use thiserror::Error;

use crate::setting::refusal::Refusal;

/// Why the command ends without having done what it was asked to.
#[derive(Debug, Error)]
pub enum Error {
    /// The command line makes no sense: why, unless it is empty.
    #[error("{}", .0.as_deref().unwrap_or("no options"))]
    Usage(Option<String>),
    /// It wants two things at once.
    #[error("only one of the [-lV] options can be specified at a time")]
    Modes,
    /// An option of DTrace's that does nothing here.
    #[error("-{0}: {1}")]
    Unsupported(char, &'static str),
    /// An option that cannot be set, as it was written.
    #[error("failed to set {0}: {1}")]
    Setting(String, Refusal),
    /// It makes sense, but asks for nothing.
    #[error("no probes specified")]
    NoProbes,
    /// Nothing that it asks for is there.
    #[error("no probes matched")]
    NoneMatched,
    /// A program does not compile, in the compiler's words; or what it asks for is not there.
    #[error("{0}")]
    Compile(String),
    /// An aggregation with parameters that its function cannot have.
    #[error(
        "aggregation @{0} has parameters that it cannot have: this is a mistake of the compiler's"
    )]
    Aggregation(String),
    /// A script cannot be read.
    #[error("failed to open {name}: {}", reason(why))]
    Script {
        /// The file.
        name: String,
        /// The system's answer.
        why: io::Error,
    },
    /// Some of the descriptions to be listed name no probe, as was said of each.
    #[error("some descriptions matched no probe")]
    SomeUnmatched,
    /// No module, or no right to it; or no probe for want of it.
    #[error("failed to initialize dtrace: {0}")]
    Device(String),
    /// The engine refused a request.
    #[error("{doing}: {}", reason(why))]
    Request {
        /// What failed.
        doing: &'static str,
        /// The kernel's answer.
        why: io::Error,
    },
    /// A record is larger than the buffer that it is to be in (`-b`, `bufsize`).
    #[error("could not enable tracing: Enabling exceeds size of buffer")]
    BufferTooSmall,
    /// `fbtmech=ftrace` where that tells too little.
    #[error(
        "could not enable tracing: this kernel's function tracer does not show what functions are entered with: \
         say fbtmech=trap, or auto"
    )]
    NoFtrace,
    /// The `-o` file cannot be had.
    #[error("failed to open output file '{}': {}", path.display(), reason(why))]
    OpenOutput {
        /// The file.
        path: PathBuf,
        /// The system's answer.
        why: io::Error,
    },
    /// Output cannot be written; nothing is said where nobody reads it any more.
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
    /// The argument of `-p` is no number.
    #[error("invalid pid: {0}")]
    Pid(String),
    /// The `-p` process cannot be had.
    #[error("failed to grab pid {pid}: {}", reason(why))]
    Grab {
        /// The process.
        pid: i32,
        /// The system's answer.
        why: io::Error,
    },
    /// A buffer holds what is no record of this program's.
    #[error("{0} bytes of CPU {1}'s {2} buffer are no record: module and command do not fit")]
    Buffer(usize, u32, &'static str),
    /// The engine's deadman has ended tracing.
    #[error("processing aborted: Abort due to systemic unresponsiveness")]
    Unresponsive,
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
    pub fn exit_code(&self) -> u8 {
        match self {
            Self::Usage(_) | Self::Modes => 2,
            _ => 1,
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
    fn mistakes_in_usage_have_a_code_of_their_own() {
        assert_eq!(Error::Modes.exit_code(), 2);
        assert_eq!(Error::NoProbes.exit_code(), 1);
    }
}
