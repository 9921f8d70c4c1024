//! What the control side knows, behind the control lock.

use alloc::vec::Vec;

use engine_abi::Description;
use engine_isa::Arch;

use crate::error::Error;
use crate::platform::Platform;
use crate::providers::fbt::calls::Calls;
use crate::registry::Registry;
use crate::session::consumer::{Consumer, ConsumerId, State};
use crate::site::patch::Batch;
use crate::site::slots::Slots;

/// How many ECBs have a probe that is not armed: its text is not what was planned for any more, or its
/// timer could not be started.
pub type Unarmed = u32;

/// What the control side knows.
pub(crate) struct Control<A: Arch> {
    pub(crate) registry: Registry<A>,
    pub(crate) slots: Slots,
    pub(crate) batch: Batch,
    pub(crate) calls: Calls,
    /// How many modules came for whose probes there was no memory.
    pub(crate) incomplete: u64,
    /// [`CONSUMERS_MAX`] places: too many for a kernel's stack, which is where an array is made.
    pub(crate) consumers: Vec<Option<Consumer>>,
}

impl<A: Arch> Control<A> {
    pub(crate) fn consumer(&mut self, id: ConsumerId) -> Result<&mut Consumer, Error> {
        self.consumers
            .get_mut(id.0)
            .and_then(Option::as_mut)
            .ok_or(Error::NoSuchConsumer)
    }
}

impl<A: Arch> Control<A> {
    /// Somebody asks for what `description` describes: what is made only when it is asked for is made.
    pub(crate) fn ask<P: Platform>(
        &mut self,
        platform: &P,
        description: &Description,
    ) -> Result<(), Error> {
        let Self {
            registry,
            consumers,
            ..
        } = self;
        let is_enabled = |probe| {
            let mut consumers = consumers.iter().flatten();
            consumers.any(|consumer| consumer.ecbs().any(|(_, ecb)| ecb.probe == probe))
        };
        registry.on_demand(platform, description, &is_enabled)
    }

    /// Counts the consumer's ECBs at their probes.
    pub(crate) fn activate(&mut self, id: ConsumerId) -> Result<(), Error> {
        self.count(id, State::Active, |ecbs| ecbs.wrapping_add(1))
    }

    /// How many of the consumer's ECBs have a probe that is not armed.
    pub(crate) fn unarmed(&mut self, id: ConsumerId) -> Result<Unarmed, Error> {
        let Self {
            registry,
            consumers,
            ..
        } = self;
        let consumer = consumers
            .get(id.0)
            .and_then(Option::as_ref)
            .ok_or(Error::NoSuchConsumer)?;
        let unarmed = consumer
            .ecbs()
            .filter(|(_, ecb)| !registry.is_armed(ecb.probe));
        Ok(unarmed.count() as Unarmed)
    }

    /// Discounts them, if they were counted.
    pub(crate) fn deactivate(&mut self, id: ConsumerId) {
        if self.consumer(id).is_ok_and(|consumer| consumer.is_active()) {
            let _ = self.count(id, State::Stopped(0), |ecbs| ecbs.wrapping_sub(1));
        }
    }

    fn count(
        &mut self,
        id: ConsumerId,
        state: State,
        change: impl Fn(u32) -> u32,
    ) -> Result<(), Error> {
        let Self {
            registry,
            consumers,
            ..
        } = self;
        let consumer = consumers
            .get_mut(id.0)
            .and_then(Option::as_mut)
            .ok_or(Error::NoSuchConsumer)?;
        consumer.state = state;
        for (_, ecb) in consumer.ecbs() {
            registry.count(ecb.probe, consumer.by_call, &change);
        }
        Ok(())
    }

    /// Frees the numbers of consumers that are gone: the live table names them no more.
    pub(crate) fn forget_gone(&mut self) {
        for place in &mut self.consumers {
            place.take_if(|consumer| matches!(consumer.state, State::Gone));
        }
    }
}
