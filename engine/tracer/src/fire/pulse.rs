//! Detects a CPU that fires without ever running its threads.

use core::sync::atomic::{AtomicU32, Ordering};

/// Ticks for which a CPU has been firing without a heartbeat. The gap between two checks is capped:
/// a CPU that was idle, offline or suspended, or whose whole machine was paused, must not count as
/// overdue.
#[derive(Debug)]
pub struct Pulse {
    /// Ticks waited; [`Pulse::FRESH`] if nothing has fired since the last heartbeat.
    waited: AtomicU32,
    /// Tick of the last check.
    last_check: AtomicU32,
}

impl Default for Pulse {
    fn default() -> Self {
        Self {
            waited: AtomicU32::new(Self::FRESH),
            last_check: AtomicU32::new(0),
        }
    }
}

impl Pulse {
    const FRESH: u32 = u32::MAX;
    /// Minimum number of checks before a heartbeat counts as missed.
    const CHECKS: u32 = 4;

    /// Records a heartbeat.
    pub fn beat(&self) {
        self.waited.store(Self::FRESH, Ordering::Relaxed);
    }

    /// Whether, at tick `now`, the heartbeat has been awaited for more than `limit` ticks; a
    /// `limit` of 0 disables the check.
    pub fn is_missed(&self, now: u32, limit: u32) -> bool {
        let gap = now.wrapping_sub(self.last_check.load(Ordering::Relaxed));
        self.last_check.store(now, Ordering::Relaxed);
        let waited = match self.waited.load(Ordering::Relaxed) {
            Self::FRESH => 0,
            waited => waited
                .saturating_add(gap.min(limit / Self::CHECKS + 1))
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
    fn a_paused_machine_has_missed_no_beat() {
        let pulse = Pulse::default();
        assert!([0, 5000, 10_000, 15_000].map(|now| pulse.is_missed(now, 10)) == [false; 4]);
        assert!(
            pulse.is_missed(20_000, 10),
            "enough checks without a heartbeat"
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
