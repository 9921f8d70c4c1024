//! Runs a command to its program's entry point: its libraries are loaded by then, and nothing of the
//! program itself has run. The process is traced by ptrace(2) until it is resumed.

use std::fs::{File, OpenOptions};
use std::io::{Error as IoError, ErrorKind, Read, Result};
use std::os::unix::fs::FileExt;

use nix::sys::ptrace::{self, Options};
use nix::sys::signal::Signal;
use nix::sys::wait::{WaitPidFlag, WaitStatus, waitpid};
use nix::unistd::Pid;

/// A breakpoint that the kernel turns into SIGTRAP, whichever debugger is there.
#[cfg(target_arch = "x86_64")]
const BREAKPOINT: &[u8] = &[0xcc];
#[cfg(target_arch = "aarch64")]
const BREAKPOINT: &[u8] = &0xd420_0000_u32.to_le_bytes();
#[cfg(target_arch = "arm")]
const BREAKPOINT: &[u8] = &0xe7f0_01f0_u32.to_le_bytes();

/// Key of the entry point in the auxiliary vector (getauxval(3)).
const AT_ENTRY: usize = 9;

/// Attaches to a process that has stopped itself and will execute a program.
pub fn attach(pid: i32) -> Result<()> {
    let options = Options::PTRACE_O_TRACEEXEC | Options::PTRACE_O_EXITKILL;
    ptrace::seize(Pid::from_raw(pid), options).map_err(IoError::from)
}

/// Continues the process until it is at its program's entry point.
pub fn reach(pid: i32) -> Result<()> {
    let process = Pid::from_raw(pid);
    nix::sys::signal::kill(process, Signal::SIGCONT)?;
    run_until(
        process,
        |status| matches!(status, WaitStatus::PtraceEvent(_, _, event) if *event == ptrace::Event::PTRACE_EVENT_EXEC as i32),
    )?;
    let memory = OpenOptions::new()
        .read(true)
        .write(true)
        .open(format!("/proc/{pid}/mem"))?;
    let entry = entry_point(pid)?;
    let mut displaced = vec![0; BREAKPOINT.len()];
    memory.read_exact_at(&mut displaced, entry)?;
    memory.write_all_at(BREAKPOINT, entry)?;
    ptrace::cont(process, None)?;
    run_until(process, |status| {
        matches!(status, WaitStatus::Stopped(_, Signal::SIGTRAP))
    })?;
    memory.write_all_at(&displaced, entry)?;
    return_to(process, entry)
}

/// Lets it go on, untraced.
pub fn detach(pid: i32) -> Result<()> {
    ptrace::detach(Pid::from_raw(pid), None).map_err(IoError::from)
}

/// Waits for a stop that `is_it`; continues the process from any other, with its signal.
fn run_until(process: Pid, is_it: impl Fn(&WaitStatus) -> bool) -> Result<()> {
    loop {
        let status = waitpid(process, Some(WaitPidFlag::__WALL))?;
        if is_it(&status) {
            return Ok(());
        }
        match status {
            WaitStatus::Stopped(_, Signal::SIGCONT | Signal::SIGSTOP) => {
                ptrace::cont(process, None)?;
            }
            WaitStatus::Stopped(_, signal) => ptrace::cont(process, signal)?,
            WaitStatus::PtraceEvent(..) => ptrace::cont(process, None)?,
            _ => return Err(ErrorKind::BrokenPipe.into()),
        }
    }
}

/// The address at which the program begins, as the kernel told the dynamic linker.
fn entry_point(pid: i32) -> Result<u64> {
    let mut vector = Vec::new();
    File::open(format!("/proc/{pid}/auxv"))?.read_to_end(&mut vector)?;
    let words = vector.chunks_exact(size_of::<usize>());
    let words: Vec<usize> = words
        .filter_map(|word| Some(usize::from_ne_bytes(word.try_into().ok()?)))
        .collect();
    let found = words.chunks_exact(2).find(|pair| pair[0] == AT_ENTRY);
    let entry = found.map(|pair| pair[1] as u64);
    entry.ok_or_else(|| ErrorKind::InvalidData.into())
}

/// Undoes what the breakpoint has done to the instruction pointer.
#[cfg(target_arch = "x86_64")]
fn return_to(process: Pid, entry: u64) -> Result<()> {
    let mut regs = ptrace::getregs(process)?;
    regs.rip = entry;
    ptrace::setregs(process, regs).map_err(IoError::from)
}

/// The instruction pointer is still at the breakpoint.
#[cfg(not(target_arch = "x86_64"))]
fn return_to(_: Pid, _: u64) -> Result<()> {
    Ok(())
}
