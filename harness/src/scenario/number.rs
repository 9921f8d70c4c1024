//! Numbers with a range.

use std::fmt;
use std::ops::RangeInclusive;
use std::time::Duration;

use serde::de::{self, Deserialize, Deserializer, Unexpected, Visitor};

/// Seconds, 1 to 3600.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TimeLimit(u64);

impl Default for TimeLimit {
    fn default() -> Self {
        Self(30)
    }
}

impl TimeLimit {
    /// The limit as a duration.
    pub fn duration(self) -> Duration {
        Duration::from_secs(self.0)
    }
}

impl<'de> Deserialize<'de> for TimeLimit {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let seconds = Within(1..=3600, "seconds");
        deserializer.deserialize_any(seconds).map(Self)
    }
}

/// A number of CPUs, 1 to 8.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Cpus(u8);

impl Cpus {
    /// The number.
    pub fn count(self) -> u8 {
        self.0
    }
}

impl<'de> Deserialize<'de> for Cpus {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let cpus = Within(1..=8, "CPUs");
        deserializer.deserialize_any(cpus).map(Self)
    }
}

/// A range and its unit. Used as the visitor rather than for a later check, because only errors of
/// the deserializer carry a place in the file.
struct Within<N>(RangeInclusive<N>, &'static str);

impl<N: TryFrom<u64> + PartialOrd + fmt::Display> Visitor<'_> for Within<N> {
    type Value = N;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} to {} {}", self.0.start(), self.0.end(), self.1)
    }

    fn visit_u64<E: de::Error>(self, number: u64) -> Result<N, E> {
        let wanted = N::try_from(number).ok().filter(|n| self.0.contains(n));
        wanted.ok_or_else(|| E::invalid_value(Unexpected::Unsigned(number), &self))
    }
}
