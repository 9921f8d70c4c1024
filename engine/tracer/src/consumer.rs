//! Who traces: each open of the device is a consumer, with its own enablings and buffers.

use alloc::vec::Vec;

use engine_abi::ECBS_MAX;

use crate::grow::push;
use crate::tracer::Error;

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
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum State {
    /// It enables; nothing fires for it.
    Enabling,
    /// Its probes are armed.
    Active,
    /// Its probes are disarmed; what was recorded can be drained.
    Stopped,
    /// It is gone, but the live table still names it: its number is not free yet.
    Gone,
}

/// A consumer.
#[derive(Debug)]
pub struct Consumer {
    /// What it is doing.
    pub state: State,
    /// The index of each ECB's probe. An ECB's enabled probe ID is its index here and one.
    ecbs: Vec<u32>,
}

impl Consumer {
    /// A consumer that has enabled nothing.
    pub fn new() -> Self {
        Self {
            state: State::Enabling,
            ecbs: Vec::new(),
        }
    }

    /// What is left of a consumer that closed.
    pub fn gone() -> Self {
        Self {
            state: State::Gone,
            ecbs: Vec::new(),
        }
    }

    /// Enables the probe of this index.
    pub fn enable(&mut self, probe: u32) -> Result<(), Error> {
        if self.ecbs.len() >= ECBS_MAX {
            return Err(Error::TooManyEcbs);
        }
        Ok(push(&mut self.ecbs, probe)?)
    }

    /// Its enablings in order: enabled probe ID and index of the probe.
    pub fn ecbs(&self) -> impl Iterator<Item = (u32, usize)> {
        (1..).zip(self.ecbs.iter().map(|&probe| probe as usize))
    }

    /// The index of the probe behind an enabled probe ID.
    pub fn probe_of(&self, epid: u32) -> Option<usize> {
        let probe = self.ecbs.get((epid as usize).checked_sub(1)?)?;
        Some(*probe as usize)
    }
}
