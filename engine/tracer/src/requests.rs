//! Requests of a consumer: open, match, enable, go, stop, close. All take the control lock and may
//! sleep.

use alloc::vec::Vec;
use core::mem::take;
use core::sync::atomic::Ordering;

use engine_abi::{Description, Go, Mechanism, PidProbes, PidSite};
use engine_dvm::Verified;
use engine_isa::Arch;

use crate::control::Control;
use crate::error::Error;
use crate::fire::guard::Cpu;
use crate::platform::{Lock, Platform, Rcu};
use crate::probe::glob::Pattern;
use crate::providers::dtrace::DtraceProbe;
use crate::providers::pid::Created;
use crate::session::Session;
use crate::session::consumer::Ecb;
use crate::session::consumer::{Consumer, ConsumerId, State};
use crate::tracer::Tracer;
use crate::unwind::tables::{Object, Tables};

impl<A: Arch, P: Platform<Regs = A::Regs>> Tracer<A, P> {
    /// Allocates a consumer. If every number is in use, those of consumers that were closed without
    /// memory for a smaller live table are freed, should there be memory now.
    pub fn open(&self) -> Result<ConsumerId, Error> {
        self.control.with(|control| {
            if control.is_full() && control.has_gone() {
                let _ = self.rearm(control);
            }
            control.allocate()
        })
    }

    /// Verifies and loads the consumer's program, whose clauses it can then enable.
    pub fn program(&self, id: ConsumerId, block: Vec<u64>) -> Result<(), Error> {
        let program = Verified::new(block).map_err(|_| Error::Invalid)?;
        if program.is_destructive() && !self.platform.allows_destructive() {
            return Err(Error::Destructive);
        }
        self.control
            .with(|control| control.consumer(id)?.load(program))
    }

    /// Creates the probes of a function of a process.
    pub fn pid_probes(&self, id: ConsumerId, request: &PidProbes) -> Result<Created, Error> {
        self.control.with(|control| {
            control.consumer(id)?;
            let pid = &mut control.registry.pid;
            pid.create(&self.platform, id.0, request)
        })
    }

    /// Creates a probe at an instruction that a process's program names.
    pub fn pid_site(&self, id: ConsumerId, request: &PidSite) -> Result<Created, Error> {
        self.control.with(|control| {
            control.consumer(id)?;
            let pid = &mut control.registry.pid;
            pid.create_site(&self.platform, id.0, request)
        })
    }

    /// Adds the unwind table of an object of a process: the consumer's clauses walk over user stacks
    /// by it.
    pub fn unwind(&self, id: ConsumerId, pid: u32, object: Object) -> Result<(), Error> {
        self.control.with(|control| {
            let consumer = control.consumer(id)?;
            consumer.unwind(&self.platform, pid, object)
        })
    }

    /// Disarms the probes of processes that are gone. May sleep.
    pub fn processes_gone(&self) {
        self.control.with(|control| {
            if control.registry.pid.is_any_gone(&self.platform) && self.rearm(control).is_ok() {
                control.registry.pid.close_gone(&self.platform);
                let pid = &control.registry.pid;
                self.held.retain_watched(|space| pid.has_space(space));
            }
        });
    }

    /// Finds the first probe with an ID of at least `id` that `description` matches; returns its ID
    /// and names.
    pub fn probe_match(
        &self,
        description: &Description,
        id: u32,
    ) -> Result<(u32, Description), Error> {
        let mut found = Description::default();
        let id = self.probe_match_to(description, id, &mut found)?;
        Ok((id, found))
    }

    /// Like [`Tracer::probe_match`], with the names written to `found`.
    pub fn probe_match_to(
        &self,
        description: &Description,
        id: u32,
        found: &mut Description,
    ) -> Result<u32, Error> {
        self.control.with(|control| {
            // Only the first call of an iteration creates probes: later calls pass the last ID + 1.
            if id <= 1 {
                control.create_on_demand(&self.platform, description)?;
            }
            let registry = &control.registry;
            let pattern = Pattern::new(description);
            let mut matching = registry.matching(&pattern, id);
            let probe = matching.next().ok_or(Error::NotFound)?;
            registry.describe(probe, found).ok_or(Error::NotFound)
        })
    }

    /// Enables a clause at every probe that `description` matches; returns how many. The
    /// description is retained for modules that are loaded later. A consumer that traces already
    /// can enable probes in processes, which [`Tracer::pid_arm`] arms.
    pub fn enable(
        &self,
        id: ConsumerId,
        description: &Description,
        clause: u32,
    ) -> Result<u32, Error> {
        self.control.with(|control| {
            control.consumer(id)?.may_enable(clause)?;
            if control.consumer(id)?.is_active() {
                return control.enable_in_processes(id, description, clause);
            }
            control.create_on_demand(&self.platform, description)?;
            let Control {
                registry,
                consumers,
                ..
            } = control;
            let consumer = consumers.get_mut(id.0).and_then(Option::as_mut);
            let consumer = consumer.ok_or(Error::NoSuchConsumer)?;
            consumer.retain((*description, clause))?;
            let pattern = Pattern::new(description);
            let mut matching = registry.matching(&pattern, 0);
            matching.try_fold(0u32, |matched, probe| {
                consumer.enable(Ecb { probe, clause })?;
                Ok(matched.wrapping_add(1))
            })
        })
    }

    /// Describes an EPID of the consumer: returns the probe's ID and names, and the clause.
    pub fn eprobe(&self, id: ConsumerId, epid: u32) -> Result<(u32, Description, u32), Error> {
        let mut description = Description::default();
        let (probe, clause) = self.eprobe_to(id, epid, &mut description)?;
        Ok((probe, description, clause))
    }

    /// Like [`Tracer::eprobe`], with the names written to `description`.
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

    /// Allocates the buffers that `go` asks for, arms what the consumer enabled, and fires `BEGIN`.
    /// Stores in `go` the number of ECBs whose probe stayed unarmed, and the CPU on which `BEGIN`
    /// fired.
    ///
    /// If this fails, the consumer can only be closed.
    pub fn go(&self, id: ConsumerId, go: &mut Go) -> Result<(), Error> {
        let place = self.sessions.get(id.0).ok_or(Error::NoSuchConsumer)?;
        let mechanism = Mechanism::from_code(go.mechanism).ok_or(Error::Invalid)?;
        let by_call = self.uses_ftrace(mechanism)?;
        self.control.with(|control| {
            let consumer = control.consumer(id)?;
            let program = consumer.take_program()?;
            // Not before: the ECBs of an active consumer are counted by its mechanism.
            consumer.by_call = by_call;
            let tables = take(&mut consumer.tables);
            self.begin_session(consumer, (program, tables), go, place)?;
            control.activate(id)?;
            control.calls.allow_retry();
            self.start_deadman(control);
            let armed = self.rearm(control);
            if armed.is_err() {
                self.disarm(control, id);
                self.count_active(control);
            }
            armed?;
            go.unarmed = control.unarmed(id)?;
            go.cpu = self.fire_dtrace_probe(id, DtraceProbe::Begin);
            self.with_session(id.0, |session| {
                session.ask();
                session.activity.begin();
            });
            Ok(())
        })
    }

    /// Starts the deadman. This precedes arming: a clause that stalls a CPU from its first firing
    /// on would leave no time to start it later.
    fn start_deadman(&self, control: &Control<A>) {
        self.count_active(control);
        let limit = self.platform.deadman_start();
        self.stall_limit.store(limit, Ordering::Relaxed);
        self.cpus.iter().for_each(Cpu::beat);
    }

    #[inline(never)]
    fn begin_session(
        &self,
        consumer: &Consumer,
        loaded: (Verified<Vec<u64>>, Tables),
        go: &Go,
        place: &P::Rcu<Session<P>>,
    ) -> Result<(), Error> {
        Ok(place.set(self.session(consumer, loaded, go)?)?)
    }

    /// Returns the session in the form in which it is published: each move costs its size in stack.
    #[inline(never)]
    fn session(
        &self,
        consumer: &Consumer,
        loaded: (Verified<Vec<u64>>, Tables),
        go: &Go,
    ) -> Result<Option<Session<P>>, Error> {
        let seed = self.platform.with_irqs_off(|| self.platform.random());
        let session = Session::new(loaded, consumer.ecbs(), self.cpus.len(), go, seed)?;
        Ok(Some(session))
    }

    /// Disarms the consumer's probes and fires `END`, if it is active; returns the CPU on which
    /// `END` fired. A further call returns that CPU again. Returns 0 if tracing has not started.
    pub fn stop(&self, id: ConsumerId) -> Result<u32, Error> {
        self.control.with(|control| {
            match control.consumer(id)?.state {
                State::Active => {}
                State::Stopped(cpu) => return Ok(cpu),
                _ => return Ok(0),
            }
            self.with_session(id.0, |session| session.activity.end());
            self.disarm(control, id);
            let cpu = self.fire_dtrace_probe(id, DtraceProbe::End);
            self.with_session(id.0, |session| session.activity.stop());
            control.consumer(id)?.state = State::Stopped(cpu);
            self.count_active(control);
            Ok(cpu)
        })
    }

    pub(crate) fn count_active(&self, control: &Control<A>) {
        let consumers = control.consumers.iter().flatten();
        let active = consumers.filter(|consumer| consumer.is_active()).count();
        self.active.store(active, Ordering::Relaxed);
    }

    /// Disarms the consumer and frees its memory. `END` does not fire. Never fails.
    pub fn close(&self, id: ConsumerId) {
        self.control.with(|control| {
            self.with_session(id.0, |session| session.activity.stop());
            control.deactivate(id);
            let mut spaces = Vec::new();
            if let Ok(consumer) = control.consumer(id) {
                spaces = take(&mut consumer.spaces);
                *consumer = Consumer::gone();
            }
            control.registry.pid.let_go(id.0);
            // Without memory the number stays in use; the text is restored all the same.
            let is_rearmed = self.rearm(control).is_ok();
            // Before address spaces are closed, which waits for their threads.
            self.let_threads_go(id);
            self.let_execs_go(id);
            self.count_active(control);
            if is_rearmed {
                self.release_processes(control);
            }
            if let Some(session) = self.sessions.get(id.0) {
                // Clearing allocates nothing, so it cannot fail.
                let _ = session.set(None);
            }
            // No firing looks for their tables any more.
            for (_, key) in spaces {
                self.platform.space_drop(key);
            }
        });
    }

    /// Closes the address spaces that no consumer wants any more, and forgets all probes in
    /// processes once nobody can refer to one.
    fn release_processes(&self, control: &mut Control<A>) {
        let pid = &mut control.registry.pid;
        let is_none_left = pid.release(&self.platform);
        if is_none_left && control.consumers.iter().all(Option::is_none) {
            pid.clear();
        }
    }
}
