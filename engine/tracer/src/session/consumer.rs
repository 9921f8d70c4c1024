//! The control side's state of a consumer: an open of the device, with its program and enablings.
//! Protected by the control lock.

use alloc::vec::Vec;
use core::ops::Range;

use engine_abi::{Description, ECBS_MAX};
use engine_dvm::Verified;

use crate::error::Error;
use crate::grow::{OutOfMemory, filled, push};
use crate::platform::Processes;
use crate::registry::{Id, Probe};
use crate::unwind::tables::{Object, Tables};

/// The most consumers at one time.
pub const CONSUMERS_MAX: usize = 32;

/// A consumer's index among [`CONSUMERS_MAX`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ConsumerId(pub(crate) usize);

impl ConsumerId {
    /// The ID for a number from [`ConsumerId::number`].
    pub fn from_number(number: usize) -> Self {
        Self(number)
    }

    /// The number, for a caller that stores IDs as plain integers.
    pub fn number(self) -> usize {
        self.0
    }
}

/// A consumer's state.
#[derive(Debug)]
pub enum State {
    /// Just opened; no program yet.
    New,
    /// Has a program and enables its clauses; nothing is armed.
    Enabling(Verified<Vec<u64>>),
    /// Its probes are armed.
    Active,
    /// Its probes are disarmed: it was stopped, the deadman killed it, or its `GO` failed. Its
    /// buffers can be drained, if `GO` got so far as to allocate them. `END` fired on this CPU if it
    /// was stopped; otherwise it did not fire, and the number is 0.
    Stopped(u32),
    /// Closed, but the live table still refers to it, so its number cannot be reused yet.
    Gone,
}

/// An enabling control block: a clause enabled at a probe.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Ecb {
    /// The probe.
    pub probe: Probe,
    /// The clause's number in the consumer's program.
    pub clause: u32,
}

/// A consumer.
#[derive(Debug)]
pub struct Consumer {
    /// Its state.
    pub state: State,
    /// Number of clauses of its program.
    clauses: u32,
    /// Whether it wants function entries traced by the function tracer where possible.
    pub by_call: bool,
    /// Its ECBs; the EPID is the index plus 1.
    ecbs: Vec<Ecb>,
    /// The unwind tables of its processes, until the session takes them.
    pub tables: Tables,
    /// The address spaces that they are for, by process, held. Whoever drops the consumer drops these.
    pub spaces: Vec<(u32, usize)>,
    /// Its retained enablings, applied also to probes that appear later.
    retained: Vec<RetainedEnabling>,
}

/// The most memory for a consumer's unwind tables, in bytes.
const TABLES_MAX: usize = 64 << 20;

/// The most tables of a consumer.
const OBJECTS_MAX: usize = 4096;

/// A retained enabling: a probe description and the clause to enable at each probe that it matches.
pub type RetainedEnabling = (Description, u32);

/// The most retained enablings of a consumer.
const RETAINED_MAX: usize = 1 << 16;

impl Consumer {
    /// A consumer without program and enablings.
    pub fn new() -> Self {
        Self {
            state: State::New,
            clauses: 0,
            by_call: false,
            ecbs: Vec::new(),
            retained: Vec::new(),
            tables: Tables::default(),
            spaces: Vec::new(),
        }
    }

    /// A closed consumer whose number is still in use.
    pub fn gone() -> Self {
        Self {
            state: State::Gone,
            ..Self::new()
        }
    }

    /// Takes the program; `WrongState` if it already has one.
    pub fn load(&mut self, program: Verified<Vec<u64>>) -> Result<(), Error> {
        match self.state {
            State::New => {
                self.clauses = program.header().clauses;
                self.state = State::Enabling(program);
                Ok(())
            }
            _ => Err(Error::WrongState),
        }
    }

    /// Checks that this clause can be enabled: `WrongState` without a program or when it has
    /// stopped, `Invalid` if there is no such clause.
    pub fn may_enable(&self, clause: u32) -> Result<(), Error> {
        match &self.state {
            State::Enabling(_) | State::Active if clause < self.clauses => Ok(()),
            State::Enabling(_) | State::Active => Err(Error::Invalid),
            _ => Err(Error::WrongState),
        }
    }

    /// Adds an ECB; `TooManyEcbs` at the limit.
    pub fn enable(&mut self, ecb: Ecb) -> Result<(), Error> {
        if self.ecbs.len() >= ECBS_MAX {
            return Err(Error::TooManyEcbs);
        }
        Ok(push(&mut self.ecbs, ecb)?)
    }

    /// Adds a retained enabling; `TooManyEcbs` at the limit.
    pub fn retain(&mut self, enabling: RetainedEnabling) -> Result<(), Error> {
        if self.retained.len() >= RETAINED_MAX {
            return Err(Error::TooManyEcbs);
        }
        Ok(push(&mut self.retained, enabling)?)
    }

    /// The retained enablings, as long as probes can still be enabled for it.
    pub fn retained(&self) -> &[RetainedEnabling] {
        match self.state {
            State::Enabling(_) | State::Active => &self.retained,
            State::New | State::Stopped(_) | State::Gone => &[],
        }
    }

    /// For each number in `numbers`, whether this clause is enabled at that probe of the provider.
    pub fn enabled_at(
        &self,
        clause: u32,
        provider: Id,
        numbers: &Range<usize>,
    ) -> Result<Vec<bool>, OutOfMemory> {
        let mut enabled = filled(numbers.len(), || false)?;
        for ecb in self.ecbs.iter().filter(|ecb| ecb.clause == clause) {
            let number = ecb.probe.of(provider);
            let place = number.and_then(|number| number.checked_sub(numbers.start));
            if let Some(place) = place.and_then(|place| enabled.get_mut(place)) {
                *place = true;
            }
        }
        Ok(enabled)
    }

    /// Adds the unwind table of an object of a process. One without rows is not added; whoever is
    /// about to read a process begins with such, and learns then of a change of its program.
    pub fn unwind(
        &mut self,
        platform: &impl Processes,
        pid: u32,
        object: Object,
    ) -> Result<(), Error> {
        if !matches!(self.state, State::New | State::Enabling(_)) {
            return Err(Error::WrongState);
        }
        let space = self.hold(platform, pid)?;
        if object.rows.is_empty() {
            return Ok(());
        }
        let bytes = size_of_val(&*object.rows).saturating_add(self.tables.bytes());
        if bytes > TABLES_MAX || self.tables.count() >= OBJECTS_MAX {
            return Err(Error::NoRoom);
        }
        Ok(self.tables.add(space, object)?)
    }

    /// The key of a process's address space, held as long as the consumer is open. `NotFound` if it
    /// is another one than in the first request for this process: its tables would be another's.
    fn hold(&mut self, platform: &impl Processes, pid: u32) -> Result<usize, Error> {
        let key = platform.space_hold(pid)?;
        let known = self.spaces.iter().find(|(of, _)| *of == pid);
        let held = match known {
            Some((_, first)) if *first == key => Err(None),
            Some(_) => Err(Some(Error::NotFound)),
            None => push(&mut self.spaces, (pid, key)).map_err(|why| Some(why.into())),
        };
        if held.is_err() {
            platform.space_drop(key);
        }
        match held {
            Ok(()) | Err(None) => Ok(key),
            Err(Some(why)) => Err(why),
        }
    }

    /// Takes the program out, for the session; afterwards the state is `Stopped` until the caller
    /// sets it.
    pub fn take_program(&mut self) -> Result<Verified<Vec<u64>>, Error> {
        match core::mem::replace(&mut self.state, State::Stopped(0)) {
            State::Enabling(program) => Ok(program),
            other => {
                self.state = other;
                Err(Error::WrongState)
            }
        }
    }

    /// Whether its probes are armed.
    pub fn is_active(&self) -> bool {
        matches!(self.state, State::Active)
    }

    /// Whether it has a program and has not begun to trace.
    pub fn is_enabling(&self) -> bool {
        matches!(self.state, State::Enabling(_))
    }

    /// Its ECBs in the order of their EPIDs.
    pub fn ecbs(&self) -> impl Iterator<Item = (u32, Ecb)> {
        (1..).zip(self.ecbs.iter().copied())
    }

    /// The ECB of an EPID.
    pub fn ecb(&self, epid: u32) -> Option<Ecb> {
        self.ecbs.get((epid as usize).checked_sub(1)?).copied()
    }
}
