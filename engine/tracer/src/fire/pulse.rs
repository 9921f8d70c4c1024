//! Whether a CPU that fires still runs its threads.

use core::sync::atomic::{AtomicU32, Ordering};

/// For how long a CPU fires and has no beat, in ticks. What lies between two firings that look counts in part only: a
/// CPU that was idle, off or asleep, or whose whole machine stood still, is not one whose beat is late.
#[derive(Debug)]
pub struct Pulse {
    /// [`Pulse::FRESH`] where nobody has fired since the last beat.
    waited: AtomicU32,
    /// When a firing looked last.
    looked: AtomicU32,
}

impl Default for Pulse {
    fn default() -> Self {
        Self {
            waited: AtomicU32::new(Self::FRESH),
            looked: AtomicU32::new(0),
        }
    }
}

impl Pulse {
    const FRESH: u32 = u32::MAX;
    /// How many looks it takes at least to find a beat missed.
    const LOOKS: u32 = 4;

    /// The beat has come.
    pub fn beat(&self) {
        self.waited.store(Self::FRESH, Ordering::Relaxed);
    }

    /// Whether a firing finds that it has been waited for longer than `limit` ticks; 0 is no limit.
    pub fn is_missed(&self, now: u32, limit: u32) -> bool {
        let gap = now.wrapping_sub(self.looked.load(Ordering::Relaxed));
        self.looked.store(now, Ordering::Relaxed);
        let waited = match self.waited.load(Ordering::Relaxed) {
            Self::FRESH => 0,
            waited => waited
                .saturating_add(gap.min(limit / Self::LOOKS + 1))
                .min(Self::FRESH - 1),
        };
        self.waited.store(waited, Ordering::Relaxed);
        limit != 0 && waited > limit
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_beat_is_missed_only_while_something_fires_without_one() {
        let pulse = Pulse::default();
        assert!(!pulse.is_missed(1000, 10), "nothing has fired yet");
        assert!([1002, 1004, 1006, 1008, 1010].map(|now| pulse.is_missed(now, 10)) == [false; 5]);
        assert!(pulse.is_missed(1011, 10));
        assert!(!pulse.is_missed(1012, 0), "there is no limit");
        pulse.beat();
        assert!(!pulse.is_missed(9000, 10));
        assert!(!pulse.is_missed(9002, 10));
    }

    #[test]
    fn a_machine_that_stood_still_has_missed_no_beat() {
        let pulse = Pulse::default();
        assert!([0, 5000, 10_000, 15_000].map(|now| pulse.is_missed(now, 10)) == [false; 4]);
        assert!(
            pulse.is_missed(20_000, 10),
            "it is looked for in vain often"
        );
    }

    #[test]
    fn ticks_wrap_around() {
        let pulse = Pulse::default();
        assert!(!pulse.is_missed(u32::MAX - 1, 8));
        assert!([0, 2, 4].map(|now| pulse.is_missed(now, 8)) == [false; 3]);
        assert!(pulse.is_missed(7, 8));
    }
}
