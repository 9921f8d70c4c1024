//! A 64-bit counter with one writer and many readers.
//!
//! On a 32-bit processor a 64-bit atomic is loaded and stored in a retry loop, which costs more
//! than two words and a test for a carry.

use core::sync::atomic::{AtomicUsize, Ordering};

/// A 64-bit counter.
#[derive(Debug, Default)]
pub struct Count {
    low: AtomicUsize,
    /// Carries out of `low`: always 0 where `low` has 64 bits.
    high: AtomicUsize,
}

impl Count {
    /// Adds one. Callers must be serialised.
    #[inline]
    pub fn add_one(&self) {
        let low = self.low.load(Ordering::Relaxed).wrapping_add(1);
        self.low.store(low, Ordering::Relaxed);
        if low == 0 {
            let high = self.high.load(Ordering::Relaxed);
            self.high.store(high.wrapping_add(1), Ordering::Release);
        }
    }

    /// Returns the count. It is too low if `low` has just wrapped and the carry is not stored yet.
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
    fn a_wrap_around_carries() {
        let count = Count::default();
        count.low.store(usize::MAX, Ordering::Relaxed);
        count.add_one();
        assert_eq!(count.low.load(Ordering::Relaxed), 0);
        assert_eq!(count.high.load(Ordering::Relaxed), 1);
    }
}
