//! System calls that only the recorder makes.

#![expect(unsafe_code, reason = "enters the kernel")]

use core::sync::atomic::AtomicU32;
use core::time::Duration;

use syscalls::{Errno, Sysno, syscall};

use super::state::INFO;
use crate::sys::{self, Fd, Timespec};

const MAP_SHARED: usize = 1;
const MAP_PRIVATE: usize = 2;
const MAP_FIXED: usize = 0x10;
const MAP_ANONYMOUS: usize = 0x20;
const MAP_NORESERVE: usize = 0x4000;
const MAP_FIXED_NOREPLACE: usize = 0x10_0000;
const PROT_READ: usize = 1;
const PROT_WRITE: usize = 2;
const PROT_EXEC: usize = 4;

/// The signals that an instruction causes: SIGILL, SIGTRAP, SIGBUS, SIGFPE and SIGSEGV.
pub const FAULTS: u64 = 1 << 3 | 1 << 4 | 1 << 6 | 1 << 7 | 1 << 10;

/// Makes a file of memory of this size.
pub fn memory_file(size: usize) -> Result<Fd, Errno> {
    const MFD_CLOEXEC: usize = 1;
    // SAFETY: the name is terminated.
    let fd = unsafe { syscall!(Sysno::memfd_create, c"trapline".as_ptr(), MFD_CLOEXEC) }?;
    let fd = Fd(fd as core::ffi::c_int);
    // SAFETY: it touches no memory.
    match unsafe { syscall!(Sysno::ftruncate, fd.0, size) } {
        Ok(_) => Ok(fd),
        Err(why) => {
            sys::close(fd);
            Err(why)
        }
    }
}

/// Maps such a file to read and write.
pub fn map_file(file: Fd, size: usize) -> Result<usize, Errno> {
    let flags = MAP_SHARED | MAP_NORESERVE;
    // SAFETY: a new mapping, where nothing is.
    unsafe {
        syscall!(
            Sysno::mmap,
            0,
            size,
            PROT_READ | PROT_WRITE,
            flags,
            file.0,
            0
        )
    }
}

/// Maps such a file to execute, at this address, if nothing is there.
pub fn map_code(file: Fd, address: usize, size: usize) -> Result<(), Errno> {
    let flags = MAP_SHARED | MAP_NORESERVE | MAP_FIXED_NOREPLACE;
    let access = PROT_READ | PROT_EXEC;
    // SAFETY: a new mapping; the kernel refuses one where anything is.
    let mapped = unsafe { syscall!(Sysno::mmap, address, size, access, flags, file.0, 0) }?;
    if mapped == address {
        return Ok(());
    }
    // A kernel that does not know the flag takes the address for a hint.
    // SAFETY: mapped just now, and nobody knows of it.
    let _ = unsafe { sys::unmap(mapped, size) };
    Err(Errno::EEXIST)
}

/// Has a page of a shared mapping of ours replaced by one of the process alone.
///
/// # Safety
/// Nothing refers to the page.
pub unsafe fn make_private(address: usize, size: usize) -> Result<(), Errno> {
    let flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED;
    let access = PROT_READ | PROT_WRITE;
    // SAFETY: the caller's promise.
    unsafe { syscall!(Sysno::mmap, address, size, access, flags, usize::MAX, 0) }.map(drop)
}

/// Has memory of ours read as zeros again, which goes back to the kernel.
pub fn empty(address: usize, size: usize) {
    const MADV_DONTNEED: usize = 4;
    // SAFETY: the caller owns it, and zeros are valid there.
    let _ = unsafe { syscall!(Sysno::madvise, address, size, MADV_DONTNEED) };
}

/// The mask of the runtime. The signal of steps would end the process if it were blocked.
pub const BLOCKED: u64 = !(1 << 4);

/// Blocks signals for the runtime, and returns the mask before.
pub fn block() -> u64 {
    replace_mask(BLOCKED)
}

/// Sets the mask of signals, and returns the one before.
pub fn replace_mask(mask: u64) -> u64 {
    const SIG_SETMASK: usize = 2;
    let mut before = 0u64;
    let size = size_of::<u64>();
    // SAFETY: the kernel reads a mask of this size, and writes another.
    let _ = unsafe {
        syscall!(
            Sysno::rt_sigprocmask,
            SIG_SETMASK,
            &raw const mask,
            &raw mut before,
            size
        )
    };
    before
}

/// Queues a signal for this thread, with its `siginfo_t`.
pub fn queue(info: &[u64; INFO / 8]) {
    let signal = info.first().map_or(0, |word| word & 0xffff_ffff);
    let (process, thread) = (sys::process(), sys::thread());
    // SAFETY: the kernel reads a `siginfo_t`.
    let _ = unsafe {
        syscall!(
            Sysno::rt_tgsigqueueinfo,
            process,
            thread,
            signal,
            info.as_ptr()
        )
    };
}

/// Sets the base of GS.
pub fn set_gs(base: usize) -> Result<(), Errno> {
    const ARCH_SET_GS: usize = 0x1001;
    // SAFETY: nothing of ours is compiled to use GS; routines use it as the base of a state.
    unsafe { syscall!(Sysno::arch_prctl, ARCH_SET_GS, base) }.map(drop)
}

/// Whether there is no such thread.
pub fn is_gone(process: u32, thread: u32) -> bool {
    // SAFETY: no signal is sent.
    let sent = unsafe { syscall!(Sysno::tgkill, process, thread, 0) };
    matches!(sent, Err(Errno::ESRCH | Errno::EINVAL))
}

/// The process's parent.
pub fn parent() -> u32 {
    // SAFETY: it touches no memory.
    unsafe { syscall!(Sysno::getppid) }.unwrap_or_default() as u32
}

/// Waits until `word`, which other processes share, is not `value` any more, or for so long.
pub fn wait_shared(word: &AtomicU32, value: u32, longest: Duration) {
    const FUTEX_WAIT: usize = 0;
    let longest = Timespec::from(longest);
    let time = &raw const longest;
    // SAFETY: `word` is valid, and `longest` for reads.
    let _ = unsafe { syscall!(Sysno::futex, word.as_ptr(), FUTEX_WAIT, value, time) };
}

/// Wakes all that wait for this word, in any process.
pub fn wake_shared(word: &AtomicU32) {
    const FUTEX_WAKE: usize = 1;
    // SAFETY: `word` is valid.
    let _ = unsafe { syscall!(Sysno::futex, word.as_ptr(), FUTEX_WAKE, i32::MAX) };
}

/// Makes any system call.
///
/// # Safety
/// One that the process was about to make, or may make.
pub unsafe fn call(number: u64, arguments: [u64; 6]) -> i64 {
    const UNKNOWN: i64 = -38;
    let [a, b, c, d, e, f] = arguments;
    let Some(number) = Sysno::new(number as usize) else {
        return UNKNOWN;
    };
    // SAFETY: the caller's promise.
    match unsafe { syscall!(number, a, b, c, d, e, f) } {
        Ok(result) => result as i64,
        Err(errno) => -i64::from(errno.into_raw()),
    }
}
