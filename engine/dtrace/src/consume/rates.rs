//! When what is done again and again is due.

use std::time::{Duration, Instant};

use engine_abi::BufferPolicy;

use crate::setting::Settings;

/// When what is due.
pub struct Rates {
    /// It is asked what was lost, and whether tracing is to end.
    pub status: Rate,
    /// Aggregations are taken.
    pub aggregation: Rate,
    /// Principal buffers are drained.
    pub switch: Rate,
}

/// Something that is done again and again.
pub struct Rate {
    interval: Duration,
    last: Option<Instant>,
}

/// However often options want something done, the CPU is to be had for something else in between.
const BREATH: Duration = Duration::from_millis(1);

/// However seldom options want it, the engine is asked for its status so often, or its deadman would take the command for
/// one that hangs.
const SIGN_OF_LIFE: Duration = Duration::from_secs(5);

impl Rates {
    /// As options say; all of it is due at once.
    pub fn new(settings: &Settings) -> Self {
        let rate = |interval| Rate {
            interval,
            last: None,
        };
        Self {
            status: rate(settings.status_rate.min(SIGN_OF_LIFE)),
            aggregation: rate(settings.aggregation_rate),
            switch: rate(settings.switch_rate),
        }
    }

    /// Until what is next is due; buffers that do not switch are only taken at the end.
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
            due.saturating_duration_since(Instant::now()).max(BREATH)
        })
    }

    /// Whether it is time for it, which it then is not for an interval.
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
    fn everything_is_due_at_once_and_then_after_its_interval() {
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
        assert_eq!(rates.idle(BufferPolicy::Switch), BREATH);
        let quiet = rates.idle(BufferPolicy::Ring);
        assert!(quiet > SIGN_OF_LIFE / 2 && quiet <= SIGN_OF_LIFE);
    }
}
