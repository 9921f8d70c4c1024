//! Numbers that have a least and a most.

use std::fmt;
use std::ops::RangeInclusive;
use std::time::Duration;

use serde::de::{self, Deserialize, Deserializer, Unexpected, Visitor};

/// A number of seconds, an hour at most.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TimeLimit(u64);

impl Default for TimeLimit {
    fn default() -> Self {
        Self(30)
    }
}

impl TimeLimit {
    /// As a duration.
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

/// A number of CPUs that a guest can be given.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Cpus(u8);

impl Cpus {
    /// How many.
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

/// The numbers that are right, and what they count. It is asked for the number, and not the number
/// checked afterwards, because only here the error gets the number's place.
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
