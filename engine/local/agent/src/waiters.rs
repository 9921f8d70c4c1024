//! Threads that wait outside of a slot, and use the tracer for that.

use core::sync::atomic::{AtomicU32, Ordering};
use core::time::Duration;

use crate::sys;

static WAITERS: AtomicU32 = AtomicU32::new(0);

/// A thread that waits, until this is dropped.
pub struct Waiter;

impl Waiter {
    /// Counts this thread.
    pub fn new() -> Self {
        WAITERS.fetch_add(1, Ordering::SeqCst);
        Self
    }
}

impl Drop for Waiter {
    fn drop(&mut self) {
        WAITERS.fetch_sub(1, Ordering::SeqCst);
    }
}

/// Whether none is left, for which they have two seconds.
pub fn are_gone() -> bool {
    const PAUSE: Duration = Duration::from_millis(1);
    (0..2000).any(|_| {
        let is_none = WAITERS.load(Ordering::SeqCst) == 0;
        if !is_none {
            sys::sleep(PAUSE);
        }
        is_none
    })
}
