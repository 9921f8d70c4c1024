//! Objects that processes open and close while consumers trace.
//!
//! A process's dynamic linker has a site where it reports a change. The thread that hits it waits,
//! in its trap and without any lock, until each consumer that watches the process has created and
//! enabled the probes of what is new, and has had them armed. Others run on.

use engine_abi::{Description, Opened, PidArm, PidProbes, PidRange};
use engine_isa::Arch;

use crate::control::Control;
use crate::error::Error;
use crate::platform::{Context, Lock, Platform};
use crate::probe::glob::Pattern;
use crate::providers::Provider;
use crate::providers::pid::Created;
use crate::registry::{Id, Probe};
use crate::session::consumer::{ConsumerId, Ecb};
use crate::tracer::Tracer;

impl<A: Arch, P: Platform<Regs = A::Regs>> Tracer<A, P> {
    /// Has the consumer watch a process from now on, until it stops. If that cannot be armed, it
    /// watches none.
    pub fn pid_watch(&self, id: ConsumerId, request: &PidProbes) -> Result<Created, Error> {
        self.control.with(|control| {
            let consumer = control.consumer(id)?;
            if !consumer.is_enabling() && !consumer.is_active() {
                return Err(Error::WrongState);
            }
            let pid = &mut control.registry.pid;
            let created = pid.watch(&self.platform, id.0, request)?;
            let mut watched = control.registry.pid.watched(id.0);
            let have_room = watched.all(|(space, pid)| self.held.add(id.0, space.key, pid));
            drop(watched);
            if let Err(why) = self.rearm(control) {
                control.registry.pid.stop_watching(id.0);
                self.let_threads_go(id);
                return Err(why);
            }
            if have_room {
                Ok(created)
            } else {
                Err(Error::NoRoom)
            }
        })
    }

    /// Has each process held that executes a program, or is forked by one with probes, until the consumer
    /// stops.
    pub fn pid_execs(&self, id: ConsumerId) -> Result<(), Error> {
        self.control.with(|control| {
            if !control.consumer(id)?.is_enabling() {
                return Err(Error::WrongState);
            }
            if !self.held.holds_execs() {
                self.platform.hold_execs()?;
            }
            let caller = self.platform.task(Context::Thread);
            self.held.hold_execs(id.0, caller.pid);
            Ok(())
        })
    }

    /// The current process has executed a program or been forked. Returns a ticket, as in [`Hit`]. Does not sleep.
    ///
    /// [`Hit`]: crate::Hit
    pub fn process_begins(&self) -> u32 {
        if !self.held.holds_execs() {
            return 0;
        }
        let task = self.platform.task(Context::Thread);
        let space = self.platform.current_space();
        self.held.begin(space, task.pid, task.ppid)
    }

    /// The current process, which has waited for that, continues. Does not sleep.
    pub fn process_began(&self) {
        self.held.end_begin(self.platform.current_space());
    }

    /// The consumer has no processes held any more that begin. Its threads have been let go.
    pub(crate) fn let_execs_go(&self, id: ConsumerId) {
        if self.held.let_execs_go(id.0) {
            self.platform.let_execs_go();
        }
    }

    /// A process has unmapped an object.
    pub fn pid_unmapped(&self, id: ConsumerId, range: &PidRange) -> Result<(), Error> {
        self.control.with(|control| {
            control.consumer(id)?;
            let pid = &mut control.registry.pid;
            pid.unmapped(&self.platform, id.0, range)
        })
    }

    /// Arms what the consumer has enabled in processes since `GO`, and lets the thread continue that
    /// waits for that, even if it fails.
    pub fn pid_arm(&self, id: ConsumerId, answer: &mut PidArm) -> Result<(), Error> {
        let armed = self
            .control
            .with(|control| match control.consumer(id)?.is_active() {
                false => Err(Error::WrongState),
                true if answer.arm == 0 => Ok(()),
                true => self.rearm(control),
            });
        answer.late = self.held.answer(id.0, answer.opened).into();
        self.platform.wake_held();
        armed
    }

    /// A thread that waits for the consumer, which has not read of it yet. Does not sleep.
    pub fn opened(&self, id: ConsumerId) -> Option<Opened> {
        self.held.read(id.0)
    }

    /// Whether the current thread need not wait for this ticket any longer. Does not sleep.
    pub fn is_released(&self, ticket: u32) -> bool {
        self.held.is_released(self.platform.current_space(), ticket)
    }

    /// The current thread continues without having been released.
    pub fn give_up(&self, ticket: u32) {
        self.held.give_up(self.platform.current_space(), ticket);
    }

    /// The consumer answers nothing any more.
    pub(crate) fn let_threads_go(&self, id: ConsumerId) {
        self.held.retain(|consumer, _| consumer != id.0);
        self.platform.wake_held();
    }
}

impl<A: Arch> Control<A> {
    /// Enables a clause of an active consumer at the probes in processes that `description` matches
    /// and that it is not enabled at; returns their number. `WrongState` if it can match others.
    #[inline(never)]
    pub(crate) fn enable_in_processes(
        &mut self,
        id: ConsumerId,
        description: &Description,
        clause: u32,
    ) -> Result<u32, Error> {
        let Self {
            registry,
            consumers,
            ..
        } = self;
        // That of a process ends with its ID.
        if !description
            .provider()
            .last()
            .is_some_and(u8::is_ascii_digit)
        {
            return Err(Error::WrongState);
        }
        let consumer = consumers.get_mut(id.0).and_then(Option::as_mut);
        let consumer = consumer.ok_or(Error::NoSuchConsumer)?;
        let pattern = Pattern::new(description);
        let all = 0..Provider::<A>::numbers(&registry.pid);
        let enabled = consumer.enabled_at(clause, Id::Pid, &all)?;
        let (mut matched, mut next) = (0u32, 0);
        loop {
            let found = Provider::<A>::matching(&registry.pid, &pattern, next).next();
            let Some(number) = found else {
                return Ok(matched);
            };
            next = number.wrapping_add(1);
            if enabled.get(number).copied().unwrap_or_default() {
                continue;
            }
            let probe = Probe::new(Id::Pid, number);
            consumer.enable(Ecb { probe, clause })?;
            registry.count(probe, consumer.by_call, &|ecbs| ecbs.wrapping_add(1));
            matched = matched.wrapping_add(1);
        }
    }
}
