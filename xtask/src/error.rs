//! Every way a task can fail, as a value: what was being done, to what, and what to do about it.

use std::io;
use std::path::{Path, PathBuf};

/// The result of anything in xtask that can fail.
pub type Result<T> = std::result::Result<T, Error>;

/// Why a task failed.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// A file could not be read, written or made.
    #[error("{}", describe_io(doing, path, source))]
    File {
        /// The verb: "read", "write", ...
        doing: &'static str,
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// A command could not be started.
    #[error("cannot start `{command}`: {source}")]
    Start {
        /// The command line.
        command: String,
        /// What the system said.
        source: io::Error,
    },
    /// A command ran and failed.
    #[error("{output}`{command}` failed ({status})")]
    Command {
        /// The command line.
        command: String,
        /// Its exit status or signal.
        status: String,
        /// What it printed, each line ended.
        output: String,
    },
    /// A file holds something we cannot use.
    #[error("{}: {why}", path.display())]
    Content {
        /// The file.
        path: PathBuf,
        /// What is wrong in it, and where.
        why: String,
    },
    /// No guest has this name.
    #[error("there is no guest `{name}`; the guests are: {known}")]
    UnknownGuest {
        /// The name asked for.
        name: String,
        /// The names there are, comma-separated.
        known: String,
    },
    /// The command line asks for something there is not.
    #[error("{0}")]
    Usage(String),
    /// The host lacks something that could not be got.
    #[error("this host lacks {missing}\n  to get it: {mend}")]
    Host {
        /// What is missing.
        missing: String,
        /// The command that gets it.
        mend: String,
    },
    /// Installing packages would take others from the host.
    #[error("installing {packages} would remove {losses}, so nothing was installed")]
    WouldRemove {
        /// What was to be installed.
        packages: String,
        /// What would go.
        losses: String,
    },
    /// A guest package, or something that should be inside one, is not there.
    #[error("{0}")]
    Package(String),
    /// A built module holds what it must not hold.
    #[error("{0}")]
    Module(String),
    /// Some of several stages failed; each has already said why.
    #[error("failed: {0}")]
    Stages(String),
}

impl Error {
    /// The exit status that this failure ends xtask with.
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

/// Gives an I/O result the file it was about.
pub trait At<T> {
    /// Names the file and the verb in the error.
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
    fn a_full_disk_is_said_with_the_file_and_the_way_out() {
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
    fn exit_codes_tell_usage_and_host_apart_from_failure() {
        let unknown = Error::UnknownGuest {
            name: "x".into(),
            known: "y".into(),
        };
        let host = Error::Host {
            missing: "x".into(),
            mend: "y".into(),
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
