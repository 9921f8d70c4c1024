//! State of the control path, protected by the control lock.

use alloc::vec::Vec;

use engine_abi::Description;
use engine_isa::Arch;

use crate::error::Error;
use crate::grow::Boxed;
use crate::platform::Platform;
use crate::providers::fbt::calls::Calls;
use crate::registry::Registry;
use crate::session::consumer::{Consumer, ConsumerId, State};
use crate::site::patch::Batch;
use crate::site::slots::Slots;

/// Number of ECBs whose probe is not armed, because its text no longer is what was planned for, or
/// its timer could not be started.
pub type Unarmed = u32;

/// State protected by the control lock.
pub(crate) struct Control<A: Arch> {
    /// On the heap, as it is too large to be moved on a kernel stack.
    pub(crate) registry: Boxed<Registry<A>>,
    pub(crate) slots: Slots,
    pub(crate) batch: Batch,
    pub(crate) calls: Calls,
    /// Modules whose probes could not all be provided or enabled, for lack of memory.
    pub(crate) incomplete: u64,
    /// [`CONSUMERS_MAX`] entries; on the heap, as an array is built on the stack and would not fit
    /// a kernel's.
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
    /// Creates the probes that `description` matches and that are only created on demand.
    pub(crate) fn create_on_demand<P: Platform>(
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

    /// Marks the consumer active and adds its ECBs to their probes' counts.
    pub(crate) fn activate(&mut self, id: ConsumerId) -> Result<(), Error> {
        self.count(id, State::Active, |ecbs| ecbs.wrapping_add(1))
    }

    /// Counts the consumer's ECBs whose probe is not armed.
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

    /// Undoes [`Control::activate`], if the consumer is active.
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
        if !consumer.is_active() {
            registry.pid.stop_watching(id.0);
        }
        for (_, ecb) in consumer.ecbs() {
            registry.count(ecb.probe, consumer.by_call, &change);
        }
        Ok(())
    }

    /// Allocates a consumer.
    pub(crate) fn allocate(&mut self) -> Result<ConsumerId, Error> {
        let mut numbered = (0..).zip(self.consumers.iter_mut());
        let (number, free) = numbered
            .find(|(_, place)| place.is_none())
            .ok_or(Error::TooManyConsumers)?;
        *free = Some(Consumer::new());
        Ok(ConsumerId(number))
    }

    /// Whether all numbers are in use.
    pub(crate) fn is_full(&self) -> bool {
        self.consumers.iter().all(Option::is_some)
    }

    /// Whether a closed consumer's number is still in use.
    pub(crate) fn has_gone(&self) -> bool {
        let mut consumers = self.consumers.iter().flatten();
        consumers.any(|consumer| matches!(consumer.state, State::Gone))
    }

    /// Frees the numbers of closed consumers. The live table must no longer name them.
    pub(crate) fn forget_gone(&mut self) {
        for place in &mut self.consumers {
            place.take_if(|consumer| matches!(consumer.state, State::Gone));
        }
    }
}
