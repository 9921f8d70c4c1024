//! The proc provider: what processes live through, from their making to their end.

mod fire;
pub mod once;

use alloc::vec::Vec;

use engine_isa::Arch;

use super::subscriptions::Subscriptions;
use super::{Fires, Provider, Published, among};
use crate::fire::table::Table;
use crate::grow::{OutOfMemory, push};
use crate::platform::{Event, KERNEL_NAME, Key, Numbers, Platform};

/// One of its probes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Proc {
    /// A process has been made, as its parent sees it.
    Create,
    /// A process is about to begin another program.
    Exec,
    /// It could not.
    ExecFailure,
    /// It has.
    ExecSuccess,
    /// A process ends.
    Exit,
    /// A thread takes a signal.
    SignalHandle,
    /// Somebody sends one.
    SignalSend,
    /// A process has been made, as it sees itself before it first comes to its program.
    Start,
}

impl Proc {
    /// Each, in the order of their IDs.
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

    /// Its name.
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

    /// The event that it fires at. Those of system calls it fires at where the call is one that begins programs.
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

    /// The probe that fires at each such event, if one does.
    pub fn at(event: Event) -> Option<Self> {
        let is_its = |probe: &Self| probe.event() == event && !event.is_of_syscall();
        Self::ALL.into_iter().find(is_its)
    }
}

/// The system calls that begin programs, and which argument of theirs is the path.
const EXECS: [(&[u8], u8); 2] = [(b"execve", 0), (b"execveat", 1)];

/// A system call that begins programs.
#[derive(Debug, Clone, Copy)]
pub struct Exec {
    key: Key,
    /// Which of its arguments is the path.
    pub path: u8,
}

/// The provider.
#[derive(Debug)]
pub struct Procs {
    /// How many active ECBs each probe has, over all consumers.
    ecbs: [u32; Proc::ALL.len()],
    execs: Vec<Exec>,
}

impl Procs {
    /// How many active ECBs that probe has.
    fn wanted(&self, probe: Proc) -> u32 {
        self.ecbs.get(probe as usize).copied().unwrap_or_default()
    }

    /// The probes that fire at that event and are wanted.
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
        platform.each_syscall(&mut |numbered| {
            let exec = EXECS.iter().find(|(name, _)| *name == numbered.name);
            let key = Key::new(numbered.abi, numbered.number.into());
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
        let told = subscriptions.of(event);
        match event.is_of_syscall() {
            true => told.has_all(&self.execs()),
            false => told != Numbers::NONE,
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

/// What firings find of it.
#[derive(Debug)]
pub struct Live {
    /// The numbers of the probes in the table; none has the last, which is what those without ECBs have.
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
    /// The number of that probe in the table.
    pub fn probe(&self, probe: Proc) -> u32 {
        let number = self.probes.get(probe as usize);
        number.copied().unwrap_or(u32::MAX)
    }

    /// The system call of that key, if it begins programs and somebody wants to know.
    pub fn exec(&self, key: Key) -> Option<Exec> {
        self.execs.iter().find(|exec| exec.key == key).copied()
    }
}

impl Published for Live {
    fn bytes(&self) -> usize {
        self.execs.capacity().wrapping_mul(size_of::<Exec>())
    }
}

/// One of its probes fires.
#[derive(Debug)]
pub struct Fired {
    /// Which.
    pub probe: Proc,
    /// Its arguments.
    pub arguments: [u64; 4],
}

impl<A: Arch> Fires<A> for Fired {
    fn names(&self) -> [&[u8]; 3] {
        [KERNEL_NAME, b"", self.probe.name()]
    }

    fn argument<P: Platform<Regs = A::Regs>>(&self, _: &P, number: u64) -> u64 {
        among(&self.arguments, number)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_event_of_a_process_has_its_probe_and_no_system_call_has() {
        for event in Event::ALL {
            let probe = Proc::at(event);
            let has_none = event.is_of_syscall() || event == Event::ProcessGone;
            assert_eq!(probe.is_none(), has_none, "{event:?}");
            assert!(probe.is_none_or(|probe| probe.event() == event));
        }
    }

    #[test]
    fn they_are_ordered_by_their_names() {
        assert!(Proc::ALL.is_sorted_by_key(|probe| probe.name()));
    }
}
