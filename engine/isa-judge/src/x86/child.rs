//! A process with nothing but the window and the slots in its address space, which single-steps one
//! instruction at a time under ptrace: the host's own processor, confined.
//!
//! It is stopped at all other times. Its system calls are not executed: they stop it. This is the
//! only file of the crate with unsafe code: it forks the process, and transfers registers for which
//! there is no safe interface.
#![expect(
    unsafe_code,
    reason = "a process is made and traced, for which there are system calls only"
)]

use std::ffi::c_void;
use std::io;
use std::num::NonZeroUsize;
use std::os::fd::OwnedFd;
use std::ptr::{self, NonNull};
use std::sync::atomic::{AtomicUsize, Ordering};

use nix::errno::Errno;
use nix::libc;
use nix::sched::{CpuSet, sched_setaffinity};
use nix::sys::memfd::{MFdFlags, memfd_create};
use nix::sys::mman::{MapFlags, ProtFlags, mmap, munmap};
use nix::sys::ptrace::{self, Options};
use nix::sys::signal::{Signal, raise};
use nix::sys::wait::{WaitPidFlag, WaitStatus, waitpid};
use nix::unistd::{ForkResult, Pid, fork, ftruncate};

use crate::window::{CODE, HIGH, LOW, PAGE, SLOT_PAGES, SLOTS};

/// The general registers of a process.
pub type General = libc::user_regs_struct;

/// Why the process stopped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stop {
    /// A signal, with the faulting address if it has one.
    Signal(Signal, Option<u64>),
    /// A system call.
    Call,
    /// It exited.
    Gone,
}

/// The shared memory: address in the process, pages, and protection.
const PARTS: [(u64, u64, ProtFlags); 4] = [
    (LOW, 1, READ_WRITE),
    (CODE, 1, READ_RUN),
    (HIGH, 1, READ_WRITE),
    (SLOTS, SLOT_PAGES, READ_RUN),
];
const READ_WRITE: ProtFlags = ProtFlags::PROT_READ.union(ProtFlags::PROT_WRITE);
const READ_RUN: ProtFlags = ProtFlags::PROT_READ.union(ProtFlags::PROT_EXEC);
/// Its size in bytes.
const BYTES: usize = (3 + SLOT_PAGES as usize) * PAGE as usize;
/// The end of user address space.
const END: u64 = 0x7fff_ffff_f000;
/// `syscall`, followed by an instruction that stops the process.
const CALL: [u8; 4] = [0x0f, 0x05, 0x0f, 0x0b];
/// An upper bound on the size of the extended registers in `xsave` format.
pub const VECTORS: usize = 1 << 14;

/// The process.
pub struct Child {
    pid: Pid,
    memory: NonNull<c_void>,
    /// The registers while it has nothing to do.
    idle: General,
}

impl Child {
    /// Starts a process.
    ///
    /// # Errors
    /// If the kernel refuses.
    pub fn start() -> io::Result<Self> {
        let file = memfd_create(c"window", MFdFlags::MFD_CLOEXEC)?;
        ftruncate(&file, BYTES as libc::off_t)?;
        let memory = map(&file, None, 0, BYTES, READ_WRITE)?;
        // SAFETY: the child only makes system calls, and never returns.
        let pid = match unsafe { fork() }? {
            ForkResult::Child => be_traced(&file),
            ForkResult::Parent { child } => child,
        };
        share_a_processor(pid)?;
        waitpid(pid, Some(WaitPidFlag::__WALL))?;
        ptrace::setoptions(
            pid,
            Options::PTRACE_O_EXITKILL | Options::PTRACE_O_TRACESYSGOOD,
        )?;
        let idle = ptrace::getregs(pid)?;
        let mut child = Self { pid, memory, idle };
        child.leave_everything()?;
        Ok(child)
    }

    /// The shared memory: the data before the code, the code, the data after it, and the slots.
    pub fn memory(&mut self) -> &mut [u8] {
        let first = self.memory.cast::<u8>().as_ptr();
        // SAFETY: `BYTES` bytes are mapped there until `self` is dropped, and the process, the only
        // other user, is stopped.
        unsafe { std::slice::from_raw_parts_mut(first, BYTES) }
    }

    /// The idle registers, as defaults for those that do not matter.
    pub const fn idle(&self) -> General {
        self.idle
    }

    /// Reads its general registers.
    ///
    /// # Errors
    /// If it has exited.
    pub fn registers(&self) -> io::Result<General> {
        Ok(ptrace::getregs(self.pid)?)
    }

    /// Reads its extended registers; returns their size in bytes.
    ///
    /// # Errors
    /// If it has exited.
    pub fn vectors(&self, bytes: &mut [u8]) -> io::Result<usize> {
        self.vector_request(libc::PTRACE_GETREGSET, bytes)
    }

    /// Writes its extended registers.
    ///
    /// # Errors
    /// If it has exited, or a value is invalid for its register.
    pub fn set_vectors(&self, bytes: &mut [u8]) -> io::Result<()> {
        self.vector_request(libc::PTRACE_SETREGSET, bytes).map(drop)
    }

    fn vector_request(&self, request: libc::c_uint, bytes: &mut [u8]) -> io::Result<usize> {
        const NT_X86_XSTATE: usize = 0x202;
        let mut part = libc::iovec {
            iov_base: bytes.as_mut_ptr().cast(),
            iov_len: bytes.len(),
        };
        // SAFETY: the kernel stays within the buffer of the iovec, which is borrowed exclusively.
        let result = unsafe {
            libc::ptrace(
                request,
                self.pid.as_raw(),
                NT_X86_XSTATE as *mut c_void,
                ptr::from_mut(&mut part),
            )
        };
        Errno::result(result)?;
        Ok(part.iov_len)
    }

    /// Resumes it with these registers until something stops it, after at most one instruction if
    /// `step`.
    ///
    /// # Errors
    /// If it has exited.
    pub fn go_on(&self, registers: General, step: bool) -> io::Result<Stop> {
        ptrace::setregs(self.pid, registers)?;
        self.resume(step)
    }

    fn resume(&self, step: bool) -> io::Result<Stop> {
        if step {
            ptrace::sysemu_step(self.pid, None)?;
        } else {
            ptrace::sysemu(self.pid, None)?;
        }
        self.stopped()
    }

    fn stopped(&self) -> io::Result<Stop> {
        Ok(match waitpid(self.pid, Some(WaitPidFlag::__WALL))? {
            WaitStatus::Stopped(_, signal @ (Signal::SIGSEGV | Signal::SIGBUS)) => {
                Stop::Signal(signal, self.address()?)
            }
            WaitStatus::Stopped(_, signal) => Stop::Signal(signal, None),
            WaitStatus::PtraceSyscall(_) => Stop::Call,
            _ => Stop::Gone,
        })
    }

    /// The faulting address of the last signal; `None` if the kernel did not report one.
    fn address(&self) -> io::Result<Option<u64>> {
        /// Sent by the kernel without an address.
        const SI_KERNEL: libc::c_int = 0x80;
        let signal = ptrace::getsiginfo(self.pid)?;
        // SAFETY: these bytes of the union are initialized for every signal; any value is valid.
        let address = unsafe { signal.si_addr() };
        Ok((signal.si_code != SI_KERNEL).then_some(address as u64))
    }

    /// Makes it unmap everything but the shared memory, and arm a timer that signals after a while.
    fn leave_everything(&mut self) -> io::Result<()> {
        let timer = [0_u64, LONG, 0, LONG].map(u64::to_le_bytes);
        self.memory()[..32].copy_from_slice(timer.as_flattened());
        let code = PAGE as usize;
        self.memory()[code..code + CALL.len()].copy_from_slice(&CALL);
        if let Some(area) = self.restartable() {
            let (bytes, signature) = (area[1] & 0xffff_ffff, area[1] >> 32);
            self.call(libc::SYS_rseq, [area[0], bytes, 1, signature])?;
        }
        let behind_slots = SLOTS + SLOT_PAGES * PAGE;
        for (from, to) in [(HIGH + PAGE, END), (behind_slots, LOW), (PAGE, SLOTS)] {
            self.call(libc::SYS_munmap, [from, to - from, 0, 0])?;
        }
        let timer = libc::ITIMER_VIRTUAL as u64;
        self.call(libc::SYS_setitimer, [timer, LOW, 0, 0])
    }

    /// The rseq area that the C library has registered: its address, its size and its signature;
    /// `None` if it has not.
    fn restartable(&self) -> Option<[u64; 2]> {
        const PTRACE_GET_RSEQ_CONFIGURATION: libc::c_uint = 0x420f;
        let mut area = [0_u64; 3];
        // SAFETY: the kernel writes at most the given size of `area`, borrowed exclusively.
        let result = unsafe {
            libc::ptrace(
                PTRACE_GET_RSEQ_CONFIGURATION,
                self.pid.as_raw(),
                size_of_val(&area),
                ptr::from_mut(&mut area),
            )
        };
        (result > 0 && area[0] != 0).then_some([area[0], area[1]])
    }

    fn call(&self, number: libc::c_long, [rdi, rsi, rdx, r10]: [u64; 4]) -> io::Result<()> {
        let registers = General {
            rax: number as u64,
            rdi,
            rsi,
            rdx,
            r10,
            orig_rax: u64::MAX,
            rip: CODE,
            ..self.idle
        };
        ptrace::setregs(self.pid, registers)?;
        ptrace::cont(self.pid, None)?;
        let stop = self.stopped()?;
        let result = self.registers()?.rax;
        if matches!(stop, Stop::Signal(Signal::SIGILL, _)) && result == 0 {
            return Ok(());
        }
        let what = format!("{stop:?}, and system call {number} says {result:x}");
        Err(io::Error::other(what))
    }
}

thread_local! {
    /// This thread's CPU; the next thread gets another.
    static OWN: usize = {
        static NEXT: AtomicUsize = AtomicUsize::new(0);
        let count = std::thread::available_parallelism().map_or(1, usize::from);
        NEXT.fetch_add(1, Ordering::Relaxed) % count
    };
}

/// Pins this thread and its processes to one CPU: handing over between them is faster there. All
/// processes of a thread stay on the same CPU, so that none is left behind on another.
fn share_a_processor(pid: Pid) -> nix::Result<()> {
    let mut one = CpuSet::new();
    one.set(OWN.with(|own| *own))?;
    // Failing to pin only costs speed.
    let _ = sched_setaffinity(pid, &one);
    let _ = sched_setaffinity(Pid::from_raw(0), &one);
    Ok(())
}

/// How long an instruction may run, in microseconds of CPU time.
const LONG: u64 = 50_000;

impl Drop for Child {
    fn drop(&mut self) {
        // It may have exited.
        let _ = nix::sys::signal::kill(self.pid, Signal::SIGKILL);
        let _ = waitpid(self.pid, Some(WaitPidFlag::__WALL));
        // SAFETY: every reference to the mapping borrows `self`.
        let _ = unsafe { munmap(self.memory, BYTES) };
    }
}

/// Maps a part of the memory: anywhere, or where nothing else is.
fn map(
    file: &OwnedFd,
    at: Option<u64>,
    offset: u64,
    bytes: usize,
    allowed: ProtFlags,
) -> nix::Result<NonNull<c_void>> {
    let place = at.map_or(MapFlags::empty(), |_| MapFlags::MAP_FIXED_NOREPLACE);
    let at = at.and_then(|at| NonZeroUsize::new(at as usize));
    let bytes = NonZeroUsize::new(bytes).ok_or(Errno::EINVAL)?;
    let offset = offset as libc::off_t;
    // SAFETY: a new mapping; MAP_FIXED_NOREPLACE does not replace an existing one.
    unsafe {
        mmap(
            at,
            bytes,
            allowed,
            place | MapFlags::MAP_SHARED,
            file,
            offset,
        )
    }
}

/// The process: maps the memory where it belongs, and stops.
fn be_traced(file: &OwnedFd) -> ! {
    let mut offset = 0;
    let mut result = ptrace::traceme();
    for (at, pages, allowed) in PARTS {
        let bytes = pages * PAGE;
        let mapped = map(file, Some(at), offset, bytes as usize, allowed);
        result = result.and(mapped.map(drop));
        offset += bytes;
    }
    if result.is_ok() {
        let _ = raise(Signal::SIGSTOP);
    }
    // SAFETY: it exits immediately, in any state of the process, without running handlers.
    unsafe { libc::_exit(1) }
}
