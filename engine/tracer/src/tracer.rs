//! The engine whole, and its control side: open, match, enable, go, stop, close.

use alloc::vec::Vec;
use core::sync::atomic::{AtomicU32, AtomicUsize, Ordering};

use engine_abi::{Description, Go, Mechanism};
use engine_dvm::Verified;
use engine_isa::Arch;

use crate::arm::{Batch, Unarmed};
use crate::calls::Calls;
use crate::consumer::{CONSUMERS_MAX, Consumer, ConsumerId, Ecb, State};
use crate::fire::Cpu;
use crate::glob::Pattern;
use crate::grow::{OutOfMemory, filled, push};
use crate::live::Live;
use crate::once::Once;
use crate::platform::{Lock, Platform, Rcu};
use crate::providers::dtrace::Own;
use crate::registry::Registry;
use crate::remembered::Remembered;
use crate::session::Session;
use crate::slots::Slots;
use crate::spin;

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
    /// The program is none, or has no such clause, or there is no such policy.
    Invalid,
    /// What was asked for is more than there is room for.
    NoRoom,
    /// The consumer's memory cannot be written.
    Unwritten,
    /// This kernel does not have what was asked for.
    Unsupported,
}

impl From<OutOfMemory> for Error {
    fn from(_: OutOfMemory) -> Self {
        Self::OutOfMemory
    }
}

/// What the control side knows.
#[derive(Debug)]
pub(crate) struct Control<T> {
    pub(crate) registry: Registry<T>,
    pub(crate) slots: Slots,
    pub(crate) batch: Batch,
    pub(crate) calls: Calls,
    /// How many modules came for whose probes there was no memory.
    pub(crate) incomplete: u64,
    /// [`CONSUMERS_MAX`] places: too many for a kernel's stack, which is where an array is made.
    pub(crate) consumers: Vec<Option<Consumer>>,
}

impl<T> Control<T> {
    pub(crate) fn consumer(&mut self, id: ConsumerId) -> Result<&mut Consumer, Error> {
        self.consumers
            .get_mut(id.0)
            .and_then(Option::as_mut)
            .ok_or(Error::NoSuchConsumer)
    }
}

/// The probe engine.
pub struct Tracer<A: Arch, P: Platform<Regs = A::Regs>> {
    pub(crate) platform: P,
    pub(crate) control: P::Lock<Control<A::Text>>,
    pub(crate) live: P::Rcu<Live<A::Emulation>>,
    /// [`CONSUMERS_MAX`] places, for the same reason.
    pub(crate) sessions: Vec<P::Rcu<Session<P>>>,
    pub(crate) cpus: Vec<Cpu<P>>,
    pub(crate) remembered: Remembered,
    pub(crate) once: Once,
    /// How many consumers trace.
    pub(crate) active: AtomicUsize,
    /// How many consumers the deadman has killed as they stalled a CPU, and as they asked for nothing.
    pub(crate) stalled: AtomicUsize,
    pub(crate) silent: AtomicUsize,
    /// How many ticks a CPU may fire without its beat.
    pub(crate) stall_limit: AtomicU32,
}

/// Where the last table could not be replaced, slots are left that nobody uses.
impl<A: Arch, P: Platform<Regs = A::Regs>> Drop for Tracer<A, P> {
    fn drop(&mut self) {
        self.control
            .with(|control| control.slots.release(&self.platform));
    }
}

impl<A: Arch, P: Platform<Regs = A::Regs>> Tracer<A, P> {
    /// An engine that knows every function of `platform`, and has armed nothing.
    #[inline(never)]
    pub fn new(platform: P) -> Result<Self, OutOfMemory> {
        platform.undisturbed(|| spin::calibrate(|| platform.now()));
        let mut cpus = Vec::new();
        for _ in 0..platform.cpus() {
            push(&mut cpus, Cpu::new()?)?;
        }
        let consumers = filled(CONSUMERS_MAX, || None)?;
        Ok(Self {
            control: P::Lock::new(Control {
                registry: Registry::provide::<A, P>(&platform)?,
                slots: Slots::default(),
                batch: Batch::new()?,
                calls: Calls::default(),
                incomplete: 0,
                consumers,
            }),
            live: P::Rcu::empty(),
            sessions: filled(CONSUMERS_MAX, P::Rcu::empty)?,
            cpus,
            remembered: Remembered::new()?,
            once: Once::new()?,
            active: AtomicUsize::new(0),
            stalled: AtomicUsize::new(0),
            silent: AtomicUsize::new(0),
            stall_limit: AtomicU32::new(0),
            platform,
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

    /// Gives the consumer its program, whose clauses it can then enable.
    pub fn program(&self, id: ConsumerId, block: Vec<u64>) -> Result<(), Error> {
        let program = Verified::new(block).map_err(|_| Error::Invalid)?;
        self.control
            .with(|control| control.consumer(id)?.load(program))
    }

    /// The first probe from `id` on that `description` matches: its ID and its names.
    pub fn probe_match(
        &self,
        description: &Description,
        id: u32,
    ) -> Result<(u32, Description), Error> {
        let mut found = Description::default();
        let id = self.probe_match_to(description, id, &mut found)?;
        Ok((id, found))
    }

    /// As [`Tracer::probe_match`], with the names to `found`.
    pub fn probe_match_to(
        &self,
        description: &Description,
        id: u32,
        found: &mut Description,
    ) -> Result<u32, Error> {
        self.control.with(|control| {
            // Who goes on from one that matched has asked.
            if id <= 1 {
                control.ask::<A, P>(&self.platform, description)?;
            }
            let registry = &control.registry;
            let pattern = Pattern::new(description);
            let mut matching = registry.matching(&pattern, id);
            let probe = matching.next().ok_or(Error::NotFound)?;
            registry.describe(probe, found).ok_or(Error::NotFound)
        })
    }

    /// Enables a clause at every probe that `description` matches; how many.
    pub fn enable(
        &self,
        id: ConsumerId,
        description: &Description,
        clause: u32,
    ) -> Result<u32, Error> {
        self.control.with(|control| {
            control.consumer(id)?.may_enable(clause)?;
            control.ask::<A, P>(&self.platform, description)?;
            let Control {
                registry,
                consumers,
                ..
            } = control;
            let consumer = consumers.get_mut(id.0).and_then(Option::as_mut);
            let consumer = consumer.ok_or(Error::NoSuchConsumer)?;
            consumer.wish((*description, clause))?;
            let pattern = Pattern::new(description);
            let mut matching = registry.matching(&pattern, 0);
            matching.try_fold(0u32, |matched, probe| {
                consumer.enable(Ecb { probe, clause })?;
                Ok(matched.wrapping_add(1))
            })
        })
    }

    /// What is behind one of the consumer's enabled probe IDs: the probe's ID and its names, and the
    /// clause.
    pub fn eprobe(&self, id: ConsumerId, epid: u32) -> Result<(u32, Description, u32), Error> {
        let mut description = Description::default();
        let (probe, clause) = self.eprobe_to(id, epid, &mut description)?;
        Ok((probe, description, clause))
    }

    /// As [`Tracer::eprobe`], with the names to `description`.
    pub fn eprobe_to(
        &self,
        id: ConsumerId,
        epid: u32,
        description: &mut Description,
    ) -> Result<(u32, u32), Error> {
        self.control.with(|control| {
            let ecb = control.consumer(id)?.ecb(epid).ok_or(Error::NotFound)?;
            let described = control.registry.describe(ecb.probe, description);
            Ok((described.ok_or(Error::NotFound)?, ecb.clause))
        })
    }

    /// Gives the consumer the memory that `go` asks for, arms what it enabled, and fires `BEGIN`; says
    /// in `go` how many ECBs have a probe that stayed unarmed, and on which CPU `BEGIN` fired.
    ///
    /// Where it fails, the consumer can only be closed.
    pub fn go(&self, id: ConsumerId, go: &mut Go) -> Result<(), Error> {
        let place = self.sessions.get(id.0).ok_or(Error::NoSuchConsumer)?;
        let mechanism = Mechanism::from_code(go.mechanism).ok_or(Error::Invalid)?;
        let by_call = self.is_by_call(mechanism)?;
        self.control.with(|control| {
            control.calls.hope();
            let consumer = control.consumer(id)?;
            consumer.by_call = by_call;
            let program = consumer.take_program()?;
            self.begin_session(consumer, program, go, place)?;
            control.activate(id)?;
            self.start_deadman(control);
            let armed = self.rearm(control);
            if armed.is_err() {
                self.disarm(control, id);
                self.count_active(control);
            }
            armed?;
            go.unarmed = control.unarmed(id)?;
            go.cpu = self.fire_own(id, Own::Begin);
            self.with_session(id.0, |session| {
                session.ask();
                session.activity.begin();
            });
            Ok(())
        })
    }

    /// Before anything is armed: what stalls a CPU from its first firing on leaves no time to begin then.
    fn start_deadman(&self, control: &Control<A::Text>) {
        self.count_active(control);
        let limit = self.platform.deadman_start();
        self.stall_limit.store(limit, Ordering::Relaxed);
        self.cpus.iter().for_each(Cpu::beat);
    }

    #[inline(never)]
    fn begin_session(
        &self,
        consumer: &Consumer,
        program: Verified<Vec<u64>>,
        go: &Go,
        place: &P::Rcu<Session<P>>,
    ) -> Result<(), Error> {
        Ok(place.set(self.session(consumer, program, go)?)?)
    }

    /// As it is published: each time it is moved costs the stack its size.
    #[inline(never)]
    fn session(
        &self,
        consumer: &Consumer,
        program: Verified<Vec<u64>>,
        go: &Go,
    ) -> Result<Option<Session<P>>, Error> {
        let seed = self.platform.undisturbed(|| self.platform.random());
        let session = Session::new(program, consumer.ecbs(), self.cpus.len(), go, seed)?;
        Ok(Some(session))
    }

    /// Disarms what the consumer enabled, if it was armed, and fires `END`; on which CPU that was.
    pub fn stop(&self, id: ConsumerId) -> Result<u32, Error> {
        self.control.with(|control| {
            match control.consumer(id)?.state {
                State::Active => {}
                State::Stopped(cpu) => return Ok(cpu),
                _ => return Ok(0),
            }
            self.with_session(id.0, |session| session.activity.end());
            self.disarm(control, id);
            let cpu = self.fire_own(id, Own::End);
            self.with_session(id.0, |session| session.activity.stop());
            control.consumer(id)?.state = State::Stopped(cpu);
            self.count_active(control);
            Ok(cpu)
        })
    }

    pub(crate) fn count_active(&self, control: &Control<A::Text>) {
        let consumers = control.consumers.iter().flatten();
        let active = consumers.filter(|consumer| consumer.is_active()).count();
        self.active.store(active, Ordering::Relaxed);
    }

    /// Forgets the consumer: disarms, and frees its memory. `END` does not fire. Never fails.
    pub fn close(&self, id: ConsumerId) {
        self.control.with(|control| {
            self.with_session(id.0, |session| session.activity.stop());
            control.deactivate(id);
            if let Ok(consumer) = control.consumer(id) {
                *consumer = Consumer::gone();
            }
            let rearmed = self.rearm(control);
            self.count_active(control);
            if rearmed.is_ok() {
                control.forget_gone();
            }
            if let Some(session) = self.sessions.get(id.0) {
                // Nothing is allocated for an empty value, so this cannot fail.
                let _ = session.set(None);
            }
        });
    }
}

impl<T: Copy + Default + PartialEq + AsRef<[u8]>> Control<T> {
    /// Somebody asks for what `description` describes: what is made only when it is asked for is made.
    pub(crate) fn ask<A: Arch<Text = T>, P: Platform>(
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
        registry.ask::<A, P>(platform, description, is_enabled)
    }

    /// Counts the consumer's ECBs at their probes.
    fn activate(&mut self, id: ConsumerId) -> Result<(), Error> {
        self.count(id, State::Active, |ecbs| ecbs.wrapping_add(1))
    }

    /// How many of the consumer's ECBs have a probe that is not armed.
    fn unarmed(&mut self, id: ConsumerId) -> Result<Unarmed, Error> {
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
    fn forget_gone(&mut self) {
        for place in &mut self.consumers {
            place.take_if(|consumer| matches!(consumer.state, State::Gone));
        }
    }
}
