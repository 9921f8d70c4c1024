//! The error type of every task: what was being done, to what, and how to fix it.

use std::io;
use std::path::{Path, PathBuf};

/// The result of any fallible function of xtask.
pub type Result<T> = std::result::Result<T, Error>;

/// Why a task failed.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// A file could not be read, written or created.
    #[error("{}", describe_io(doing, path, source))]
    File {
        /// The verb phrase: "read", "write", "make a directory in", ...
        doing: &'static str,
        /// The file or directory.
        path: PathBuf,
        /// The system's error.
        source: io::Error,
    },
    /// A command could not be started.
    #[error("cannot start `{command}`: {source}")]
    Start {
        /// The command line.
        command: String,
        /// The system's error.
        source: io::Error,
    },
    /// A command ran and failed.
    #[error("{output}`{command}` failed ({status})")]
    Command {
        /// The command line.
        command: String,
        /// Its exit status or signal.
        status: String,
        /// Its output, every line terminated; empty if it ran on our own terminal.
        output: String,
    },
    /// A file has contents that xtask cannot use.
    #[error("{}: {why}", path.display())]
    Content {
        /// The file.
        path: PathBuf,
        /// What is wrong, and where in the file.
        why: String,
    },
    /// No guest has this name.
    #[error("unknown guest `{name}`; the guests are: {known}")]
    UnknownGuest {
        /// The name asked for.
        name: String,
        /// The existing names, comma-separated.
        known: String,
    },
    /// The command line asks for something that does not exist.
    #[error("{0}")]
    Usage(String),
    /// The host lacks something that could not be installed.
    #[error("this host lacks {missing}\n  to get it: {fix}")]
    Host {
        /// What is missing.
        missing: String,
        /// The command that installs it.
        fix: String,
    },
    /// apt would remove other packages of the host to install these.
    #[error("installing {packages} would remove {losses}, so nothing was installed")]
    WouldRemove {
        /// The packages to be installed, separated by spaces.
        packages: String,
        /// The packages that apt would remove, separated by spaces.
        losses: String,
    },
    /// A guest package, or a file expected in one, is missing.
    #[error("{0}")]
    Package(String),
    /// The built module violates one of the rules that every build checks.
    #[error("{0}")]
    Module(String),
    /// Some of several stages failed; each has already printed its error.
    #[error("failed: {0}")]
    Stages(String),
}

impl Error {
    /// xtask's exit status for this error: 2 for usage, 3 for a lacking host, 1 otherwise.
    pub fn exit_code(&self) -> u8 {
        match self {
            Self::UnknownGuest { .. } | Self::Usage(_) => 2,
            Self::Host { .. } => 3,
            _ => 1,
        }
    }
}

fn describe_io(doing: &str, path: &Path, source: &io::Error) -> String {
    let path = path.display();
    match source.kind() {
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => format!(
            "cannot {doing} {path}: the disk is full; free some space and run the same again"
        ),
        _ => format!("cannot {doing} {path}: {source}"),
    }
}

/// Attaches a path to an I/O result.
pub trait At<T> {
    /// Converts the error to [`Error::File`] with this verb and path.
    fn at(self, doing: &'static str, path: &Path) -> Result<T>;
}

impl<T> At<T> for io::Result<T> {
    fn at(self, doing: &'static str, path: &Path) -> Result<T> {
        self.map_err(|source| Error::File {
            doing,
            path: path.to_path_buf(),
            source,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_full_disk_is_reported_with_the_file() {
        let full = Err::<(), _>(io::Error::from(io::ErrorKind::StorageFull));
        let text = full
            .at("write", Path::new("/big/initrd"))
            .unwrap_err()
            .to_string();
        assert!(
            text.contains("/big/initrd") && text.contains("disk is full"),
            "{text}"
        );
    }

    #[test]
    fn usage_and_host_errors_have_their_own_exit_codes() {
        let unknown = Error::UnknownGuest {
            name: "x".into(),
            known: "y".into(),
        };
        let host = Error::Host {
            missing: "x".into(),
            fix: "y".into(),
        };
        assert_eq!(
            [
                unknown.exit_code(),
                host.exit_code(),
                Error::Module(String::new()).exit_code()
            ],
            [2, 3, 1]
        );
    }
}
