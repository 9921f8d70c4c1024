//! The syscall provider: of every system call that the kernel has a number for, a probe where it is entered and
//! one where it returns.

mod fire;
pub mod in_flight;
pub mod index;

use alloc::vec::Vec;

use crate::grow::{OutOfMemory, push};
use crate::platform::{Numbered, Numbers, Platform};
use crate::probe::Role;
use crate::probe::names::{Names, Span};
use crate::sort::sort_by_key;

/// The provider's name.
pub const PROVIDER: &[u8] = b"syscall";

/// The most calls, those of all ABIs together.
pub const CALLS_MAX: usize = 2048;

/// How a call comes to its end, where that is in a way of its own.
const ENDINGS: [(&[u8], Ending); 6] = [
    (b"execve", Ending::Elsewhere(0)),
    (b"execveat", Ending::Elsewhere(1)),
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
    /// In another program, whose path is the argument of this number. It is perhaps of another ABI, where its number
    /// would be another call's.
    Elsewhere(u8),
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
        matches!(self, Self::Elsewhere(_) | Self::Restored)
    }
}

/// A call's ABI and its number there, as one number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Key(u32);

impl Key {
    const NUMBER_BITS: u32 = 24;

    /// None for a number that is beyond all that there are.
    pub const fn new(abi: u32, number: i64) -> Option<Self> {
        if abi >> (u32::BITS - Self::NUMBER_BITS) != 0 || number >> Self::NUMBER_BITS != 0 {
            return None;
        }
        Some(Self(abi << Self::NUMBER_BITS | number as u32))
    }

    /// Both as a number.
    pub const fn to_bits(self) -> u32 {
        self.0
    }

    /// The key that gave this number.
    pub const fn from_bits(bits: u32) -> Self {
        Self(bits)
    }

    /// The number without the ABI.
    pub const fn number(self) -> u32 {
        self.0 & ((1 << Self::NUMBER_BITS) - 1)
    }

    /// The ABI.
    pub const fn abi(self) -> u32 {
        self.0 >> Self::NUMBER_BITS
    }

    /// How far it is behind another.
    pub const fn behind(self, other: Self) -> usize {
        self.0.wrapping_sub(other.0) as usize
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

    /// Whether it begins another program.
    pub fn is_exec(&self) -> bool {
        matches!(self.ending, Ending::Elsewhere(_))
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
    /// Those that `platform` has numbers for. A number that has two names goes by the first.
    pub fn provide<P: Platform>(platform: &P) -> Result<Self, OutOfMemory> {
        let mut all = Self::default();
        let mut abi = None;
        platform.each_syscall(&mut |numbered| all.add(numbered, &mut abi))?;
        sort_by_key(&mut all.calls, |call| call.key);
        Ok(all)
    }

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

    /// A call, to be enabled.
    pub fn call_mut(&mut self, number: usize) -> Option<&mut Call> {
        self.calls.get_mut(number)
    }

    /// The names of a call's ABI and of itself.
    pub fn called(&self, call: &Call) -> [&[u8]; 2] {
        call.names.map(|name| self.names.get(name))
    }

    /// The numbers of calls that have to be seen at their beginning, or at their end, where some may have any; with
    /// `programs` those among them that begin programs, or fail to.
    pub fn seen(&self, role: Role, programs: bool) -> Numbers {
        let mut numbers = Numbers::NONE;
        for call in &self.calls {
            let is_seen = call.is_seen(role);
            if is_seen && role == Role::Return && call.ending.is_remembered() {
                return Numbers::ALL;
            }
            if is_seen || programs && call.is_exec() {
                numbers.add(call.key.abi(), call.key.number());
            }
        }
        numbers
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_is_of_a_number_that_can_be_a_calls() {
        let key = |abi, number| Key::new(abi, number).map(Key::to_bits);
        assert_eq!(key(0, 0), Some(0));
        assert_eq!(key(1, 0xf0002), Some(0x010f_0002));
        assert_eq!(key(255, 0xff_ffff), Some(0xffff_ffff));
        for (abi, number) in [
            (0, -1),
            (0, i64::MIN),
            (0, 1 << 24),
            (0, 0x4000_0000),
            (0, 1 << 40),
            (256, 0),
        ] {
            assert_eq!(key(abi, number), None, "{abi} {number}");
        }
    }

    #[test]
    fn some_calls_end_in_their_own_way() {
        assert_eq!(Ending::of(b"read"), Ending::Usual);
        assert_eq!(Ending::of(b"exit_group"), Ending::Never);
        assert_eq!(Ending::of(b"rt_sigreturn"), Ending::Restored);
        assert!(Ending::of(b"execveat").is_remembered());
        assert!(!Ending::of(b"exit").is_remembered());
    }
}
