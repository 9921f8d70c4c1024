//! A count of 64 bits that one counts and others look at.
//!
//! On a processor of 32 bits an atomic of 64 is read and written in loops, which cost more than two words
//! and a look whether the lower one has come round.

use core::sync::atomic::{AtomicUsize, Ordering};

/// How often something was.
#[derive(Debug, Default)]
pub struct Count {
    low: AtomicUsize,
    /// How often `low` has come round: where that has 64 bits, never.
    high: AtomicUsize,
}

impl Count {
    /// Counts one. Only one at a time does.
    #[inline]
    pub fn add_one(&self) {
        let low = self.low.load(Ordering::Relaxed).wrapping_add(1);
        self.low.store(low, Ordering::Relaxed);
        if low == 0 {
            let high = self.high.load(Ordering::Relaxed);
            self.high.store(high.wrapping_add(1), Ordering::Release);
        }
    }

    /// How often that was. Where `low` has just come round, and `high` is not counted yet, it is too little.
    pub fn get(&self) -> u64 {
        loop {
            let high = self.high.load(Ordering::Acquire);
            let low = self.low.load(Ordering::Acquire);
            if self.high.load(Ordering::Relaxed) == high {
                let above = (high as u64).checked_shl(usize::BITS).unwrap_or_default();
                return above | low as u64;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_is_counted_once() {
        let count = Count::default();
        (0..5).for_each(|_| count.add_one());
        assert_eq!(count.get(), 5);
    }

    #[test]
    fn what_comes_round_is_counted_above() {
        let count = Count::default();
        count.low.store(usize::MAX, Ordering::Relaxed);
        count.add_one();
        assert_eq!(count.low.load(Ordering::Relaxed), 0);
        assert_eq!(count.high.load(Ordering::Relaxed), 1);
    }
}
