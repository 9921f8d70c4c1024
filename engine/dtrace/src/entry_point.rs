//! Runs a command to its program's entry point: its libraries are loaded by then, and nothing of the
//! program itself has run.
//!
//! The process is traced by ptrace(2) until it is resumed. A branch to itself in place of the first
//! instruction holds it there, which needs no knowledge of its registers.

use std::fs::{self, OpenOptions};
use std::io::{Error as IoError, ErrorKind, Result};
use std::os::unix::fs::FileExt;
use std::thread::sleep;
use std::time::Duration;

use engine_objects::{Objects, Process, auxiliary_value};
use nix::sys::ptrace::{self, Event, Options};
use nix::sys::signal::{Signal, kill};
use nix::sys::wait::{WaitPidFlag, WaitStatus, waitpid};
use nix::unistd::Pid;

/// Key of the entry point in the auxiliary vector (getauxval(3)).
const AT_ENTRY: u64 = 9;

/// Time between two looks at where the process is.
const PERIOD: Duration = Duration::from_millis(2);

/// Attaches to a process that has stopped itself and will execute a program.
pub fn attach(pid: i32) -> Result<()> {
    let options = Options::PTRACE_O_TRACEEXEC | Options::PTRACE_O_EXITKILL;
    ptrace::seize(Pid::from_raw(pid), options).map_err(IoError::from)
}

/// Continues the process until it has executed its program, of which nothing has run then.
pub fn execute(pid: i32) -> Result<()> {
    let process = Pid::from_raw(pid);
    kill(process, Signal::SIGCONT)?;
    run_until(process, Event::PTRACE_EVENT_EXEC)
}

/// Has it leave execve(2): its registers can be set then.
pub fn finish_execve(pid: i32) -> Result<()> {
    let process = Pid::from_raw(pid);
    ptrace::syscall(process, None)?;
    waitpid(process, Some(WaitPidFlag::__WALL))?;
    Ok(())
}

/// Continues the process until it is at its program's entry point.
pub fn reach(pid: i32) -> Result<()> {
    let process = Pid::from_raw(pid);
    execute(pid)?;
    let mut memory = OpenOptions::new();
    let memory = memory.read(true).write(true);
    let memory = memory.open(format!("/proc/{pid}/mem"))?;
    let entry = entry_point(pid)?;
    let (entry, branch) = branch_to_self(pid, entry)?;
    let mut displaced = vec![0; branch.len()];
    memory.read_exact_at(&mut displaced, entry)?;
    memory.write_all_at(branch, entry)?;
    // A static program begins there, but is still inside of execve(2).
    loop {
        ptrace::cont(process, None)?;
        sleep(PERIOD);
        ptrace::interrupt(process)?;
        run_until(process, Event::PTRACE_EVENT_STOP)?;
        if pc(pid)? == entry {
            break;
        }
    }
    memory.write_all_at(&displaced, entry)
}

/// Attaches to a process and stops it.
pub fn stop(pid: i32) -> Result<()> {
    let process = Pid::from_raw(pid);
    ptrace::seize(process, Options::empty())?;
    ptrace::interrupt(process)?;
    run_until(process, Event::PTRACE_EVENT_STOP)
}

/// Lets it go on, untraced.
pub fn detach(pid: i32) -> Result<()> {
    ptrace::detach(Pid::from_raw(pid), None).map_err(IoError::from)
}

/// Waits for a stop of this kind; continues the process from any other, with its signal.
fn run_until(process: Pid, wanted: Event) -> Result<()> {
    loop {
        match waitpid(process, Some(WaitPidFlag::__WALL))? {
            WaitStatus::PtraceEvent(_, _, event) if event == wanted as i32 => return Ok(()),
            WaitStatus::Stopped(_, Signal::SIGCONT | Signal::SIGSTOP)
            | WaitStatus::PtraceEvent(..) => ptrace::cont(process, None)?,
            WaitStatus::Stopped(_, signal) => ptrace::cont(process, signal)?,
            _ => return Err(ErrorKind::BrokenPipe.into()),
        }
    }
}

/// The address at which the program begins, as the kernel told the dynamic linker.
fn entry_point(pid: i32) -> Result<u64> {
    auxiliary(pid, AT_ENTRY)?.ok_or_else(|| ErrorKind::InvalidData.into())
}

/// The value of a key in the auxiliary vector of a process.
pub fn auxiliary(pid: i32, key: u64) -> Result<Option<u64>> {
    let vector = fs::read(format!("/proc/{pid}/auxv"))?;
    Ok(auxiliary_value(&vector, key))
}

/// The branch to itself of the program's instruction set, and where it goes.
fn branch_to_self(pid: i32, entry: u64) -> Result<(u64, &'static [u8])> {
    let process = Process::open(pid.unsigned_abs()).map_err(IoError::other)?;
    let objects = Objects::of(&process).map_err(IoError::other)?;
    let program = objects.at(entry).and_then(|object| object.elf());
    let branch = program.and_then(|elf| {
        // The address of a Thumb function has bit 0 set.
        let is_thumb = elf.machine.has_thumb() && entry % 2 == 1;
        let branch = elf.machine.branch_to_self(is_thumb)?;
        Some((entry & !u64::from(is_thumb), branch))
    });
    branch.ok_or_else(|| ErrorKind::Unsupported.into())
}

/// The program counter of a process that is stopped: the last field of proc_pid_syscall(5).
fn pc(pid: i32) -> Result<u64> {
    let text = fs::read_to_string(format!("/proc/{pid}/syscall"))?;
    let last = text.split_whitespace().last().unwrap_or_default();
    let pc = u64::from_str_radix(last.trim_start_matches("0x"), 16);
    pc.map_err(|_| ErrorKind::InvalidData.into())
}
