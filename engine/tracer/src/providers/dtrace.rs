//! The engine's own probes: they fire for one consumer at a time, and belong to no function.

use engine_isa::Arch;

use super::subscriptions::Subscriptions;
use super::{Fires, Provider, Published, among};
use crate::fire::table::Table;
use crate::grow::OutOfMemory;
use crate::platform::Platform;

/// The provider. Its ECBs are in each session, as no live table is there yet when `BEGIN` fires.
#[derive(Debug)]
pub struct Dtrace;

/// One of the engine's own probes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Own {
    /// Tracing begins.
    Begin,
    /// Tracing ends.
    End,
    /// A fault has ended a clause.
    Error,
}

impl Own {
    /// Every one, in the order of their IDs.
    pub const ALL: [Self; 3] = [Self::Begin, Self::End, Self::Error];

    /// Its name.
    pub const fn name(self) -> &'static [u8] {
        match self {
            Self::Begin => b"BEGIN",
            Self::End => b"END",
            Self::Error => b"ERROR",
        }
    }

    /// The probe of that number.
    pub fn numbered(number: usize) -> Option<Self> {
        Self::ALL.get(number).copied()
    }

    /// Its ID: this provider's come first.
    pub const fn id(self) -> u32 {
        (self as u32).wrapping_add(1)
    }
}

impl<A: Arch> Provider<A> for Dtrace {
    const NAME: &'static [u8] = b"dtrace";
    const PROBES_MAX: usize = Own::ALL.len();

    type Live = Nothing;

    fn provide<P: Platform>(_: &P) -> Result<Self, OutOfMemory> {
        Ok(Self)
    }

    fn numbers(&self) -> usize {
        Own::ALL.len()
    }

    fn names(&self, number: usize) -> Option<[&[u8]; 3]> {
        Some([b"", b"", Own::numbered(number)?.name()])
    }

    fn count(&mut self, _: usize, _: bool, _: &dyn Fn(u32) -> u32) {}

    fn is_armed(&self, _: usize, _: &Subscriptions) -> bool {
        true
    }

    fn publish(&mut self, _: &mut Table) -> Result<Nothing, OutOfMemory> {
        Ok(Nothing)
    }

    fn place(&self, Nothing: &Nothing, _: usize) -> Option<u32> {
        None
    }
}

/// What firings find of it.
#[derive(Debug)]
pub struct Nothing;

impl Published for Nothing {}

/// One of its probes fires.
#[derive(Debug)]
pub struct Fired {
    /// Which.
    pub probe: Own,
    /// Its arguments.
    pub arguments: [u64; 6],
}

impl<A: Arch> Fires<A> for Fired {
    fn names(&self) -> [&[u8]; 3] {
        [b"", b"", self.probe.name()]
    }

    fn argument<P: Platform<Regs = A::Regs>>(&self, _: &P, number: u64) -> u64 {
        among(&self.arguments, number)
    }
}
