//! The time that clauses may spin on a CPU: as in DTrace, half of each second.

/// What has been spent of the current interval.
#[derive(Debug, Default)]
pub struct Chill {
    /// When the interval began, on the monotonic clock in nanoseconds.
    began: u64,
    spent: u64,
}

impl Chill {
    /// Nanoseconds of an interval.
    const INTERVAL: u64 = 1_000_000_000;

    /// Nanoseconds that may be spent in each. So a CPU that always fires still has the time for its
    /// threads by which the deadman sees that it is alive.
    pub const MOST: u64 = Self::INTERVAL / 2;

    /// Takes so many nanoseconds; false if that would be too much.
    pub fn takes(&mut self, now: u64, nanoseconds: u64) -> bool {
        if now.wrapping_sub(self.began) > Self::INTERVAL {
            self.began = now;
            self.spent = 0;
        }
        let spent = self.spent.saturating_add(nanoseconds);
        let fits = spent <= Self::MOST;
        if fits {
            self.spent = spent;
        }
        fits
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn half_of_each_second_may_be_spent() {
        let mut chill = Chill::default();
        let begin = 77 * Chill::INTERVAL;
        assert!(!chill.takes(begin, Chill::MOST + 1));
        assert!(!chill.takes(begin, u64::MAX));
        assert!(chill.takes(begin, Chill::MOST - 1));
        assert!(chill.takes(begin + 1, 1));
        assert!(!chill.takes(begin + Chill::INTERVAL, 1));
        assert!(chill.takes(begin + Chill::INTERVAL, 0));
        assert!(chill.takes(begin + Chill::INTERVAL + 1, Chill::MOST));
        assert!(!chill.takes(begin + Chill::INTERVAL + 2, 1));
    }
}
