//! A lock for the fire path.
//!
//! It may be waited for there since its holder is on another CPU and lets go soon: who holds it is in
//! a firing, so it is not interrupted by what could wait for it (a CPU that is in a firing begins no
//! other), and between taking it and letting go of it there is only a bounded walk through memory.
//!
//! A CPU that is stopped for good while it holds one (a panic stops all others wherever they are) never
//! lets go. Who waits gives up some time, and says so in the lock, so that nobody else waits in vain.

use core::hint::spin_loop;
use core::sync::atomic::{AtomicU32, Ordering};

const FREE: u32 = 0;
const HELD: u32 = 1;
/// Held, and somebody has waited in vain.
const GIVEN_UP: u32 = 2;

/// The most looks.
const LOOKS_MAX: u32 = 1 << 26;

/// How long somebody looks before giving up, in nanoseconds: under a hypervisor the holder's CPU may not run for
/// a while.
const PATIENCE: u64 = 250_000_000;

/// How often that is: until it is measured, the most that it can be. A hint to wait takes from some 4 cycles to some 140
/// (`pause` since Skylake).
static LOOKS: AtomicU32 = AtomicU32::new(LOOKS_MAX);

/// Measures how often a lock can be looked at in that time. `now` is in nanoseconds; nothing interrupts.
pub fn calibrate(now: impl Fn() -> u64) {
    const TRIED: u32 = 1 << 14;
    let lock = Spin(AtomicU32::new(HELD));
    let begin = now();
    lock.take(TRIED);
    let took = now().saturating_sub(begin);
    LOOKS.store(looks(TRIED, took), Ordering::Relaxed);
}

/// As many looks as there is patience for, if so many took so long.
fn looks(tried: u32, took: u64) -> u32 {
    let looks = PATIENCE.wrapping_mul(tried.into()).checked_div(took);
    looks.unwrap_or(u64::MAX).clamp(1 << 16, LOOKS_MAX.into()) as u32
}

/// A lock that is waited for by looking at it.
#[derive(Debug, Default)]
pub struct Spin(AtomicU32);

impl Spin {
    /// Runs `work` while no one else holds the lock; nothing where its holder does not let go. Only
    /// firings may call it, and `work` may not take the lock again.
    pub fn with<R>(&self, work: impl FnOnce() -> R) -> Option<R> {
        self.take(LOOKS.load(Ordering::Relaxed)).then(|| {
            let result = work();
            self.0.store(FREE, Ordering::Release);
            result
        })
    }

    fn take(&self, looks: u32) -> bool {
        for _ in 0..looks {
            let seen = self.0.load(Ordering::Relaxed);
            if seen == GIVEN_UP {
                return false;
            }
            if seen == FREE && self.turn(FREE, HELD) {
                return true;
            }
            spin_loop();
        }
        self.turn(HELD, GIVEN_UP);
        false
    }

    fn turn(&self, from: u32, to: u32) -> bool {
        let turned = self
            .0
            .compare_exchange(from, to, Ordering::Acquire, Ordering::Relaxed);
        turned.is_ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patience_is_a_time_and_not_a_count() {
        // 4 cycles a look, and 140, at 3 GHz.
        assert_eq!(looks(3_000_000, 4_000_000), 1 << 26);
        assert_eq!(looks(3_000, 140_000), 5_357_142);
        assert_eq!(looks(1, u64::MAX), 1 << 16);
        assert_eq!(looks(1, 0), 1 << 26, "a clock that stands still");
    }

    #[test]
    fn who_waits_in_vain_gives_up_for_all_until_it_is_let_go_of() {
        let lock = Spin::default();
        let inside = lock.with(|| {
            assert!(!lock.take(3));
            assert_eq!(lock.0.load(Ordering::Relaxed), GIVEN_UP);
            lock.with(|| ())
        });
        assert_eq!(inside, Some(None), "at once, not after so many looks");
        assert_eq!(lock.with(|| 7), Some(7));
    }
}
