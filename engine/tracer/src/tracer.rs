//! The engine whole, and its control side: open, match, enable, go, stop, close.

use alloc::vec::Vec;

use engine_abi::{BUFFER_SIZE, Description};

use crate::arm::Unarmed;
use crate::consumer::{CONSUMERS_MAX, Consumer, ConsumerId, State};
use crate::fbt::{self, Fbt};
use crate::fire::Cpu;
use crate::glob::describes;
use crate::grow::{OutOfMemory, filled};
use crate::isa::Isa;
use crate::live::Live;
use crate::platform::{Lock, Platform, Rcu};
use crate::ring::Rings;

/// Why a request was not carried out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Error {
    /// There was no memory for it.
    OutOfMemory,
    /// As many consumers as there can be are there.
    TooManyConsumers,
    /// The consumer has enabled as much as it may.
    TooManyEcbs,
    /// No consumer has this number.
    NoSuchConsumer,
    /// No probe, enabled probe or CPU has this number, or none is left to match.
    NotFound,
    /// The request comes too early or too late: tracing has not begun, or has.
    WrongState,
}

impl From<OutOfMemory> for Error {
    fn from(_: OutOfMemory) -> Self {
        Self::OutOfMemory
    }
}

/// What the control side knows.
#[derive(Debug)]
pub(crate) struct Control<T> {
    pub(crate) fbt: Fbt<T>,
    pub(crate) consumers: [Option<Consumer>; CONSUMERS_MAX],
}

impl<T: Copy> Control<T> {
    pub(crate) fn consumer(&mut self, id: ConsumerId) -> Result<&mut Consumer, Error> {
        self.consumers
            .get_mut(id.0)
            .and_then(Option::as_mut)
            .ok_or(Error::NoSuchConsumer)
    }
}

/// The probe engine.
pub struct Tracer<I: Isa, P: Platform> {
    pub(crate) platform: P,
    pub(crate) control: P::Lock<Control<I::Text>>,
    pub(crate) live: P::Rcu<Live<I::Emulation>>,
    pub(crate) rings: [P::Rcu<Rings>; CONSUMERS_MAX],
    pub(crate) cpus: Vec<Cpu>,
}

impl<I: Isa, P: Platform> Tracer<I, P> {
    /// An engine that knows every function of `platform`, and has armed nothing.
    pub fn new(platform: P) -> Result<Self, OutOfMemory> {
        let fbt = Fbt::provide::<I, P>(&platform)?;
        let cpus = filled(platform.cpus(), Cpu::default)?;
        let consumers = [const { None }; CONSUMERS_MAX];
        Ok(Self {
            platform,
            control: P::Lock::new(Control { fbt, consumers }),
            live: P::Rcu::empty(),
            rings: core::array::from_fn(|_| P::Rcu::empty()),
            cpus,
        })
    }

    /// How many CPUs there can be; they are numbered from 0.
    pub fn cpus(&self) -> usize {
        self.cpus.len()
    }

    /// A new consumer.
    pub fn open(&self) -> Result<ConsumerId, Error> {
        self.control.with(|control| {
            let mut numbered = (0..).zip(control.consumers.iter_mut());
            let (number, free) = numbered
                .find(|(_, place)| place.is_none())
                .ok_or(Error::TooManyConsumers)?;
            *free = Some(Consumer::new());
            Ok(ConsumerId(number))
        })
    }

    /// The first probe from `id` on that `description` matches: its ID and its names.
    pub fn probe_match(
        &self,
        description: &Description,
        id: u32,
    ) -> Result<(u32, Description), Error> {
        self.control.with(|control| {
            let index = matching(&control.fbt, description, (id as usize).saturating_sub(1))
                .next()
                .ok_or(Error::NotFound)?;
            name_of(&control.fbt, index)
        })
    }

    /// Enables every probe that `description` matches; how many.
    pub fn enable(&self, id: ConsumerId, description: &Description) -> Result<u32, Error> {
        self.control.with(|control| {
            let Control { fbt, consumers } = control;
            let consumer = consumers
                .get_mut(id.0)
                .and_then(Option::as_mut)
                .ok_or(Error::NoSuchConsumer)?;
            if consumer.state != State::Enabling {
                return Err(Error::WrongState);
            }
            matching(fbt, description, 0).try_fold(0u32, |matched, probe| {
                consumer.enable(probe as u32)?;
                Ok(matched.wrapping_add(1))
            })
        })
    }

    /// The probe behind one of the consumer's enabled probe IDs: its ID and its names.
    pub fn eprobe(&self, id: ConsumerId, epid: u32) -> Result<(u32, Description), Error> {
        self.control.with(|control| {
            let index = control
                .consumer(id)?
                .probe_of(epid)
                .ok_or(Error::NotFound)?;
            name_of(&control.fbt, index)
        })
    }

    /// Gives the consumer its buffers and arms what it enabled; how many probes stayed unarmed.
    pub fn go(&self, id: ConsumerId, buffer_size: u32) -> Result<Unarmed, Error> {
        let rings = self.rings.get(id.0).ok_or(Error::NoSuchConsumer)?;
        let bytes = if buffer_size == 0 {
            BUFFER_SIZE
        } else {
            buffer_size
        };
        self.control.with(|control| {
            if control.consumer(id)?.state != State::Enabling {
                return Err(Error::WrongState);
            }
            rings.replace(Some(Rings::new(self.cpus.len(), bytes as usize)?))?;
            control.activate(id)?;
            self.rearm(control)
                .inspect_err(|_| self.disarm(control, id))?;
            control.unarmed(id)
        })
    }

    /// Disarms what the consumer enabled, if it was armed.
    pub fn stop(&self, id: ConsumerId) -> Result<(), Error> {
        self.control.with(|control| {
            if control.consumer(id)?.state == State::Active {
                self.disarm(control, id);
            }
            Ok(())
        })
    }

    /// Forgets the consumer: disarms, and frees its buffers. Never fails.
    pub fn close(&self, id: ConsumerId) {
        self.control.with(|control| {
            control.deactivate(id);
            if let Ok(consumer) = control.consumer(id) {
                *consumer = Consumer::gone();
            }
            if self.rearm(control).is_ok() {
                control.forget_gone();
            }
            if let Some(rings) = self.rings.get(id.0) {
                // Nothing is allocated for an empty value, so this cannot fail.
                let _ = rings.replace(None);
            }
        });
    }
}

impl<T: Copy> Control<T> {
    /// Counts the consumer's ECBs at their probes.
    fn activate(&mut self, id: ConsumerId) -> Result<(), Error> {
        self.count(id, State::Active, |ecbs| ecbs.wrapping_add(1))
    }

    /// How many of the consumer's ECBs have a probe that is not armed.
    fn unarmed(&mut self, id: ConsumerId) -> Result<Unarmed, Error> {
        let Self { fbt, consumers } = self;
        let consumer = consumers
            .get(id.0)
            .and_then(Option::as_ref)
            .ok_or(Error::NoSuchConsumer)?;
        let probes = consumer
            .ecbs()
            .filter_map(|(_, probe)| fbt.probes().get(probe));
        Ok(probes.filter(|probe| !probe.armed).count() as Unarmed)
    }

    /// Discounts them, if they were counted.
    pub(crate) fn deactivate(&mut self, id: ConsumerId) {
        if self
            .consumer(id)
            .is_ok_and(|consumer| consumer.state == State::Active)
        {
            let _ = self.count(id, State::Stopped, |ecbs| ecbs.wrapping_sub(1));
        }
    }

    fn count(
        &mut self,
        id: ConsumerId,
        state: State,
        change: impl Fn(u32) -> u32,
    ) -> Result<(), Error> {
        let Self { fbt, consumers } = self;
        let consumer = consumers
            .get_mut(id.0)
            .and_then(Option::as_mut)
            .ok_or(Error::NoSuchConsumer)?;
        consumer.state = state;
        for (_, probe) in consumer.ecbs() {
            if let Some(probe) = fbt.probes_mut().get_mut(probe) {
                probe.ecbs = change(probe.ecbs);
            }
        }
        Ok(())
    }

    /// Frees the numbers of consumers that are gone: the live table names them no more.
    fn forget_gone(&mut self) {
        for place in &mut self.consumers {
            place.take_if(|consumer| consumer.state == State::Gone);
        }
    }
}

/// The indices, from `first` on, of the probes that `description` matches.
fn matching<T: Copy>(
    fbt: &Fbt<T>,
    description: &Description,
    first: usize,
) -> impl Iterator<Item = usize> {
    (0..)
        .zip(fbt.probes())
        .skip(first)
        .filter_map(|(index, probe)| {
            let names = [fbt::PROVIDER, fbt::MODULE, fbt.function(probe), fbt::ENTRY];
            describes(description, names).then_some(index)
        })
}

/// The ID and the names of the probe of this index.
fn name_of<T: Copy>(fbt: &Fbt<T>, index: usize) -> Result<(u32, Description), Error> {
    let probe = fbt.probes().get(index).ok_or(Error::NotFound)?;
    let function = fbt.function(probe);
    let names = Description::new(fbt::PROVIDER, fbt::MODULE, function, fbt::ENTRY);
    Ok((
        (index as u32).wrapping_add(1),
        names.map_err(|_| Error::NotFound)?,
    ))
}
