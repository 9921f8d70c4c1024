//! Calls while all signals are blocked, by system calls whose number is computed.
#![expect(
    unsafe_code,
    reason = "the C library's own functions have constant numbers"
)]

use std::ffi::c_long;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

use crate::calls::frames_call;
use crate::counts::Counts;
use crate::{Error, check, signals};

/// Microseconds between two alarms.
const PERIOD: i32 = 1000;

/// The bytes of a mask.
const SIZE: usize = size_of::<u64>();

/// Calls by the handler.
static HANDLED: AtomicUsize = AtomicUsize::new(0);

/// Makes so many calls while it blocks all signals, and waits so often for one whose handler makes a call.
pub fn call(calls: usize) -> Result<Counts, Error> {
    signals::handle(libc::SIGALRM, |_| {
        let before = HANDLED.load(Relaxed);
        HANDLED.store(frames_call(before), Relaxed);
    })?;
    let but_alarm: u64 = !(1 << (libc::SIGALRM - 1));
    let before = set_mask(u64::MAX)?;
    let sum = (0..calls).fold(0, |sum, _| frames_call(sum));
    check("frames_call", sum, calls)?;
    signals::every(PERIOD)?;
    for _ in 0..calls {
        // SAFETY: the mask outlives the call.
        let ended = unsafe { libc::syscall(libc::SYS_rt_sigsuspend, &raw const but_alarm, SIZE) };
        let errno = std::io::Error::last_os_error().raw_os_error();
        check("sigsuspend", (ended, errno), (-1, Some(libc::EINTR)))?;
    }
    signals::every(0)?;
    set_mask(before)?;
    let handled = HANDLED.load(Relaxed);
    check("an alarm in each wait", handled >= calls, true)?;
    Ok(Counts::default().with("frames_call", calls + handled, calls + handled))
}

/// Sets the mask of blocked signals, and returns what it was.
fn set_mask(mask: u64) -> Result<u64, Error> {
    let mut before: u64 = 0;
    let (new, old) = (&raw const mask, &raw mut before);
    let how = c_long::from(libc::SIG_SETMASK);
    // SAFETY: both masks outlive the call.
    let done = unsafe { libc::syscall(libc::SYS_rt_sigprocmask, how, new, old, SIZE) };
    signals::result(done as std::ffi::c_int)?;
    Ok(before)
}
