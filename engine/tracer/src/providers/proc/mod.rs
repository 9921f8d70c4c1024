//! The proc provider: the life of processes, from creation to exit, and signals.
//!
//! A probe fires at one kernel [`Event`], which is subscribed to while the probe has active ECBs.
//! `exec` and `exec-failure` fire at the entry and return of the system calls that execute a
//! program. Events in [`Event::ONCE`] can be reported by several threads of a process; [`once`]
//! picks the first, and relies on [`Event::ProcessGone`], which is therefore subscribed to with
//! them.

mod fire;
pub mod once;

use alloc::vec::Vec;

use engine_isa::Arch;

use super::subscriptions::Subscriptions;
use super::{Fires, Provider, Published, argument_at};
use crate::fire::table::Table;
use crate::grow::{OutOfMemory, push};
use crate::platform::{Event, EventArguments, KERNEL_NAME, Key, Numbers, Platform};

/// A probe of this provider.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Proc {
    /// A process was created, in the parent's context.
    Create,
    /// A process is about to execute another program.
    Exec,
    /// The execution failed.
    ExecFailure,
    /// The execution succeeded.
    ExecSuccess,
    /// A process exits.
    Exit,
    /// A thread takes a signal.
    SignalHandle,
    /// A signal is sent.
    SignalSend,
    /// A process was created, in its own context, before it first returns to user space.
    Start,
}

impl Proc {
    /// All of them, in the order of their IDs.
    pub const ALL: [Self; 8] = [
        Self::Create,
        Self::Exec,
        Self::ExecFailure,
        Self::ExecSuccess,
        Self::Exit,
        Self::SignalHandle,
        Self::SignalSend,
        Self::Start,
    ];

    /// The probe's name.
    pub const fn name(self) -> &'static [u8] {
        match self {
            Self::Create => b"create",
            Self::Exec => b"exec",
            Self::ExecFailure => b"exec-failure",
            Self::ExecSuccess => b"exec-success",
            Self::Exit => b"exit",
            Self::SignalHandle => b"signal-handle",
            Self::SignalSend => b"signal-send",
            Self::Start => b"start",
        }
    }

    /// The event that it fires at; at a system-call event, only for calls that execute a program.
    pub const fn event(self) -> Event {
        match self {
            Self::Create => Event::ProcessCreated,
            Self::Exec => Event::SyscallEntered,
            Self::ExecFailure => Event::SyscallReturned,
            Self::ExecSuccess => Event::ProgramBegun,
            Self::Exit => Event::ProcessExited,
            Self::SignalHandle => Event::SignalHandled,
            Self::SignalSend => Event::SignalSent,
            Self::Start => Event::ProcessStarted,
        }
    }

    /// The probe that fires at each event of this kind, if there is one; none for system-call
    /// events.
    pub fn at(event: Event) -> Option<Self> {
        let is_its = |probe: &Self| probe.event() == event && !event.is_of_syscall();
        Self::ALL.into_iter().find(is_its)
    }
}

/// The system calls that execute a program, and the index of their path argument.
const EXECS: [(&[u8], u8); 2] = [(b"execve", 0), (b"execveat", 1)];

/// A system call that executes a program.
#[derive(Debug, Clone, Copy)]
pub struct Exec {
    key: Key,
    /// Index of the path argument.
    pub path: u8,
}

/// The provider's control side.
#[derive(Debug)]
pub struct Procs {
    /// Active ECBs of each probe, over all consumers.
    ecbs: [u32; Proc::ALL.len()],
    execs: Vec<Exec>,
}

impl Procs {
    /// Active ECBs of a probe.
    fn wanted(&self, probe: Proc) -> u32 {
        self.ecbs.get(probe as usize).copied().unwrap_or_default()
    }

    /// The probes that fire at this event and have active ECBs.
    fn wanted_at(&self, event: Event) -> impl Iterator<Item = Proc> {
        let at = Proc::ALL
            .into_iter()
            .filter(move |probe| probe.event() == event);
        at.filter(|probe| self.wanted(*probe) > 0)
    }

    fn execs(&self) -> Numbers {
        let mut numbers = Numbers::NONE;
        for exec in &self.execs {
            numbers.add(exec.key.abi(), exec.key.number());
        }
        numbers
    }
}

impl<A: Arch> Provider<A> for Procs {
    const NAME: &'static [u8] = b"proc";
    const PROBES_MAX: usize = Proc::ALL.len();

    type Live = Live;

    fn provide<P: Platform>(platform: &P) -> Result<Self, OutOfMemory> {
        let mut execs = Vec::new();
        platform.each_syscall(&mut |call| {
            let exec = EXECS.iter().find(|(name, _)| *name == call.name);
            let key = Key::new(call.abi, call.number.into());
            match exec.zip(key) {
                Some((&(_, path), key)) => push(&mut execs, Exec { key, path }),
                None => Ok(()),
            }
        })?;
        let ecbs = [0; Proc::ALL.len()];
        Ok(Self { ecbs, execs })
    }

    fn numbers(&self) -> usize {
        Proc::ALL.len()
    }

    fn names(&self, number: usize) -> Option<[&[u8]; 3]> {
        Some([KERNEL_NAME, b"", Proc::ALL.get(number)?.name()])
    }

    fn count(&mut self, number: usize, _: bool, change: &dyn Fn(u32) -> u32) {
        if let Some(ecbs) = self.ecbs.get_mut(number) {
            *ecbs = change(*ecbs);
        }
    }

    fn is_armed(&self, number: usize, subscriptions: &Subscriptions) -> bool {
        let Some(event) = Proc::ALL.get(number).map(|probe| probe.event()) else {
            return false;
        };
        let subscribed = subscriptions.of(event);
        match event.is_of_syscall() {
            true => subscribed.has_all(&self.execs()),
            false => subscribed != Numbers::NONE,
        }
    }

    fn wants(&self, event: Event) -> Numbers {
        let is_wanted = |event| self.wanted_at(event).next().is_some();
        match event {
            _ if event.is_of_syscall() && is_wanted(event) => self.execs(),
            Event::ProcessGone if Event::ONCE.into_iter().any(is_wanted) => Numbers::ALL,
            _ if is_wanted(event) => Numbers::ALL,
            _ => Numbers::NONE,
        }
    }

    fn publish(&mut self, table: &mut Table) -> Result<Live, OutOfMemory> {
        let mut live = Live::default();
        for (number, ecbs) in self.ecbs.into_iter().enumerate() {
            if let (1.., Some(place)) = (ecbs, live.probes.get_mut(number)) {
                *place = table.add_probe(number, ecbs)?;
            }
        }
        if [Proc::Exec, Proc::ExecFailure].map(|probe| self.wanted(probe)) != [0; 2] {
            for exec in &self.execs {
                push(&mut live.execs, *exec)?;
            }
        }
        Ok(live)
    }

    fn place(&self, live: &Live, number: usize) -> Option<u32> {
        live.probes.get(number).copied()
    }
}

/// What firings look up.
#[derive(Debug)]
pub struct Live {
    /// Indices of the probes in the table; `u32::MAX`, which no probe has, for those without ECBs.
    probes: [u32; Proc::ALL.len()],
    execs: Vec<Exec>,
}

impl Default for Live {
    fn default() -> Self {
        Self {
            probes: [u32::MAX; Proc::ALL.len()],
            execs: Vec::new(),
        }
    }
}

impl Live {
    /// Index of a probe in the table.
    pub fn probe(&self, probe: Proc) -> u32 {
        let number = self.probes.get(probe as usize);
        number.copied().unwrap_or(u32::MAX)
    }

    /// The system call of this key, if it executes a program and one of its probes is enabled.
    pub fn exec(&self, key: Key) -> Option<Exec> {
        self.execs.iter().find(|exec| exec.key == key).copied()
    }
}

impl Published for Live {
    fn bytes(&self) -> usize {
        self.execs.capacity().wrapping_mul(size_of::<Exec>())
    }
}

/// A firing of this provider.
#[derive(Debug)]
pub struct Fired {
    /// The probe.
    pub probe: Proc,
    /// The probe's arguments.
    pub arguments: EventArguments,
}

impl<A: Arch> Fires<A> for Fired {
    fn names(&self) -> [&[u8]; 3] {
        [KERNEL_NAME, b"", self.probe.name()]
    }

    fn argument<P: Platform<Regs = A::Regs>>(&self, _: &P, number: u64) -> u64 {
        argument_at(&self.arguments, number)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn process_events_have_a_probe_and_system_calls_have_none() {
        for event in Event::ALL {
            let probe = Proc::at(event);
            let has_none = event.is_of_syscall() || event == Event::ProcessGone;
            assert_eq!(probe.is_none(), has_none, "{event:?}");
            assert!(probe.is_none_or(|probe| probe.event() == event));
        }
    }

    #[test]
    fn probes_are_ordered_by_name() {
        assert!(Proc::ALL.is_sorted_by_key(|probe| probe.name()));
    }
}
