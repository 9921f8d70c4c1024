//! The `dtrace` provider: `BEGIN`, `END` and `ERROR`. They fire for one consumer at a time and have
//! no module or function.

use engine_isa::Arch;

use super::subscriptions::Subscriptions;
use super::{Fires, Provider, Published, argument_at};
use crate::fire::table::Table;
use crate::grow::OutOfMemory;
use crate::platform::Platform;

/// The provider. It publishes nothing: its ECBs are kept in each session, as no live table has them
/// when `BEGIN` fires.
#[derive(Debug)]
pub struct Dtrace;

/// A probe of this provider.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DtraceProbe {
    /// Tracing starts.
    Begin,
    /// Tracing ends.
    End,
    /// A fault has aborted a clause.
    Error,
}

impl DtraceProbe {
    /// All of them, in the order of their IDs.
    pub const ALL: [Self; 3] = [Self::Begin, Self::End, Self::Error];

    /// The probe's name.
    pub const fn name(self) -> &'static [u8] {
        match self {
            Self::Begin => b"BEGIN",
            Self::End => b"END",
            Self::Error => b"ERROR",
        }
    }

    /// The probe of this number.
    pub fn from_number(number: usize) -> Option<Self> {
        Self::ALL.get(number).copied()
    }

    /// The probe's ID: this provider's come first, from 1.
    pub const fn id(self) -> u32 {
        (self as u32).wrapping_add(1)
    }
}

impl<A: Arch> Provider<A> for Dtrace {
    const NAME: &'static [u8] = b"dtrace";
    const PROBES_MAX: usize = DtraceProbe::ALL.len();

    type Live = Nothing;

    fn provide<P: Platform>(_: &P) -> Result<Self, OutOfMemory> {
        Ok(Self)
    }

    fn numbers(&self) -> usize {
        DtraceProbe::ALL.len()
    }

    fn names(&self, number: usize) -> Option<[&[u8]; 3]> {
        Some([b"", b"", DtraceProbe::from_number(number)?.name()])
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

/// Nothing is published for the fire path.
#[derive(Debug)]
pub struct Nothing;

impl Published for Nothing {}

/// A firing of this provider.
#[derive(Debug)]
pub struct Fired {
    /// The probe.
    pub probe: DtraceProbe,
    /// The probe's arguments.
    pub arguments: [u64; 6],
}

impl<A: Arch> Fires<A> for Fired {
    fn names(&self) -> [&[u8]; 3] {
        [b"", b"", self.probe.name()]
    }

    fn argument<P: Platform<Regs = A::Regs>>(&self, _: &P, number: u64) -> u64 {
        argument_at(&self.arguments, number)
    }
}
