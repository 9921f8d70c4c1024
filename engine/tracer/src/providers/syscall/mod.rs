//! The syscall provider: an entry and a return probe for every system call in the kernel's tables.
//!
//! The kernel reports calls through its tracepoints, for the numbers that are subscribed to, in the
//! thread's own context. [`index`] is what firings look up. At some returns the registers no longer
//! identify the call ([`Ending`]); such threads are recorded [`in_flight`] at the entry, and their
//! returns are subscribed to for all numbers.

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
use crate::platform::{Event, Key, Numbers, Platform, SystemCall, errno};
use crate::probe::Role;
use crate::probe::names::{Names, Span};
use crate::sort::sort_by_key;

/// Limit of calls, over all ABIs.
pub const CALLS_MAX: usize = 2048;

/// The calls that do not return in the usual way.
const ENDINGS: [(&[u8], Ending); 6] = [
    (b"execve", Ending::Elsewhere),
    (b"execveat", Ending::Elsewhere),
    (b"exit", Ending::Never),
    (b"exit_group", Ending::Never),
    (b"rt_sigreturn", Ending::Restored),
    (b"sigreturn", Ending::Restored),
];

/// How a system call returns.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ending {
    /// The registers at the return identify the call and its value.
    Usual,
    /// In a new program, possibly of another ABI, where the number is that of another call.
    Elsewhere,
    /// In the code that a signal interrupted, with its registers restored: they hold neither the
    /// call's number nor a return value.
    Restored,
    /// It does not return.
    Never,
}

impl Ending {
    fn of(name: &[u8]) -> Self {
        let known = ENDINGS.iter().find(|(known, _)| *known == name);
        known.map_or(Self::Usual, |(_, ending)| *ending)
    }

    /// Whether the thread must be recorded in flight at the entry.
    pub const fn is_tracked(self) -> bool {
        matches!(self, Self::Elsewhere | Self::Restored)
    }
}

/// A system call of one ABI; it has an entry probe and, unless it never returns, a return probe.
#[derive(Debug)]
pub struct Call {
    /// Its ABI and number.
    pub key: Key,
    /// Names of its ABI and of the call.
    pub names: [Span; 2],
    /// How it returns.
    pub ending: Ending,
    /// Active ECBs of its probes, over all consumers, by role.
    pub ecbs: [u32; 2],
}

impl Call {
    /// Whether it has this probe.
    pub fn has(&self, role: Role) -> bool {
        role == Role::Entry || self.ending != Ending::Never
    }

    /// Active ECBs of this probe.
    pub fn wanted(&self, role: Role) -> u32 {
        self.ecbs.get(role as usize).copied().unwrap_or_default()
    }

    /// Whether it must be reported at its entry, or at its return.
    fn is_seen(&self, role: Role) -> bool {
        let is_tracked = role == Role::Entry && self.ending.is_tracked();
        self.wanted(role) > 0 || is_tracked && self.wanted(Role::Return) > 0
    }
}

/// All system calls, ordered by key.
#[derive(Debug, Default)]
pub struct Syscalls {
    names: Names,
    calls: Vec<Call>,
}

impl Syscalls {
    /// Adds a call. `abi` caches the last ABI's number and name.
    fn add(
        &mut self,
        call: SystemCall<'_>,
        abi: &mut Option<(u32, Span)>,
    ) -> Result<(), OutOfMemory> {
        let key = Key::new(call.abi, call.number.into());
        let is_known = |key| self.calls.iter().any(|call| call.key == key);
        let Some(key) = key.filter(|key| self.calls.len() < CALLS_MAX && !is_known(*key)) else {
            return Ok(());
        };
        let span = match *abi {
            Some((number, span)) if number == call.abi => span,
            _ => self.names.add(call.abi_name)?,
        };
        *abi = Some((call.abi, span));
        let call = Call {
            key,
            names: [span, self.names.add(call.name)?],
            ending: Ending::of(call.name),
            ecbs: [0; 2],
        };
        push(&mut self.calls, call)
    }

    /// The calls, indexed by number.
    pub fn calls(&self) -> &[Call] {
        &self.calls
    }

    /// Names of a call's ABI and of the call.
    pub fn names_of(&self, call: &Call) -> [&[u8]; 2] {
        call.names.map(|name| self.names.get(name))
    }

    /// The calls that must be reported at their entry, or at their return.
    fn seen(&self, role: Role) -> Numbers {
        let mut numbers = Numbers::NONE;
        for call in self.calls.iter().filter(|call| call.is_seen(role)) {
            // At such a return the registers may hold any number.
            if role == Role::Return && call.ending.is_tracked() {
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

    /// Of two names for one number, the first is used.
    fn provide<P: Platform>(platform: &P) -> Result<Self, OutOfMemory> {
        let mut all = Self::default();
        let mut abi = None;
        platform.each_syscall(&mut |call| all.add(call, &mut abi))?;
        sort_by_key(&mut all.calls, |call| call.key);
        Ok(all)
    }

    fn numbers(&self) -> usize {
        self.calls.len().wrapping_mul(Role::ALL.len())
    }

    fn names(&self, number: usize) -> Option<[&[u8]; 3]> {
        let (call, role) = Role::of(number);
        let call = self.calls.get(call).filter(|call| call.has(role))?;
        let [abi, name] = self.names_of(call);
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
        let subscribed = subscriptions.of(event(role));
        let call = self.calls.get(call);
        call.is_some_and(|call| subscribed.has(call.key.abi(), call.key.number()))
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
            let [abi_name, name] = self.names_of(call);
            // Calls of an ABI are adjacent, so its name is added once.
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
                is_tracked: call.wanted(Role::Return) > 0 && call.ending.is_tracked(),
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

/// The event at which probes of this role fire.
const fn event(role: Role) -> Event {
    match role {
        Role::Entry => Event::SyscallEntered,
        Role::Return => Event::SyscallReturned,
    }
}

/// A firing of this provider.
pub struct Fired<'a, A: Arch> {
    /// The table that holds its names.
    pub table: &'a Table,
    /// The call.
    pub call: &'a index::Call,
    /// Entry or return.
    pub at: At<'a, A>,
}

/// The point of a system call that fires.
pub enum At<'a, A: Arch> {
    /// The entry, with these registers.
    Entry(&'a A::Regs),
    /// The return, with this value.
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
    fn special_calls_are_recognised() {
        assert_eq!(Ending::of(b"read"), Ending::Usual);
        assert_eq!(Ending::of(b"exit_group"), Ending::Never);
        assert_eq!(Ending::of(b"rt_sigreturn"), Ending::Restored);
        assert!(Ending::of(b"execveat").is_tracked());
        assert!(!Ending::of(b"exit").is_tracked());
    }
}
