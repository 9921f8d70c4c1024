//! A judge: the addresses of all instructions that a program executes, by ptrace(2).

use std::fs;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Command, Stdio};

use nix::sys::personality::{self, Persona};
use nix::sys::ptrace;
use nix::sys::signal::Signal;
use nix::sys::wait::{WaitStatus, waitpid};
use nix::unistd::Pid;

/// Has a command executed with everything at the same addresses each time, and without restartable sequences,
/// which the recorder does not have.
#[expect(unsafe_code, reason = "the child makes one system call")]
pub fn fixed(command: &mut Command) -> &mut Command {
    command.env("GLIBC_TUNABLES", "glibc.pthread.rseq=0");
    // SAFETY: it makes one system call.
    unsafe { command.pre_exec(|| Ok(personality::set(Persona::ADDR_NO_RANDOMIZE).map(drop)?)) }
}

/// The instructions that a program executes, in order. One that is repeated is there once.
pub fn steps(program: &Path) -> Vec<u64> {
    of(Command::new(program).stdout(Stdio::piped()), |_| true)
}

/// Those of a command that are wanted, by their address.
#[expect(unsafe_code, reason = "the child asks to be traced")]
#[expect(clippy::zombie_processes, reason = "it is waited for by ptrace")]
pub fn of(command: &mut Command, is_wanted: impl Fn(u64) -> bool) -> Vec<u64> {
    fixed(command);
    // SAFETY: it makes one system call.
    let child = unsafe { command.pre_exec(|| Ok(ptrace::traceme()?)) }
        .spawn()
        .unwrap();
    let pid = Pid::from_raw(child.id() as i32);
    assert!(matches!(
        waitpid(pid, None).unwrap(),
        WaitStatus::Stopped(_, Signal::SIGTRAP)
    ));
    let mut steps = vec![pc(pid)];
    steps.retain(|pc| is_wanted(*pc));
    let mut signal = None;
    loop {
        ptrace::step(pid, signal.take()).unwrap();
        match waitpid(pid, None).unwrap() {
            WaitStatus::Stopped(_, Signal::SIGTRAP) if is_step(pid) => {
                steps.extend(Some(pc(pid)).filter(|pc| is_wanted(*pc)));
            }
            WaitStatus::Stopped(_, other) => {
                // The instruction is not executed yet, or has failed.
                signal = Some(other);
                if steps.last() == Some(&pc(pid)) {
                    steps.pop();
                }
            }
            WaitStatus::Exited(..) => break,
            other => panic!("{other:?}"),
        }
    }
    steps.dedup();
    steps
}

/// Whether it has stopped behind a step, and not for a trap of its own, or for a signal that was sent.
fn is_step(pid: Pid) -> bool {
    const SI_KERNEL: i32 = 0x80;
    (0..SI_KERNEL).contains(&ptrace::getsiginfo(pid).unwrap().si_code)
}

/// The program counter of a process that is stopped: the last field of proc_pid_syscall(5).
fn pc(pid: Pid) -> u64 {
    let text = fs::read_to_string(format!("/proc/{pid}/syscall")).unwrap();
    let last = text.split_whitespace().last().unwrap();
    u64::from_str_radix(last.trim_start_matches("0x"), 16).unwrap()
}
