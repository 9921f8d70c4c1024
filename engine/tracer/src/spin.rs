//! A lock for the fire path.
//!
//! It may be waited for there since its holder is on another CPU and lets go soon: who holds it is in
//! a firing, so it is not interrupted by what could wait for it (a CPU that is in a firing begins no
//! other), and between taking it and letting go of it there is only a bounded walk through memory.

use core::hint::spin_loop;
use core::sync::atomic::{AtomicBool, Ordering};

/// A lock that is waited for by looking at it.
#[derive(Debug, Default)]
pub struct Spin(AtomicBool);

impl Spin {
    /// Runs `work` while no one else holds the lock. Only firings may call it, and `work` may not take
    /// the lock again.
    pub fn with<R>(&self, work: impl FnOnce() -> R) -> R {
        while self.0.swap(true, Ordering::Acquire) {
            while self.0.load(Ordering::Relaxed) {
                spin_loop();
            }
        }
        let result = work();
        self.0.store(false, Ordering::Release);
        result
    }
}
