//! Puts the agent into a process.
//!
//! A thread of the process that ptrace(2) has stopped maps the memory for it and clones the agent:
//! with the process's memory and actions on signals, and nothing else of it. Then the command takes
//! its ends of the agent's sockets.

use std::fs;
use std::io::{ErrorKind, Result};
use std::os::fd::OwnedFd;
use std::os::unix::fs::FileExt;
use std::thread::sleep;
use std::time::{Duration, Instant};

use engine_abi::channel::{DESCRIPTORS, Left, Start};
use libc::{
    CLONE_PARENT, CLONE_SIGHAND, CLONE_VM, MAP_ANONYMOUS, MAP_PRIVATE, PROT_READ, PROT_WRITE,
};
use nix::sys::ptrace;
use nix::sys::signal::{SigSet, SigmaskHow, Signal, kill};
use nix::sys::wait::{WaitPidFlag, WaitStatus, waitpid};
use nix::unistd::Pid;
use rustix::process::{PidfdFlags, PidfdGetfdFlags, pidfd_getfd, pidfd_open};

use zerocopy::IntoBytes;

use super::call::{Call, Caller};
use super::earlier::Earlier;
use super::image;
use super::memory::memory;
use super::ptrace::set_signal_mask;
use crate::entry_point::auxiliary;

// One page has what the agent finds at its start.
const _: () = assert!(size_of::<Start>() + size_of::<Left>() <= image::PAGE);

/// Key of what the processor has, in the auxiliary vector (getauxval(3)).
const AT_HWCAP2: u64 = 26;

/// How long the agent may take to open its sockets.
const LONGEST: Duration = Duration::from_secs(10);
const PERIOD: Duration = Duration::from_micros(200);

/// The agent and the command's ends of its sockets: the channel, and the stream of what is opened.
pub struct Agent {
    pub ends: [OwnedFd; 2],
    pub pid: i32,
}

/// An agent that has begun.
pub struct Begun {
    pub pid: i32,
    /// The address at which it tells how far it is.
    pub left: usize,
}

/// Puts the agent into process `pid`, whose first thread is stopped, and is as it was afterwards; but it
/// does not block the signal of traps. `has_jumps` says that sites are armed by jumps where that is
/// possible. The agent ends if `command` does before it takes its ends.
pub fn inject(pid: i32, command: u32, has_jumps: bool) -> Result<Begun> {
    // What interrupts this process must not leave the other one with what is not its own.
    let before = SigSet::all().thread_swap_mask(SigmaskHow::SIG_BLOCK)?;
    let injected = undisturbed(pid, command, has_jumps);
    before.thread_set_mask()?;
    injected
}

fn undisturbed(pid: i32, command: u32, has_jumps: bool) -> Result<Begun> {
    let is_child = parent(pid)? == std::process::id();
    let mut caller = Caller::new(pid, is_child)?;
    let injected = start(pid, &mut caller, command, has_jumps);
    // If nothing came of it, the thread must go on all the same.
    caller.finish()?;
    injected
}

fn start(pid: i32, caller: &mut Caller, command: u32, has_jumps: bool) -> Result<Begun> {
    let none = |_| ();
    let own = caller.call(Call::Getpid, &[], none)?;
    let earlier = Earlier::find(pid, caller.pc() as u64)?;
    let base = match &earlier {
        Some(earlier) => earlier.base,
        None => map_image(pid, caller)?,
    };
    let start = Start {
        clock: caller.clock,
        capabilities: auxiliary(pid, AT_HWCAP2)?.unwrap_or_default(),
        pid: pid.cast_unsigned(),
        parent: parent(pid)?,
        own_pid: own as u32,
        has_jumps: has_jumps.into(),
        may_recycle: earlier.is_some_and(|it| it.is_deserted).into(),
        command: match shares_numbers(pid)? {
            true => command,
            false => 0,
        },
    };
    let behind = base + image::SIZE;
    let both = [start.as_bytes(), Left::new().as_mut_bytes()].concat();
    let memory = memory(pid)?;
    let mut before = vec![0; both.len()];
    memory.read_exact_at(&mut before, behind as u64)?;
    memory.write_all_at(&both, behind as u64)?;
    let cloned = clone(caller, base, behind);
    if cloned.is_err() {
        // There is none, and an earlier one has ended all the same.
        memory.write_all_at(&before, behind as u64)?;
    }
    Ok(Begun {
        pid: cloned?,
        left: behind + size_of::<Start>(),
    })
}

/// Clones the agent and has it begin; returns its PID.
fn clone(caller: &mut Caller, base: usize, behind: usize) -> Result<i32> {
    let flags = (CLONE_VM | CLONE_SIGHAND | CLONE_PARENT) as usize;
    let mut agent = 0;
    // The agent sets its own stack first of all.
    caller.call(Call::Clone, &[flags, caller.sp()], |child| agent = child)?;
    let begun = begin(agent, caller, base, behind);
    if begun.is_err() {
        // It would run on the thread's own stack.
        kill(Pid::from_raw(agent), Signal::SIGKILL)?;
    }
    begun.map(|()| agent)
}

/// Maps the image, and behind it a page for what it finds at its start. Returns its address.
pub fn map_image(pid: i32, caller: &mut Caller) -> Result<usize> {
    let none = |_| ();
    let access = (PROT_READ | PROT_WRITE) as usize;
    let flags = (MAP_PRIVATE | MAP_ANONYMOUS) as usize;
    let size = image::SIZE + image::PAGE;
    let base = caller.call(Call::Mmap, &[0, size, access, flags, usize::MAX, 0], none)?;
    let bytes = image::at(base).ok_or(ErrorKind::Unsupported)?;
    memory(pid)?.write_all_at(&bytes, base as u64)?;
    for segment in image::SEGMENTS {
        let size = segment.end - segment.start;
        let arguments = [base + segment.start, size, segment.access as usize];
        caller.call(Call::Mprotect, &arguments, none)?;
    }
    Ok(base)
}

/// Has the agent begin, which has just been cloned.
fn begin(agent: i32, caller: &Caller, base: usize, behind: usize) -> Result<()> {
    wait_stopped(agent)?;
    set_signal_mask(agent, u64::MAX)?;
    caller.begin(agent, base + image::ENTRY, behind)?;
    Ok(ptrace::detach(Pid::from_raw(agent), None)?)
}

fn wait_stopped(child: i32) -> Result<()> {
    match waitpid(Pid::from_raw(child), Some(WaitPidFlag::__WALL))? {
        WaitStatus::Stopped(..) | WaitStatus::PtraceEvent(..) => Ok(()),
        _ => Err(ErrorKind::BrokenPipe.into()),
    }
}

/// The parent of a process: the second number behind its name, which may have parentheses itself.
fn parent(pid: i32) -> Result<u32> {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat"))?;
    let rest = stat.rsplit_once(')').map(|(_, rest)| rest);
    let parent = rest.and_then(|rest| rest.split_whitespace().nth(1)?.parse().ok());
    parent.ok_or_else(|| ErrorKind::InvalidData.into())
}

/// Whether processes have the same numbers for another process as for this one.
fn shares_numbers(pid: i32) -> Result<bool> {
    let namespace = |process: &str| fs::read_link(format!("/proc/{process}/ns/pid"));
    Ok(namespace("self")? == namespace(&pid.to_string())?)
}

impl Begun {
    /// Takes the command's ends of its sockets once it has opened them. Until then, what has their numbers
    /// is the traced process's own.
    pub fn ends(self) -> Result<Agent> {
        let begun = Instant::now();
        let memory = memory(self.pid)?;
        let mut left = Left::new();
        loop {
            memory.read_exact_at(left.as_mut_bytes(), self.left as u64)?;
            match *left.stage.get_mut() {
                Left::IS_OPEN => break,
                Left::STARTS if begun.elapsed() < LONGEST => sleep(PERIOD),
                Left::STARTS => return Err(ErrorKind::TimedOut.into()),
                _ => return Err(ErrorKind::BrokenPipe.into()),
            }
        }
        let process = rustix::process::Pid::from_raw(self.pid).ok_or(ErrorKind::InvalidData)?;
        let handle = pidfd_open(process, PidfdFlags::empty())?;
        let [channel, opened] =
            DESCRIPTORS.map(|number| pidfd_getfd(&handle, number, PidfdGetfdFlags::empty()));
        Ok(Agent {
            ends: [channel?, opened?],
            pid: self.pid,
        })
    }
}
