//! The `-c` command.

use std::io::{Error as IoError, ErrorKind};
use std::os::unix::process::ExitStatusExt;
use std::process::{Child, Command, ExitStatus};

use signal_hook::low_level::signal_name;

use crate::error::Error;

/// A running command. It does not outlive the trace.
pub struct Workload(Child);

impl Workload {
    /// Starts `command`: words as a shell would split them, but run without one.
    pub fn start(command: &str) -> Result<Self, Error> {
        let words = shlex::split(command).unwrap_or_default();
        let [program, arguments @ ..] = &words[..] else {
            let why = IoError::new(ErrorKind::InvalidInput, "it has no word, or an open quote");
            return Err(fail(command, why));
        };
        let started = Command::new(program).args(arguments).spawn();
        Ok(Self(started.map_err(|why| fail(program, why))?))
    }

    /// How it ended, in DTrace's words, once it has.
    pub fn ended(&mut self) -> Option<String> {
        match self.0.try_wait() {
            Ok(None) => None,
            Ok(Some(status)) => Some(describe(self.0.id(), status)),
            Err(why) => Some(format!("pid {} is lost: {why}", self.0.id())),
        }
    }
}

fn fail(command: &str, why: IoError) -> Error {
    let command = command.to_owned();
    Error::Execute { command, why }
}

fn describe(pid: u32, status: ExitStatus) -> String {
    match (status.code(), status.signal()) {
        (Some(0), _) => format!("pid {pid} has exited"),
        (Some(code), _) => format!("pid {pid} exited with status {code}"),
        (None, signal) => {
            let name = signal.and_then(signal_name).unwrap_or("a signal");
            format!("pid {pid} terminated by {name}")
        }
    }
}

impl Drop for Workload {
    fn drop(&mut self) {
        // Both fail when it has exited, which is just as well.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ending(command: &str) -> String {
        let mut workload = Workload::start(command).unwrap();
        let pid = workload.0.id().to_string();
        loop {
            if let Some(told) = workload.ended() {
                return told.replace(&pid, "N");
            }
        }
    }

    #[test]
    fn the_end_of_a_command_is_told_as_it_was() {
        assert_eq!(ending("true"), "pid N has exited");
        assert_eq!(ending("sh -c 'exit 3'"), "pid N exited with status 3");
        assert_eq!(ending("sh -c 'kill -9 $$'"), "pid N terminated by SIGKILL");
    }

    #[test]
    fn what_cannot_be_run_is_named() {
        for (command, named) in [("/no/such -x", "/no/such:"), ("", ""), ("'open", "'open")] {
            let Err(error) = Workload::start(command) else {
                panic!("{command} ran")
            };
            assert!(
                error
                    .to_string()
                    .starts_with(&format!("failed to execute {named}"))
            );
        }
    }
}
