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

/// How often somebody looks before giving up: for a large part of a second at least, since under a
/// hypervisor the holder's CPU may not run for a while.
const LOOKS: u32 = 1 << 26;

/// A lock that is waited for by looking at it.
#[derive(Debug, Default)]
pub struct Spin(AtomicU32);

impl Spin {
    /// Runs `work` while no one else holds the lock; nothing where its holder does not let go. Only
    /// firings may call it, and `work` may not take the lock again.
    pub fn with<R>(&self, work: impl FnOnce() -> R) -> Option<R> {
        self.take(LOOKS).then(|| {
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
