//! Target processes: those of `-c`, which are held until tracing has started, and those of `-p`.
//!
//! A command is not executed right away: this program starts itself as a placeholder, which stops
//! itself. So the process exists with its final PID while programs that refer to `$target` are
//! compiled and enabled; when it is resumed, it executes the command.

use std::ffi::{OsStr, OsString};
use std::io::{Error as IoError, ErrorKind};
use std::os::fd::OwnedFd;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus};

use rustix::fs::{Access, access};
use rustix::io::Errno;
use rustix::process::{
    Pid, PidfdFlags, Signal, WaitOptions, getpid, getppid, kill_process, pidfd_open,
    set_parent_process_death_signal, waitpid,
};
use signal_hook::low_level::signal_name;

use crate::entry_point;
use crate::error::Error;

/// The placeholder's `argv[0]`, by which this program recognizes that it is one.
const PLACEHOLDER: &str = "dtrace: to be traced";

/// A target process.
pub struct Target {
    pid: Pid,
    /// Opened before anything is armed, so a later process with the same PID is not mistaken for
    /// it.
    handle: OwnedFd,
    command: Option<Child>,
    /// Whether it is held at its program's entry point.
    is_at_entry: bool,
}

impl Target {
    /// Starts a placeholder for `command`, split into words as by a shell, and waits until it has
    /// stopped. It is killed when this process dies or the target is dropped.
    pub fn start(command: &str) -> Result<Self, Error> {
        let words = shlex::split(command).unwrap_or_default();
        let Some(program) = words.first() else {
            let why = IoError::new(
                ErrorKind::InvalidInput,
                "it is empty or has an unterminated quote",
            );
            return Err(cannot(command, why));
        };
        let path = find(program).map_err(|why| cannot(program, why.into()))?;
        let own = std::env::current_exe().map_err(|why| cannot(program, why))?;
        let mut placeholder = Command::new(own);
        let trace = getpid().as_raw_pid().to_string();
        placeholder
            .arg0(PLACEHOLDER)
            .arg(trace)
            .arg(path)
            .args(&words);
        let child = placeholder.spawn().map_err(|why| cannot(program, why))?;
        let pid = Pid::from_child(&child);
        let target = Self {
            pid,
            handle: handle(pid)?,
            command: Some(child),
            is_at_entry: false,
        };
        match waitpid(Some(pid), WaitOptions::UNTRACED) {
            Ok(Some((_, status))) if status.stopped() => Ok(target),
            Ok(_) => Err(cannot(program, ErrorKind::BrokenPipe.into())),
            Err(why) => Err(cannot(program, why.into())),
        }
    }

    /// Opens an existing process.
    pub fn grab(pid: &str) -> Result<Self, Error> {
        let number = pid.parse().ok().filter(|&it: &i32| it > 0);
        let found = number.and_then(Pid::from_raw);
        let pid = found.ok_or_else(|| Error::Pid(pid.into()))?;
        Ok(Self {
            pid,
            handle: handle(pid)?,
            command: None,
            is_at_entry: false,
        })
    }

    /// Its PID.
    pub fn pid(&self) -> u32 {
        self.pid.as_raw_pid().unsigned_abs()
    }

    /// A pidfd, which polls readable when the process exits.
    pub fn handle(&self) -> Result<OwnedFd, Error> {
        let pid = self.pid.as_raw_pid();
        let cloned = self.handle.try_clone();
        cloned.map_err(|why| Error::Grab { pid, why })
    }

    /// Has a command execute its program, and holds it where that begins.
    pub fn run_to_entry(&mut self) -> Result<(), Error> {
        if self.command.is_none() || self.is_at_entry {
            return Ok(());
        }
        let pid = self.pid.as_raw_pid();
        let reached = entry_point::attach(pid).and_then(|()| entry_point::reach(pid));
        self.is_at_entry = reached.is_ok();
        reached.map_err(|why| Error::Entry { pid, why })
    }

    /// Has a command execute its program, and holds it at its first instruction: that of the dynamic linker,
    /// if it has one.
    pub fn run_to_begin(&self) -> Result<(), Error> {
        let pid = self.pid.as_raw_pid();
        let done = entry_point::attach(pid)
            .and_then(|()| entry_point::execute(pid))
            .and_then(|()| entry_point::finish_execve(pid));
        done.map_err(|why| Error::Entry { pid, why })
    }

    /// Why its path cannot be recorded.
    pub fn cannot_record(&self, why: IoError) -> Error {
        let pid = self.pid();
        match why.kind() {
            ErrorKind::Unsupported => Error::PathHere,
            _ => Error::Inject { pid, why },
        }
    }

    /// Whether it is held at its program's entry point.
    pub fn is_at_entry(&self) -> bool {
        self.is_at_entry
    }

    /// Whether it is held at its program's entry point, and no thread of it runs: libraries can have
    /// started some by then.
    pub fn is_held(&self) -> bool {
        let threads = std::fs::read_dir(format!("/proc/{}/task", self.pid.as_raw_pid()));
        self.is_at_entry && threads.is_ok_and(|threads| threads.count() == 1)
    }

    /// Does `work` while ptrace(2) has stopped its first thread: a command's is at its entry point,
    /// and another process goes on afterwards.
    pub fn while_stopped<R>(&self, work: impl FnOnce() -> Result<R, Error>) -> Result<R, Error> {
        if self.is_at_entry {
            return work();
        }
        let pid = self.pid.as_raw_pid();
        entry_point::stop(pid).map_err(|why| match why.kind() {
            ErrorKind::PermissionDenied => Error::NotAllowed(pid),
            _ => Error::Grab { pid, why },
        })?;
        let done = work();
        // Fails if it was killed, which is reported then.
        let _ = entry_point::detach(pid);
        done
    }

    /// Resumes a command.
    pub fn resume(&self) {
        if self.is_at_entry {
            // Fails if it was killed; its exit is reported then.
            let _ = entry_point::detach(self.pid.as_raw_pid());
        } else if self.command.is_some() {
            // Fails if it was killed; its exit is reported then.
            let _ = kill_process(self.pid, Signal::CONT);
        }
    }

    /// Describes how it ended, in DTrace's wording. Waits for a command.
    pub fn describe_end(&mut self) -> String {
        let pid = self.pid();
        match self.command.as_mut().map(Child::wait) {
            None => format!("pid {pid} has exited"),
            Some(Ok(status)) => describe(pid, status),
            Some(Err(why)) => format!("failed to wait for pid {pid}: {why}"),
        }
    }
}

fn handle(pid: Pid) -> Result<OwnedFd, Error> {
    pidfd_open(pid, PidfdFlags::empty()).map_err(|why| Error::Grab {
        pid: pid.as_raw_pid(),
        why: why.into(),
    })
}

impl Drop for Target {
    fn drop(&mut self) {
        if let Some(child) = &mut self.command {
            // Without effect if it has already exited.
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}

/// If this process is a placeholder: stops, and executes the command when resumed. Returns only on
/// error; None if it is no placeholder.
pub fn run_placeholder(arguments: &[OsString]) -> Option<Error> {
    let [name, trace, path, program, rest @ ..] = arguments else {
        return None;
    };
    if name != PLACEHOLDER {
        return None;
    }
    // The parent's death kills it, lest it stay stopped forever; the parent may have died already.
    let stopped = set_parent_process_death_signal(Some(Signal::KILL))
        .and_then(|()| is_parent(trace).then_some(()).ok_or(Errno::SRCH))
        .and_then(|()| kill_process(getpid(), Signal::STOP));
    let why = match stopped {
        Ok(()) => Command::new(path).arg0(program).args(rest).exec(),
        Err(why) => why.into(),
    };
    Some(cannot(&program.to_string_lossy(), why))
}

fn is_parent(pid: &OsStr) -> bool {
    let parent = getppid().map(|it| it.as_raw_pid().to_string());
    parent.is_some_and(|it| *it == *pid)
}

/// A command's file, found as by a shell.
fn find(program: &str) -> Result<PathBuf, Errno> {
    let executable = |path: &Path| match path.is_dir() {
        true => Err(Errno::ISDIR),
        false => access(path, Access::EXEC_OK),
    };
    if program.contains('/') {
        return executable(Path::new(program)).map(|()| program.into());
    }
    let path = std::env::var_os("PATH");
    let folders = std::env::split_paths(path.as_deref().unwrap_or(OsStr::new("/bin:/usr/bin")));
    let mut files = folders.map(|it| it.join(program));
    files.find(|it| executable(it).is_ok()).ok_or(Errno::NOENT)
}

fn cannot(command: &str, why: IoError) -> Error {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exits_are_described() {
        for (status, expected) in [
            (0, "pid 7 has exited"),
            (3 << 8, "pid 7 exited with status 3"),
            (9, "pid 7 terminated by SIGKILL"),
        ] {
            assert_eq!(describe(7, ExitStatus::from_raw(status)), expected);
        }
    }

    #[test]
    fn a_command_that_cannot_run_is_named() {
        for (command, named) in [
            ("/no/such -x", "/no/such:"),
            ("", ""),
            ("'open", "'open"),
            ("/", "/:"),
        ] {
            let Err(error) = Target::start(command) else {
                panic!("{command} ran")
            };
            let message = error.to_string();
            assert!(
                message.starts_with(&format!("failed to execute {named}")),
                "{message}"
            );
        }
    }

    #[test]
    fn a_pid_must_be_that_of_a_process() {
        assert!(Target::grab(&std::process::id().to_string()).is_ok());
        for pid in ["0", "-1", "x", ""] {
            assert!(matches!(Target::grab(pid), Err(Error::Pid(_))), "{pid}");
        }
        let Err(gone) = Target::grab(&i32::MAX.to_string()) else {
            panic!("there is a process of the greatest number");
        };
        assert!(
            gone.to_string()
                .starts_with("failed to grab pid 2147483647: ")
        );
    }
}
