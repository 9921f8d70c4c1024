//! The memory that is shared with the command.

#![expect(unsafe_code, reason = "it is mapped, and stays so")]

use core::sync::atomic::{AtomicU32, AtomicUsize, Ordering};

use engine_abi::path::Header;
use syscalls::Errno;

use super::kernel;
use crate::sys;

static HEADER: AtomicUsize = AtomicUsize::new(0);

/// The process, and the command, which is its parent.
static PROCESS: AtomicU32 = AtomicU32::new(0);
static COMMAND: AtomicU32 = AtomicU32::new(0);

/// Tells where it is.
pub fn set(header: usize) {
    PROCESS.store(sys::process(), Ordering::Relaxed);
    COMMAND.store(kernel::parent(), Ordering::Relaxed);
    HEADER.store(header, Ordering::Release);
}

/// What wakes the command.
pub fn doorbell() -> Option<&'static AtomicU32> {
    let header = HEADER.load(Ordering::Acquire);
    let header: *const Header = core::ptr::with_exposed_provenance(header);
    // SAFETY: null, or the first page of the memory.
    unsafe { header.as_ref() }.map(|header| &header.doorbell)
}

/// Whether the command is still there.
pub fn is_claimed() -> bool {
    let command = COMMAND.load(Ordering::Relaxed);
    match sys::process() == PROCESS.load(Ordering::Relaxed) {
        true => kernel::parent() == command,
        // One with the same memory has another parent.
        false => sys::kill(command, 0) != Err(Errno::ESRCH),
    }
}
