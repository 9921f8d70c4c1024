//! System calls that a stopped thread of another process makes for us.
//!
//! The thread executes the instruction for system calls that the kernel itself has put into the
//! process, in its vDSO, so that nothing of its own text is changed and its other threads may run.

use std::ffi::c_long;
use std::io::{Error, ErrorKind, Result};

use nix::sys::ptrace::{self, Event, Options};
use nix::sys::signal::{Signal, kill};
use nix::sys::wait::{WaitPidFlag, WaitStatus, waitpid};
use nix::unistd::Pid;

use super::ptrace::{registers, set_registers, set_signal_mask, signal_mask};
use super::vdso::Vdso;

/// Where an architecture's registers are in those of ptrace(2), by number.
struct Layout {
    /// How Rust calls the architecture.
    name: &'static str,
    pc: usize,
    sp: usize,
    /// The number of a system call.
    number: usize,
    /// What the kernel takes for the number of a call that is to be restarted.
    restarted: Option<usize>,
    /// The arguments of a system call.
    arguments: [usize; 6],
    /// The argument of a function.
    parameter: usize,
    /// The result.
    result: usize,
    /// The instruction for system calls.
    instruction: &'static [u8],
    /// What the vDSO calls `clock_gettime`.
    clock: &'static str,
    /// The numbers of the [`Call`]s, in their order.
    calls: [usize; 4],
    /// That of vfork(2), if it is not made by clone(2).
    vfork: Option<c_long>,
}

/// A system call that a thread makes for us.
#[derive(Debug, Clone, Copy)]
pub enum Call {
    Getpid,
    Mmap,
    Mprotect,
    Clone,
}

/// x86-64: the order of `struct user_regs_struct`. AArch64: that of `struct user_pt_regs`.
const LAYOUTS: [Layout; 2] = [
    Layout {
        name: "x86_64",
        pc: 16,
        sp: 19,
        number: 10,
        restarted: Some(15),
        arguments: [14, 13, 12, 7, 9, 8],
        parameter: 14,
        result: 10,
        instruction: &[0x0f, 0x05],
        clock: "__vdso_clock_gettime",
        calls: [39, 9, 10, 56],
        vfork: Some(58),
    },
    Layout {
        name: "aarch64",
        pc: 32,
        sp: 31,
        number: 8,
        restarted: None,
        arguments: [0, 1, 2, 3, 4, 5],
        parameter: 0,
        result: 0,
        instruction: &[0x01, 0x00, 0x00, 0xd4],
        clock: "__kernel_clock_gettime",
        calls: [172, 222, 226, 220],
        vfork: None,
    },
];

/// That of this command, and of all processes that it enters.
fn layout() -> Option<&'static Layout> {
    let here = std::env::consts::ARCH;
    LAYOUTS.iter().find(|layout| layout.name == here)
}

/// The number of vfork(2), if it is a system call of its own.
pub fn vfork() -> Option<c_long> {
    layout()?.vfork
}

/// A thread that makes system calls for us.
pub struct Caller {
    thread: Pid,
    layout: &'static Layout,
    /// The address of an instruction for system calls.
    instruction: usize,
    /// The address of the vDSO's `clock_gettime`; 0 if it has none.
    pub clock: u64,
    /// Its registers before.
    saved: Vec<usize>,
    /// The signals that it blocked before. It blocks all of them meanwhile.
    mask: u64,
    /// Whether it was to stop meanwhile.
    is_to_stop: bool,
}

impl Caller {
    /// Prepares a thread that is stopped by ptrace(2). Its options are set; it is killed with this process
    /// if it is its child.
    pub fn new(thread: i32, is_child: bool) -> Result<Self> {
        let layout = layout().ok_or(ErrorKind::Unsupported)?;
        let vdso = Vdso::read(thread)?;
        let instruction = vdso.find(layout.instruction).ok_or(ErrorKind::NotFound)?;
        let of = Pid::from_raw(thread);
        let mut options = Options::PTRACE_O_TRACESYSGOOD
            | Options::PTRACE_O_TRACECLONE
            | Options::PTRACE_O_TRACEEXEC;
        options.set(Options::PTRACE_O_EXITKILL, is_child);
        ptrace::setoptions(of, options)?;
        let mask = signal_mask(thread)?;
        set_signal_mask(thread, u64::MAX)?;
        Ok(Self {
            thread: of,
            layout,
            clock: vdso.symbol(layout.clock).unwrap_or_default(),
            instruction,
            saved: registers(thread)?,
            mask,
            is_to_stop: false,
        })
    }

    /// Has it make a system call; the child of a clone(2) is reported to `cloned`.
    pub fn call(
        &mut self,
        call: Call,
        arguments: &[usize],
        mut cloned: impl FnMut(i32),
    ) -> Result<usize> {
        let mut words = self.saved.clone();
        words[self.layout.pc] = self.instruction;
        words[self.layout.number] = self.layout.calls[call as usize];
        if let Some(restarted) = self.layout.restarted {
            words[restarted] = usize::MAX;
        }
        let all = arguments.iter().copied().chain(std::iter::repeat(0));
        for (place, argument) in self.layout.arguments.iter().zip(all) {
            words[*place] = argument;
        }
        set_registers(self.thread.as_raw(), &words)?;
        self.run_to_syscall(&mut cloned)?;
        self.run_to_syscall(&mut cloned)?;
        let result = registers(self.thread.as_raw())?[self.layout.result];
        // The last page of addresses is that of error numbers.
        match (result as isize).checked_neg() {
            Some(errno @ 1..4096) => Err(Error::from_raw_os_error(errno as i32)),
            _ => Ok(result),
        }
    }

    /// Runs to the next entry to a system call, or return from one.
    fn run_to_syscall(&mut self, cloned: &mut impl FnMut(i32)) -> Result<()> {
        loop {
            ptrace::syscall(self.thread, None)?;
            match waitpid(self.thread, Some(WaitPidFlag::__WALL))? {
                WaitStatus::PtraceSyscall(_) => return Ok(()),
                WaitStatus::PtraceEvent(_, _, event)
                    if event == Event::PTRACE_EVENT_CLONE as i32 =>
                {
                    cloned(ptrace::getevent(self.thread)? as i32);
                }
                WaitStatus::PtraceEvent(..) => {}
                // The only signal that cannot be blocked.
                WaitStatus::Stopped(..) => self.is_to_stop = true,
                _ => return Err(ErrorKind::BrokenPipe.into()),
            }
        }
    }

    /// Gives the thread its registers back, and its signals but that of traps.
    pub fn finish(self) -> Result<()> {
        const TRAP: u64 = 1 << (Signal::SIGTRAP as u32 - 1);
        let thread = self.thread.as_raw();
        set_registers(thread, &self.saved)?;
        set_signal_mask(thread, self.mask & !TRAP)?;
        if self.is_to_stop {
            kill(self.thread, Signal::SIGSTOP)?;
        }
        Ok(())
    }

    /// Has a thread that is stopped begin at `pc`, as a function with this argument.
    pub fn begin(&self, thread: i32, pc: usize, argument: usize) -> Result<()> {
        let mut words = self.saved.clone();
        words[self.layout.pc] = pc;
        if let Some(restarted) = self.layout.restarted {
            words[restarted] = usize::MAX;
        }
        words[self.layout.parameter] = argument;
        set_registers(thread, &words)
    }

    /// Its registers before, in the order of ptrace(2)'s.
    pub fn saved(&self) -> &[usize] {
        &self.saved
    }

    /// The signals that it blocked before.
    pub fn mask(&self) -> u64 {
        self.mask
    }

    /// Its program counter.
    pub fn pc(&self) -> usize {
        self.saved[self.layout.pc]
    }

    /// Its stack pointer.
    pub fn sp(&self) -> usize {
        self.saved[self.layout.sp]
    }
}
