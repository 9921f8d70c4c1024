//! Makes many processes and threads in a short time, by every call that can. Each exits with 0 at
//! once and is waited for.

use std::env;
use std::ffi::CString;
use std::os::unix::ffi::OsStrExt;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::thread;

use rustix::process::{Pid, WaitOptions, waitpid};
use syscalls::{Errno, Sysno};

use crate::Error;
use crate::raw::{Program, spawn};
use crate::variants::Arguments;

/// Number of threads that make them.
const WORKERS: usize = 4;
/// Exit signal, so that a plain waitpid works.
const SIGNAL: usize = libc::SIGCHLD as usize;
/// Flags of a child that borrows the parent's memory while the parent waits.
const LENT: usize = (libc::CLONE_VM | libc::CLONE_VFORK) as usize;

/// What is counted, under the names that are printed.
const NAMES: [&str; 6] = ["fork", "vfork", "clone", "clone3", "thread", "execve"];

/// A way to make a process or thread.
struct Kind {
    /// The call, if the machine has it.
    call: &'static str,
    /// Flags for `clone`, the fallback on machines without it.
    flags: usize,
    /// Whether the child execs.
    executes: bool,
}

const fn kind(call: &'static str, flags: usize, executes: bool) -> Kind {
    Kind {
        call,
        flags,
        executes,
    }
}

const KINDS: [Kind; 8] = [
    kind("fork", SIGNAL, false),
    kind("vfork", LENT | SIGNAL, false),
    kind("clone", SIGNAL, false),
    kind("clone3", SIGNAL, false),
    kind("thread", 0, false),
    kind("fork", SIGNAL, true),
    kind("clone", LENT | SIGNAL, false),
    kind("vfork", LENT | SIGNAL, true),
];

/// Counts in the order of [`NAMES`].
type Counts = [AtomicUsize; NAMES.len()];

/// Makes this many, and prints how many of each kind succeeded.
pub fn storm(processes: usize) -> Result<(), Error> {
    let program = env::current_exe()?;
    let program = CString::new(program.as_os_str().as_bytes()).map_err(|_| Error::Path)?;
    let program = Program {
        path: &program,
        word: crate::options::NOTHING,
    };
    let counts = Counts::default();
    let next = AtomicUsize::new(0);
    let work = || work(&next, processes, &program, &counts);
    let worked = thread::scope(|scope| {
        let workers: Vec<_> = (0..WORKERS).map(|_| scope.spawn(work)).collect();
        let worked = workers.into_iter().map(|worker| worker.join());
        worked
            .map(|end| end.unwrap_or(Err(Error::Worker)))
            .collect::<Vec<_>>()
    });
    for (name, count) in NAMES.iter().zip(&counts) {
        println!("{name} {}", count.load(Relaxed));
    }
    worked.into_iter().collect()
}

fn work(next: &AtomicUsize, end: usize, program: &Program, counts: &Counts) -> Result<(), Error> {
    loop {
        let turn = next.fetch_add(1, Relaxed);
        if turn >= end {
            return Ok(());
        }
        let name = KINDS[turn % KINDS.len()].make(program)?;
        let counted = NAMES.iter().zip(counts).find(|(other, _)| **other == name);
        if let Some((_, count)) = counted {
            count.fetch_add(1, Relaxed);
        }
    }
}

impl Kind {
    /// Makes one and waits for it; returns the name to count it under.
    fn make(&self, program: &Program) -> Result<&'static str, Error> {
        let Ok(call) = self.call.parse::<Sysno>() else {
            return self.make_otherwise(program);
        };
        let size = size_of::<CloneArguments>();
        let asked = CloneArguments::new(self.flags);
        let arguments = match self.call {
            "clone3" => [(&raw const asked).expose_provenance(), size, 0, 0, 0, 0],
            "clone" => [self.flags, 0, 0, 0, 0, 0],
            _ => [0; 6],
        };
        self.spawn_call(call, arguments, program)
    }

    /// A thread, or the fallback `clone`.
    fn make_otherwise(&self, program: &Program) -> Result<&'static str, Error> {
        if self.call == "thread" {
            thread::spawn(|| {}).join().map_err(|_| Error::Worker)?;
            return Ok(self.call);
        }
        self.spawn_call(Sysno::clone, [self.flags, 0, 0, 0, 0, 0], program)
    }

    fn spawn_call(
        &self,
        call: Sysno,
        arguments: Arguments,
        program: &Program,
    ) -> Result<&'static str, Error> {
        let program = self.executes.then_some(program);
        let child = Errno::from_ret(spawn(call.id() as usize, arguments, program));
        let child = child.map_err(|why| Error::Spawn(call.name(), why))?;
        let ended = waitpid(Pid::from_raw(child as i32), WaitOptions::empty())?;
        match ended.map(|(_, status)| status) {
            Some(status) if status.exit_status() == Some(0) => {}
            other => return Err(Error::Child(call.name(), other)),
        }
        Ok(if self.executes { "execve" } else { call.name() })
    }
}

/// `struct clone_args` up to `CLONE_ARGS_SIZE_VER0`, 64 bytes.
#[repr(C)]
#[derive(Default)]
struct CloneArguments {
    flags: u64,
    pidfd: u64,
    child: u64,
    parent: u64,
    signal: u64,
    stack: u64,
    stack_size: u64,
    tls: u64,
}

impl CloneArguments {
    /// From `clone`'s flags, whose low byte is the exit signal.
    fn new(flags: usize) -> Self {
        Self {
            flags: (flags & !0xff) as u64,
            signal: (flags & 0xff) as u64,
            ..Self::default()
        }
    }
}
