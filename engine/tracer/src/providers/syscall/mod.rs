//! The syscall provider: of every system call that the kernel has a number for, a probe where it is entered and
//! one where it returns.

mod fire;
pub mod in_flight;
pub mod index;

use alloc::vec::Vec;

use engine_isa::Arch;
use index::Live;

use super::subscriptions::Subscriptions;
use super::{Fires, Provider};
use crate::fire::table::Table;
use crate::grow::{OutOfMemory, push};
use crate::platform::{Event, Key, Numbered, Numbers, Platform, errno};
use crate::probe::Role;
use crate::probe::names::{Names, Span};
use crate::sort::sort_by_key;

/// The most calls, those of all ABIs together.
pub const CALLS_MAX: usize = 2048;

/// How a call comes to its end, where that is in a way of its own.
const ENDINGS: [(&[u8], Ending); 6] = [
    (b"execve", Ending::Elsewhere),
    (b"execveat", Ending::Elsewhere),
    (b"exit", Ending::Never),
    (b"exit_group", Ending::Never),
    (b"rt_sigreturn", Ending::Restored),
    (b"sigreturn", Ending::Restored),
];

/// How a call comes to its end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ending {
    /// Its registers tell which call it was, and what it returns.
    Usual,
    /// In another program, perhaps of another ABI, where its number would be another call's.
    Elsewhere,
    /// In what a signal has interrupted, whose registers are back: they have neither its number nor a value of
    /// its.
    Restored,
    /// It does not.
    Never,
}

impl Ending {
    fn of(name: &[u8]) -> Self {
        let known = ENDINGS.iter().find(|(known, _)| *known == name);
        known.map_or(Self::Usual, |(_, ending)| *ending)
    }

    /// Whether it must be remembered from the call's entry on which call it is.
    pub const fn is_remembered(self) -> bool {
        matches!(self, Self::Elsewhere | Self::Restored)
    }
}

/// A system call.
#[derive(Debug)]
pub struct Call {
    /// Which it is.
    pub key: Key,
    /// The names of its ABI and of itself.
    pub names: [Span; 2],
    /// How it comes to its end.
    pub ending: Ending,
    /// How many active ECBs its probes have, over all consumers, by their roles.
    pub ecbs: [u32; 2],
}

impl Call {
    /// Whether it has that probe.
    pub fn has(&self, role: Role) -> bool {
        role == Role::Entry || self.ending != Ending::Never
    }

    /// How many active ECBs that probe has.
    pub fn wanted(&self, role: Role) -> u32 {
        self.ecbs.get(role as usize).copied().unwrap_or_default()
    }

    /// Whether somebody has to see it at its beginning, or at its end.
    fn is_seen(&self, role: Role) -> bool {
        let is_kept = role == Role::Entry && self.ending.is_remembered();
        self.wanted(role) > 0 || is_kept && self.wanted(Role::Return) > 0
    }
}

/// All calls that there are, in the order of their keys.
#[derive(Debug, Default)]
pub struct Syscalls {
    names: Names,
    calls: Vec<Call>,
}

impl Syscalls {
    /// Adds one; `abi` is the ABI that has been named last, and its name.
    fn add(
        &mut self,
        numbered: Numbered<'_>,
        abi: &mut Option<(u32, Span)>,
    ) -> Result<(), OutOfMemory> {
        let key = Key::new(numbered.abi, numbered.number.into());
        let is_known = |key| self.calls.iter().any(|call| call.key == key);
        let Some(key) = key.filter(|key| self.calls.len() < CALLS_MAX && !is_known(*key)) else {
            return Ok(());
        };
        let span = match *abi {
            Some((number, span)) if number == numbered.abi => span,
            _ => self.names.add(numbered.abi_name)?,
        };
        *abi = Some((numbered.abi, span));
        let call = Call {
            key,
            names: [span, self.names.add(numbered.name)?],
            ending: Ending::of(numbered.name),
            ecbs: [0; 2],
        };
        push(&mut self.calls, call)
    }

    /// The calls, by their numbers here.
    pub fn calls(&self) -> &[Call] {
        &self.calls
    }

    /// The names of a call's ABI and of itself.
    pub fn called(&self, call: &Call) -> [&[u8]; 2] {
        call.names.map(|name| self.names.get(name))
    }

    /// The numbers of calls that have to be seen at their beginning, or at their end.
    fn seen(&self, role: Role) -> Numbers {
        let mut numbers = Numbers::NONE;
        for call in self.calls.iter().filter(|call| call.is_seen(role)) {
            // Where it ends in a way of its own, its registers may have any number.
            if role == Role::Return && call.ending.is_remembered() {
                return Numbers::ALL;
            }
            numbers.add(call.key.abi(), call.key.number());
        }
        numbers
    }
}

impl<A: Arch> Provider<A> for Syscalls {
    const NAME: &'static [u8] = b"syscall";
    const PROBES_MAX: usize = CALLS_MAX * Role::ALL.len();

    type Live = Live;

    /// A number that has two names goes by the first.
    fn provide<P: Platform>(platform: &P) -> Result<Self, OutOfMemory> {
        let mut all = Self::default();
        let mut abi = None;
        platform.each_syscall(&mut |numbered| all.add(numbered, &mut abi))?;
        sort_by_key(&mut all.calls, |call| call.key);
        Ok(all)
    }

    fn numbers(&self) -> usize {
        self.calls.len().wrapping_mul(Role::ALL.len())
    }

    fn names(&self, number: usize) -> Option<[&[u8]; 3]> {
        let (call, role) = Role::of(number);
        let call = self.calls.get(call).filter(|call| call.has(role))?;
        let [abi, name] = self.called(call);
        Some([abi, name, role.name()])
    }

    fn count(&mut self, number: usize, _: bool, change: &dyn Fn(u32) -> u32) {
        let (call, role) = Role::of(number);
        let call = self.calls.get_mut(call);
        if let Some(ecbs) = call.and_then(|call| call.ecbs.get_mut(role as usize)) {
            *ecbs = change(*ecbs);
        }
    }

    fn is_armed(&self, number: usize, subscriptions: &Subscriptions) -> bool {
        let (call, role) = Role::of(number);
        let told = subscriptions.of(event(role));
        let call = self.calls.get(call);
        call.is_some_and(|call| told.has(call.key.abi(), call.key.number()))
    }

    fn wants(&self, event: Event) -> Numbers {
        match event {
            Event::SyscallEntered => self.seen(Role::Entry),
            Event::SyscallReturned => self.seen(Role::Return),
            _ => Numbers::NONE,
        }
    }

    fn publish(&mut self, table: &mut Table) -> Result<Live, OutOfMemory> {
        let mut live = Live::default();
        let mut abi = None;
        for (number, call) in self.calls.iter().enumerate() {
            let ecbs = Role::ALL.map(|role| call.wanted(role));
            if ecbs == [0; 2] {
                continue;
            }
            let [abi_name, name] = self.called(call);
            // Calls of an ABI lie together, so its name is added once.
            let [of, _] = call.names;
            let abi_span = match abi {
                Some((known, span)) if known == of => span,
                _ => table.add_name(abi_name)?,
            };
            abi = Some((of, abi_span));
            let mut probes = [0; 2];
            for ((probe, role), ecbs) in probes.iter_mut().zip(Role::ALL).zip(ecbs) {
                *probe = table.add_probe(role.probe_of(number), ecbs)?;
            }
            live.add(index::Call {
                key: call.key,
                names: [abi_span, table.add_name(name)?],
                probes,
                ending: call.ending,
                returns: call.wanted(Role::Return) > 0,
            })?;
        }
        Ok(live)
    }

    fn place(&self, live: &Live, number: usize) -> Option<u32> {
        let (call, role) = Role::of(number);
        let call = live.find(self.calls.get(call)?.key)?;
        call.probes.get(role as usize).copied()
    }
}

/// The event that a probe of that role fires at.
const fn event(role: Role) -> Event {
    match role {
        Role::Entry => Event::SyscallEntered,
        Role::Return => Event::SyscallReturned,
    }
}

/// A system call is entered, or returns.
pub struct Fired<'a, A: Arch> {
    /// The table that has its names.
    pub table: &'a Table,
    /// The call.
    pub call: &'a index::Call,
    /// Which of the two.
    pub at: At<'a, A>,
}

/// Where a system call is.
pub enum At<'a, A: Arch> {
    /// It is entered, with these registers.
    Entry(&'a A::Regs),
    /// It returns this value.
    Return(i64),
}

impl<A: Arch> Fires<A> for Fired<'_, A> {
    fn names(&self) -> [&[u8]; 3] {
        let role = match self.at {
            At::Entry(_) => Role::Entry,
            At::Return(_) => Role::Return,
        };
        let [abi, name] = self.call.names.map(|name| self.table.names().get(name));
        [abi, name, role.name()]
    }

    fn argument<P: Platform<Regs = A::Regs>>(&self, platform: &P, number: u64) -> u64 {
        match self.at {
            At::Entry(regs) => platform.syscall_argument(regs, number),
            At::Return(value) if number < 2 => value as u64,
            At::Return(_) => 0,
        }
    }

    fn errno(&self) -> u64 {
        match self.at {
            At::Entry(_) => 0,
            At::Return(value) => errno(value).unwrap_or_default(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn some_calls_end_in_their_own_way() {
        assert_eq!(Ending::of(b"read"), Ending::Usual);
        assert_eq!(Ending::of(b"exit_group"), Ending::Never);
        assert_eq!(Ending::of(b"rt_sigreturn"), Ending::Restored);
        assert!(Ending::of(b"execveat").is_remembered());
        assert!(!Ending::of(b"exit").is_remembered());
    }
}
