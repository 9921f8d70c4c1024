//! Clocks: read in user mode where the kernel has put code for that into the process, its vDSO, which a
//! C library calls too.

#![expect(unsafe_code, reason = "calls a function of the vDSO by its address")]

use core::ffi::c_int;
use core::mem::transmute;
use core::sync::atomic::{AtomicUsize, Ordering};

use crate::sys::{self, Timespec};

/// The clocks of `linux/time.h`.
#[derive(Debug, Clone, Copy)]
pub enum ClockId {
    /// Real time.
    Realtime = 0,
    /// Time since boot.
    Monotonic = 1,
    /// CPU time of this thread.
    Thread = 3,
}

type Clock = unsafe extern "C" fn(c_int, *mut Timespec) -> c_int;

/// The vDSO's `clock_gettime`; 0 if there is none.
pub static CLOCK: AtomicUsize = AtomicUsize::new(0);

/// Learns where the vDSO's `clock_gettime` is.
pub fn find(address: usize) {
    CLOCK.store(address, Ordering::Relaxed);
}

/// Where [`CLOCK`] is, and the clock.
pub fn place() -> [usize; 2] {
    [(&raw const CLOCK).addr(), CLOCK.load(Ordering::Relaxed)]
}

/// Nanoseconds of a second.
pub const SECOND: u64 = 1_000_000_000;

/// A clock's time in nanoseconds.
pub fn now(clock: ClockId) -> u64 {
    let time = match CLOCK.load(Ordering::Relaxed) {
        0 => sys::clock_gettime(clock as c_int),
        address => {
            let function: *const () = core::ptr::with_exposed_provenance(address);
            // SAFETY: the command has found it in the vDSO, whose functions have C's types.
            let function = unsafe { transmute::<*const (), Clock>(function) };
            let mut time = Timespec::default();
            // SAFETY: `time` is valid for writes.
            unsafe { function(clock as c_int, &raw mut time) };
            time
        }
    };
    let seconds = time.seconds.cast_unsigned();
    seconds
        .wrapping_mul(SECOND)
        .wrapping_add(time.nanoseconds.cast_unsigned())
}
