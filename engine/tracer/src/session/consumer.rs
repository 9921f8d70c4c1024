//! Who traces: each open of the device is a consumer, with its own program, enablings and buffers.

use alloc::vec::Vec;
use core::ops::Range;

use engine_abi::{Description, ECBS_MAX};
use engine_dvm::Verified;

use crate::error::Error;
use crate::grow::{OutOfMemory, filled, push};
use crate::registry::{Id, Probe};

/// The most consumers at one time.
pub const CONSUMERS_MAX: usize = 32;

/// A consumer's number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ConsumerId(pub(crate) usize);

impl ConsumerId {
    /// The consumer of this number, as [`ConsumerId::number`] gave it.
    pub fn from_number(number: usize) -> Self {
        Self(number)
    }

    /// The number, to be kept where only numbers can be.
    pub fn number(self) -> usize {
        self.0
    }
}

/// What a consumer is doing.
#[derive(Debug)]
pub enum State {
    /// It has nothing yet.
    New,
    /// It enables clauses of its program; nothing fires for it.
    Enabling(Verified<Vec<u64>>),
    /// Its probes are armed.
    Active,
    /// Its probes are disarmed; what was recorded can be drained. On this CPU `END` fired.
    Stopped(u32),
    /// It is gone, but the live table still names it: its number is not free yet.
    Gone,
}

/// An enabling: a probe, and the clause that it does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Ecb {
    /// The probe.
    pub probe: Probe,
    /// The clause of the consumer's program.
    pub clause: u32,
}

/// A consumer.
#[derive(Debug)]
pub struct Consumer {
    /// What it is doing.
    pub state: State,
    /// Whether it would have the function tracer call where a function is entered.
    pub by_call: bool,
    /// Its enablings. An enabled probe's ID is its index here and one.
    ecbs: Vec<Ecb>,
    /// What it has asked for: probes that come later are enabled, too.
    wishes: Vec<Wish>,
}

/// A description, and the clause of the consumer's program that it wants what is described to do.
pub type Wish = (Description, u32);

/// The most of them.
const WISHES_MAX: usize = 1 << 16;

impl Consumer {
    /// A consumer that has enabled nothing.
    pub fn new() -> Self {
        Self {
            state: State::New,
            by_call: false,
            ecbs: Vec::new(),
            wishes: Vec::new(),
        }
    }

    /// What is left of a consumer that closed.
    pub fn gone() -> Self {
        Self {
            state: State::Gone,
            by_call: false,
            ecbs: Vec::new(),
            wishes: Vec::new(),
        }
    }

    /// Takes a program to enable clauses of.
    pub fn load(&mut self, program: Verified<Vec<u64>>) -> Result<(), Error> {
        match self.state {
            State::New => {
                self.state = State::Enabling(program);
                Ok(())
            }
            _ => Err(Error::WrongState),
        }
    }

    /// Whether the clause of this number can be enabled.
    pub fn may_enable(&self, clause: u32) -> Result<(), Error> {
        match &self.state {
            State::Enabling(program) if clause < program.header().clauses => Ok(()),
            State::Enabling(_) => Err(Error::Invalid),
            _ => Err(Error::WrongState),
        }
    }

    /// Enables a clause at a probe.
    pub fn enable(&mut self, ecb: Ecb) -> Result<(), Error> {
        if self.ecbs.len() >= ECBS_MAX {
            return Err(Error::TooManyEcbs);
        }
        Ok(push(&mut self.ecbs, ecb)?)
    }

    /// Remembers what it has asked for.
    pub fn wish(&mut self, wish: Wish) -> Result<(), Error> {
        if self.wishes.len() >= WISHES_MAX {
            return Err(Error::TooManyEcbs);
        }
        Ok(push(&mut self.wishes, wish)?)
    }

    /// What it has asked for, as long as it still can be given something.
    pub fn wishes(&self) -> &[Wish] {
        match self.state {
            State::Enabling(_) | State::Active => &self.wishes,
            State::New | State::Stopped(_) | State::Gone => &[],
        }
    }

    /// At which of that provider's probes of these numbers it has enabled that clause.
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

    /// Its program, which it has no more: from here on it can only be active, or stopped.
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

    /// Its enablings in order, each with its ID.
    pub fn ecbs(&self) -> impl Iterator<Item = (u32, Ecb)> {
        (1..).zip(self.ecbs.iter().copied())
    }

    /// The enabling of this ID.
    pub fn ecb(&self, epid: u32) -> Option<Ecb> {
        self.ecbs.get((epid as usize).checked_sub(1)?).copied()
    }
}
