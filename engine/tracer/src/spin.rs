//! A spinlock for the fire path.
//!
//! Spinning is safe there because the holder is on another CPU and releases the lock soon: the
//! critical section is a bounded walk through memory, with interrupts disabled, and what can
//! interrupt it all the same, a trap or an NMI, does not take the lock. A session's locks are taken
//! in firings, and a CPU in a firing starts no other; that of `Once` is taken outside a firing, but
//! only at events of processes, of which none is reported from a trap or an NMI.
//!
//! A CPU stopped for good while it holds the lock (a panic stops the others wherever they are)
//! never releases it. A waiter times out and marks the lock abandoned, so that other CPUs do not
//! wait for it as well.

use core::hint::spin_loop;
use core::sync::atomic::{AtomicU32, Ordering};

const FREE: u32 = 0;
const HELD: u32 = 1;
/// Held, and a waiter has timed out.
const ABANDONED: u32 = 2;

/// Upper bound of [`SPINS`].
const SPINS_MAX: u32 = 1 << 26;

/// How long a waiter spins before it gives up, in nanoseconds. Under a hypervisor the holder's vCPU
/// may be descheduled for a while.
const TIMEOUT_NS: u64 = 250_000_000;

/// Iterations in [`TIMEOUT_NS`]; the upper bound until [`calibrate`] has measured it. `spin_loop`
/// takes from about 4 cycles to about 140 (`pause` since Skylake).
static SPINS: AtomicU32 = AtomicU32::new(SPINS_MAX);

/// Measures how many iterations fit [`TIMEOUT_NS`]. `now` is in nanoseconds; interrupts must be
/// disabled.
pub fn calibrate(now: impl Fn() -> u64) {
    const TRIED: u32 = 1 << 14;
    let lock = Spin(AtomicU32::new(HELD));
    let begin = now();
    lock.take(TRIED);
    let took = now().saturating_sub(begin);
    SPINS.store(spins(TRIED, took), Ordering::Relaxed);
}

/// Iterations that fit [`TIMEOUT_NS`], given that `tried` iterations took `took` nanoseconds.
fn spins(tried: u32, took: u64) -> u32 {
    let spins = TIMEOUT_NS.wrapping_mul(tried.into()).checked_div(took);
    spins.unwrap_or(u64::MAX).clamp(1 << 16, SPINS_MAX.into()) as u32
}

/// A spinlock with a timeout.
#[derive(Debug, Default)]
pub struct Spin(AtomicU32);

impl Spin {
    /// Runs `work` under the lock; returns none, without running it, if the holder does not release
    /// it in time. Only the fire path may call this, with interrupts disabled; neither `work` nor
    /// what may interrupt it may take the lock again.
    pub fn with<R>(&self, work: impl FnOnce() -> R) -> Option<R> {
        self.take(SPINS.load(Ordering::Relaxed)).then(|| {
            let result = work();
            self.0.store(FREE, Ordering::Release);
            result
        })
    }

    fn take(&self, spins: u32) -> bool {
        for _ in 0..spins {
            let seen = self.0.load(Ordering::Relaxed);
            if seen == ABANDONED {
                return false;
            }
            if seen == FREE && self.transition(FREE, HELD) {
                return true;
            }
            spin_loop();
        }
        self.transition(HELD, ABANDONED);
        false
    }

    fn transition(&self, from: u32, to: u32) -> bool {
        let changed = self
            .0
            .compare_exchange(from, to, Ordering::Acquire, Ordering::Relaxed);
        changed.is_ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_timeout_is_a_time_and_not_a_count() {
        // 4 and 140 cycles an iteration, at 3 GHz.
        assert_eq!(spins(3_000_000, 4_000_000), 1 << 26);
        assert_eq!(spins(3_000, 140_000), 5_357_142);
        assert_eq!(spins(1, u64::MAX), 1 << 16);
        assert_eq!(spins(1, 0), 1 << 26, "the clock did not advance");
    }

    #[test]
    fn a_timed_out_waiter_abandons_the_lock_until_it_is_released() {
        let lock = Spin::default();
        let inside = lock.with(|| {
            assert!(!lock.take(3));
            assert_eq!(lock.0.load(Ordering::Relaxed), ABANDONED);
            lock.with(|| ())
        });
        assert_eq!(inside, Some(None), "at once, without spinning");
        assert_eq!(lock.with(|| 7), Some(7));
    }
}
