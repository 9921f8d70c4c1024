//! The profile provider: probes that fire at a fixed interval, on one CPU (`tick-N`) or on every
//! CPU (`profile-N`).
//!
//! DTrace's default probes always exist. Others are created when a consumer names one, and remain.

use alloc::vec::Vec;

use engine_isa::Arch;

use super::subscriptions::Subscriptions;
use super::{Fires, Provider, Published, argument_at};
use crate::error::Error;
use crate::fire::table::Table;
use crate::grow::{OutOfMemory, push};
use crate::platform::{Context, Platform};
use crate::probe::glob::Pattern;

/// Limit of timers.
pub const TIMERS_MAX: usize = 1000;

/// Shortest interval, in nanoseconds: 5000 Hz.
const SHORTEST: u64 = 200_000;

const SECOND: u64 = 1_000_000_000;

/// The probes that always exist, as in DTrace.
pub const DEFAULTS: [&[u8]; 13] = [
    b"profile-97",
    b"profile-199",
    b"profile-499",
    b"profile-997",
    b"profile-1999",
    b"profile-4001",
    b"profile-4999",
    b"tick-1",
    b"tick-10",
    b"tick-100",
    b"tick-500",
    b"tick-1000",
    b"tick-5000",
];

/// Units of an interval, in nanoseconds.
const UNITS: [(&[u8], u64); 14] = [
    (b"ns", 1),
    (b"nsec", 1),
    (b"us", 1_000),
    (b"usec", 1_000),
    (b"ms", 1_000_000),
    (b"msec", 1_000_000),
    (b"s", SECOND),
    (b"sec", SECOND),
    (b"m", 60 * SECOND),
    (b"min", 60 * SECOND),
    (b"h", 3600 * SECOND),
    (b"hour", 3600 * SECOND),
    (b"d", 86400 * SECOND),
    (b"day", 86400 * SECOND),
];

/// Length of the longest name.
const NAME_MAX: usize = 32;

/// A probe's name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Name {
    bytes: [u8; NAME_MAX],
    length: usize,
}

impl Name {
    fn new(name: &[u8]) -> Option<Self> {
        let mut bytes = [0; NAME_MAX];
        let place = bytes.get_mut(..name.len())?;
        place
            .iter_mut()
            .zip(name)
            .for_each(|(to, from)| *to = *from);
        Some(Self {
            bytes,
            length: name.len(),
        })
    }

    /// The name.
    pub fn bytes(&self) -> &[u8] {
        self.bytes.get(..self.length).unwrap_or_default()
    }
}

/// A probe and its timer.
#[derive(Debug, Clone, Copy)]
pub struct Timer {
    /// The probe's name.
    pub name: Name,
    /// The interval in nanoseconds.
    pub nanoseconds: u64,
    /// Whether it runs on every CPU (`profile-N`) or on one (`tick-N`).
    pub every_cpu: bool,
    /// Active ECBs, over all consumers.
    pub ecbs: u32,
    /// Whether the timer runs.
    pub armed: bool,
}

impl Timer {
    /// Parses a probe name; none if it is not a timer's, is longer than [`NAME_MAX`], or gives an
    /// interval shorter than [`SHORTEST`].
    fn named(name: &[u8]) -> Option<Self> {
        let (time, every_cpu) = match (name.strip_prefix(b"tick-"), name.strip_prefix(b"profile-"))
        {
            (Some(time), _) => (time, false),
            (_, Some(time)) => (time, true),
            _ => return None,
        };
        let nanoseconds = interval(time).filter(|time| *time >= SHORTEST)?;
        Some(Self {
            name: Name::new(name)?,
            nanoseconds,
            every_cpu,
            ecbs: 0,
            armed: false,
        })
    }
}

/// Parses an interval to nanoseconds: a number and a unit. `hz`, the default, is a rate.
fn interval(time: &[u8]) -> Option<u64> {
    let digits = time.iter().take_while(|byte| byte.is_ascii_digit()).count();
    let (digits, unit) = time.split_at_checked(digits)?;
    let number = digits.iter().try_fold(0u64, |number, digit| {
        let digit = u64::from(digit.wrapping_sub(b'0'));
        number.checked_mul(10)?.checked_add(digit)
    })?;
    if unit.is_empty() || unit.eq_ignore_ascii_case(b"hz") {
        return SECOND.checked_div(number);
    }
    let (_, nanoseconds) = UNITS
        .iter()
        .find(|(name, _)| unit.eq_ignore_ascii_case(name))?;
    number.checked_mul(*nanoseconds)
}

/// All timers. One created on demand keeps its number until it is unused and the number is needed
/// for another.
#[derive(Debug)]
pub struct Profile(Vec<Timer>);

impl Profile {
    /// The default probes.
    fn defaults() -> Result<Self, OutOfMemory> {
        let mut profile = Self(Vec::new());
        let mut defaults = DEFAULTS.iter().filter_map(|name| Timer::named(name));
        defaults.try_for_each(|timer| push(&mut profile.0, timer))?;
        Ok(profile)
    }

    /// Creates the probe of this name, unless it exists or the name is invalid. At the limit it
    /// replaces an unused one; `is_used` tells which numbers are enabled.
    fn create(&mut self, name: &[u8], is_used: impl Fn(usize) -> bool) -> Result<(), Error> {
        let Some(timer) = Timer::named(name) else {
            return Ok(());
        };
        if self.0.iter().any(|known| known.name == timer.name) {
            return Ok(());
        }
        if self.0.len() < TIMERS_MAX {
            return Ok(push(&mut self.0, timer)?);
        }
        let mut created = self.0.iter_mut().enumerate().skip(DEFAULTS.len());
        let free = created.find(|(number, known)| !known.armed && !is_used(*number));
        let (_, place) = free.ok_or(Error::NoRoom)?;
        *place = timer;
        Ok(())
    }

    /// The timers, indexed by number.
    pub fn timers(&self) -> &[Timer] {
        &self.0
    }
}

impl<A: Arch> Provider<A> for Profile {
    const NAME: &'static [u8] = b"profile";
    const PROBES_MAX: usize = TIMERS_MAX;

    type Live = Live;

    fn provide<P: Platform>(_: &P) -> Result<Self, OutOfMemory> {
        Self::defaults()
    }

    fn on_demand<P: Platform>(
        &mut self,
        _: &P,
        pattern: &Pattern<'_>,
        is_enabled: &dyn Fn(usize) -> bool,
    ) -> Result<(), Error> {
        let name = pattern.name();
        if !pattern.describes([<Self as Provider<A>>::NAME, b"", b"", name]) {
            return Ok(());
        }
        self.create(name, is_enabled)
    }

    fn numbers(&self) -> usize {
        self.0.len()
    }

    fn names(&self, number: usize) -> Option<[&[u8]; 3]> {
        Some([b"", b"", self.0.get(number)?.name.bytes()])
    }

    fn count(&mut self, number: usize, _: bool, change: &dyn Fn(u32) -> u32) {
        if let Some(timer) = self.0.get_mut(number) {
            timer.ecbs = change(timer.ecbs);
        }
    }

    fn is_armed(&self, number: usize, _: &Subscriptions) -> bool {
        self.0.get(number).is_some_and(|timer| timer.armed)
    }

    fn disarm<P: Platform>(&mut self, platform: &P, _: u32) {
        for (number, timer) in (0..).zip(&mut self.0) {
            if timer.ecbs == 0 && timer.armed {
                platform.timer_stop(number);
                timer.armed = false;
            }
        }
    }

    fn arm<P: Platform>(&mut self, platform: &P, _: u32) {
        for (number, timer) in (0..).zip(&mut self.0) {
            if timer.ecbs > 0 && !timer.armed {
                let started = platform.timer_start(number, timer.nanoseconds, timer.every_cpu);
                timer.armed = started.is_ok();
            }
        }
    }

    fn publish(&mut self, table: &mut Table) -> Result<Live, OutOfMemory> {
        let mut live = Live::default();
        for (number, timer) in (0..).zip(&self.0).filter(|(_, timer)| timer.ecbs > 0) {
            let running = Running {
                number,
                name: timer.name,
                probe: table.add_probe(number as usize, timer.ecbs)?,
            };
            push(&mut live.0, running)?;
        }
        Ok(live)
    }

    fn place(&self, live: &Live, number: usize) -> Option<u32> {
        live.find(number as u32).map(|timer| timer.probe)
    }
}

/// A timer with active ECBs.
#[derive(Debug)]
pub struct Running {
    number: u32,
    /// The probe's name.
    pub name: Name,
    /// Index of its probe in the table.
    pub probe: u32,
}

/// The timers with active ECBs.
#[derive(Debug, Default)]
pub struct Live(Vec<Running>);

impl Live {
    /// The timer of this number.
    pub fn find(&self, number: u32) -> Option<&Running> {
        self.0.iter().find(|timer| timer.number == number)
    }
}

impl Published for Live {
    fn bytes(&self) -> usize {
        self.0.capacity().wrapping_mul(size_of::<Running>())
    }
}

/// A tick.
#[derive(Debug)]
pub struct Fired<'a> {
    /// The probe's name.
    pub name: &'a [u8],
    /// The interrupted kernel pc and user pc; one of them is 0.
    pub pcs: [u64; 2],
}

impl<A: Arch> Fires<A> for Fired<'_> {
    fn names(&self) -> [&[u8]; 3] {
        [b"", b"", self.name]
    }

    fn argument<P: Platform<Regs = A::Regs>>(&self, _: &P, number: u64) -> u64 {
        argument_at(&self.pcs, number)
    }

    fn context(&self) -> Context {
        Context::Tick
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn nanoseconds(name: &str) -> Option<u64> {
        Timer::named(name.as_bytes()).map(|timer| timer.nanoseconds)
    }

    #[test]
    fn a_time_is_a_number_and_a_unit() {
        let cases = [
            ("tick-1", Some(SECOND)),
            ("tick-1hz", Some(SECOND)),
            ("profile-97", Some(10_309_278)),
            ("tick-10s", Some(10 * SECOND)),
            ("tick-10sec", Some(10 * SECOND)),
            ("tick-3ms", Some(3_000_000)),
            ("tick-500msec", Some(500_000_000)),
            ("tick-250us", Some(250_000)),
            ("tick-250000nsec", Some(250_000)),
            ("tick-200000ns", Some(200_000)),
            ("tick-2m", Some(120 * SECOND)),
            ("tick-2min", Some(120 * SECOND)),
            ("tick-1h", Some(3600 * SECOND)),
            ("tick-1hour", Some(3600 * SECOND)),
            ("tick-1d", Some(86400 * SECOND)),
            ("tick-1day", Some(86400 * SECOND)),
            ("tick-5000", Some(200_000)),
            ("tick-5001", None),
            ("tick-199us", None),
            ("tick-0", None),
            ("tick-0s", None),
            ("tick-", None),
            ("tick-s", None),
            ("tick-1x", None),
            ("tick-1 s", None),
            ("tick-*", None),
            ("tick-1*", None),
            ("tock-1", None),
            ("tick-18446744073709551616", None),
            ("tick-99999999999999999d", None),
            ("tick-0000000000000000000000000000000000001", None),
        ];
        for (name, expected) in cases {
            assert_eq!(nanoseconds(name), expected, "{name}");
        }
    }

    #[test]
    fn a_created_timer_exists_once_and_remains() {
        let mut profile = Profile::defaults().unwrap();
        assert_eq!(profile.timers().len(), DEFAULTS.len());
        for name in ["tick-3s", "tick-3s", "nonsense", "tick-1", "profile-3s"] {
            profile.create(name.as_bytes(), |_| false).unwrap();
        }
        let added: Vec<_> = profile.timers()[DEFAULTS.len()..]
            .iter()
            .map(|timer| (timer.name.bytes(), timer.every_cpu))
            .collect();
        assert_eq!(added, [(&b"tick-3s"[..], false), (b"profile-3s", true)]);
    }

    #[test]
    fn at_the_limit_an_unused_timer_is_replaced() {
        let mut profile = Profile::defaults().unwrap();
        let mut create = |seconds, used| {
            let name = std::format!("tick-{seconds}s");
            let created = profile.create(name.as_bytes(), |number| number < used);
            let found = |timer: &Timer| timer.name.bytes() == name.as_bytes();
            (created, profile.timers().iter().position(found))
        };
        let defaults = DEFAULTS.len();
        for seconds in defaults..TIMERS_MAX {
            assert_eq!(create(seconds, usize::MAX), (Ok(()), Some(seconds)));
        }
        assert_eq!(create(5000, usize::MAX), (Err(Error::NoRoom), None));
        assert_eq!(create(5000, 500), (Ok(()), Some(500)));
        assert_eq!(create(500, 0), (Ok(()), Some(defaults)));
        assert_eq!(profile.timers().len(), TIMERS_MAX);
    }
}
