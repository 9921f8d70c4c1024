//! The `-c` command.

use std::io::{Error as IoError, ErrorKind};
use std::process::{Child, Command};

use crate::error::Error;

/// A running command. It does not outlive the trace.
pub struct Workload(Child);

impl Workload {
    /// Starts `command`: words as a shell would split them, but run without one.
    pub fn start(command: &str) -> Result<Self, Error> {
        let fail = |why| Error::Execute {
            command: command.into(),
            why,
        };
        let words = shlex::split(command).unwrap_or_default();
        let [program, arguments @ ..] = &words[..] else {
            return Err(fail(IoError::new(
                ErrorKind::InvalidInput,
                "no command, or an open quote",
            )));
        };
        Command::new(program)
            .args(arguments)
            .spawn()
            .map(Self)
            .map_err(fail)
    }

    /// Its process ID, once it has exited.
    pub fn exited(&mut self) -> Option<u32> {
        matches!(self.0.try_wait(), Ok(Some(_)) | Err(_)).then(|| self.0.id())
    }
}

impl Drop for Workload {
    fn drop(&mut self) {
        // Both fail when it has exited, which is just as well.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}
