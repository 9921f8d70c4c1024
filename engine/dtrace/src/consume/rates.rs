//! Rates of periodic work.

use std::time::{Duration, Instant};

use engine_abi::BufferPolicy;

use crate::setting::Settings;

/// The periodic work of a consumer.
pub struct Rates {
    /// Reading the status.
    pub status: Rate,
    /// Draining aggregations.
    pub aggregation: Rate,
    /// Draining principal buffers.
    pub switch: Rate,
}

/// Work that is due once per interval.
pub struct Rate {
    interval: Duration,
    last: Option<Instant>,
}

/// The shortest sleep between turns, whatever the options say, so that the command does not hog a
/// CPU.
const MIN_IDLE: Duration = Duration::from_millis(1);

/// The longest interval between status requests, whatever the options say, or the deadman would
/// take the command for dead.
const MAX_STATUS_INTERVAL: Duration = Duration::from_secs(5);

impl Rates {
    /// The rates set by options; everything is due at first.
    pub fn new(settings: &Settings) -> Self {
        let rate = |interval| Rate {
            interval,
            last: None,
        };
        Self {
            status: rate(settings.status_rate.min(MAX_STATUS_INTERVAL)),
            aggregation: rate(settings.aggregation_rate),
            switch: rate(settings.switch_rate),
        }
    }

    /// How long until something is due; with the policies `ring` and `fill` only the status is
    /// periodic.
    pub fn idle(&self, policy: BufferPolicy) -> Duration {
        let all = [
            self.status.idle(),
            self.aggregation.idle(),
            self.switch.idle(),
        ];
        match policy {
            BufferPolicy::Switch => all.into_iter().min().unwrap_or_default(),
            _ => self.status.idle(),
        }
    }
}

impl Rate {
    fn idle(&self) -> Duration {
        self.last.map_or(Duration::ZERO, |last| {
            let due = last + self.interval;
            due.saturating_duration_since(Instant::now()).max(MIN_IDLE)
        })
    }

    /// Whether the work is due; if so, it is due again after an interval.
    pub fn is_due(&mut self) -> bool {
        let now = Instant::now();
        match self.last {
            Some(last) if now.duration_since(last) < self.interval => return false,
            Some(last) => self.last = Some(last + self.interval),
            None => self.last = Some(now),
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn work_is_due_at_first_and_then_per_interval() {
        let mut settings = Settings {
            status_rate: Duration::from_secs(1000),
            switch_rate: Duration::ZERO,
            ..Settings::default()
        };
        settings.aggregation_rate = settings.status_rate;
        let mut rates = Rates::new(&settings);
        assert_eq!(rates.idle(BufferPolicy::Switch), Duration::ZERO);
        assert!(rates.status.is_due() && rates.aggregation.is_due() && rates.switch.is_due());
        assert!(!rates.status.is_due());
        assert!(rates.switch.is_due());
        assert_eq!(rates.idle(BufferPolicy::Switch), MIN_IDLE);
        let quiet = rates.idle(BufferPolicy::Ring);
        assert!(quiet > MAX_STATUS_INTERVAL / 2 && quiet <= MAX_STATUS_INTERVAL);
    }
}
