//! Execs programs in states that a shell cannot set up.

use std::convert::Infallible;
use std::ffi::OsString;
use std::fs::{self, DirEntry};
use std::io;
use std::os::unix::process::CommandExt;
use std::process::Command;
use std::thread;

use rustix::process::{Signal, WaitOptions, getpid, kill_process, waitpid};
use rustix::thread::UnshareFlags;

use crate::Error;
use crate::raw;

/// Execs without any capability, even as root.
pub fn bare(words: &[OsString]) -> Result<Infallible, Error> {
    raw::drop_capabilities(None)?;
    Err(become_program(words).into())
}

/// Execs as root with CAP_SYS_ADMIN alone: it may open the module's device, but not trace every
/// process.
pub fn admin(words: &[OsString]) -> Result<Infallible, Error> {
    raw::drop_capabilities(Some(raw::ADMIN))?;
    Err(become_program(words).into())
}

/// Execs as a user that owns nothing.
pub fn nobody(words: &[OsString]) -> Result<Infallible, Error> {
    const NOBODY: u32 = 65534;
    Err(match program(words) {
        Ok(mut program) => program.uid(NOBODY).gid(NOBODY).exec().into(),
        Err(why) => why.into(),
    })
}

/// Execs as a SCHED_FIFO thread that starves all ordinary ones. The kernel's RCU and softirq
/// threads get a higher priority, or waiters for a grace period would hang.
pub fn real_time(words: &[OsString]) -> Result<Infallible, Error> {
    for thread in threads_of_the_kernel()? {
        raw::make_real_time(thread, 60)?;
    }
    raw::make_real_time(0, 50)?;
    Err(become_program(words).into())
}

/// The threads that RCU and softirqs depend on.
fn threads_of_the_kernel() -> io::Result<Vec<i32>> {
    let named = |entry: io::Result<DirEntry>| {
        let entry = entry.ok()?;
        let name = fs::read_to_string(entry.path().join("comm")).ok()?;
        let is_one = name.starts_with("rcu_") || name.starts_with("ksoftirqd/");
        is_one.then(|| entry.file_name().to_str()?.parse().ok())?
    };
    Ok(fs::read_dir("/proc")?.filter_map(named).collect())
}

/// Execs from a thread that is not the group leader, which waits in join.
pub fn second(words: &[OsString]) -> Result<Infallible, Error> {
    let words = words.to_vec();
    let why = thread::spawn(move || become_program(&words)).join();
    Err(why.map_or(Error::Worker, Error::System))
}

/// In a new PID namespace, init sends itself SIGTERM twice without a handler, and survives.
pub fn unkillable() -> Result<(), Error> {
    raw::unshare(UnshareFlags::NEWPID)?;
    let child = raw::fork(|| u8::from(take_twice().is_err()))?;
    let status = waitpid(Some(child), WaitOptions::empty())?.map(|(_, status)| status);
    match status.and_then(|status| status.exit_status()) {
        Some(0) => Ok(()),
        _ => Err(Error::Child("unshare", status)),
    }
}

/// Blocks the signal while it is sent: one not blocked would be discarded at once.
fn take_twice() -> io::Result<()> {
    for _ in 0..2 {
        raw::block(libc::SIGTERM, true)?;
        kill_process(getpid(), Signal::TERM)?;
        raw::block(libc::SIGTERM, false)?;
    }
    Ok(())
}

/// Execs; returns why that failed.
pub fn become_program(words: &[OsString]) -> io::Error {
    match program(words) {
        Ok(mut program) => program.exec(),
        Err(why) => why,
    }
}

fn program(words: &[OsString]) -> io::Result<Command> {
    let (program, arguments) = words.split_first().ok_or(io::ErrorKind::InvalidInput)?;
    let mut command = Command::new(program);
    command.args(arguments);
    Ok(command)
}
