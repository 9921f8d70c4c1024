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
use rustix::thread::{CpuSet, sched_getaffinity, sched_getcpu, sched_setaffinity};

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

/// The instructions that a program with `steps.c` in it executes from `main` on: by itself, in a hundredth of the time.
pub fn from_main(program: &Path, file: &Path) -> Vec<u64> {
    let mut command = Command::new(program);
    fixed(command.env("STEPS", file));
    let status = command.output().unwrap().status;
    assert!(!matches!(status.code(), None | Some(97..=99)), "{status}");
    let bytes = fs::read(file).unwrap();
    let words = bytes.as_chunks().0.iter().copied().map(u64::from_ne_bytes);
    let mut steps = words.take_while(|word| *word != 0);
    let main = steps.next();
    let mut steps: Vec<u64> = steps.skip_while(|step| Some(*step) != main).collect();
    steps.dedup();
    steps
}

/// Those of a command that are wanted, by their address.
#[expect(unsafe_code, reason = "the child asks to be traced")]
#[expect(clippy::zombie_processes, reason = "it is waited for by ptrace")]
pub fn of(command: &mut Command, is_wanted: impl Fn(u64) -> bool) -> Vec<u64> {
    fixed(command);
    // Each step wakes the other one, which takes several times as long if that is on another processor.
    let processors = sched_getaffinity(None).unwrap();
    let mut this = CpuSet::new();
    this.set(sched_getcpu());
    sched_setaffinity(None, &this).unwrap();
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
    sched_setaffinity(None, &processors).unwrap();
    steps.dedup();
    steps
}

/// Whether it has stopped behind a step, and not for a trap of its own, or for a signal that was sent.
fn is_step(pid: Pid) -> bool {
    const SI_KERNEL: i32 = 0x80;
    (0..SI_KERNEL).contains(&ptrace::getsiginfo(pid).unwrap().si_code)
}

/// The program counter of a process that is stopped.
fn pc(pid: Pid) -> u64 {
    /// Where it is in the `struct user` of x86-64.
    const RIP: usize = 16 * size_of::<u64>();
    let read = ptrace::read_user(pid, std::ptr::without_provenance_mut(RIP));
    read.unwrap().cast_unsigned()
}
