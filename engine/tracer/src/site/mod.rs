//! Sites: instructions that a trap can displace.

pub mod blacklist;
pub mod eligible;
pub mod live;
pub mod patch;
pub mod reason;
pub mod resume;
pub mod slots;

use core::num::NonZeroUsize;

use engine_isa::Arch;
use engine_isa::body::Leaves;

use crate::probe::Role;

/// A site.
pub struct Site<A: Arch> {
    /// Where the trap goes.
    pub address: usize,
    /// The number of its function.
    pub function: u32,
    /// Whether it is the function's entry.
    pub is_entry: bool,
    /// Whether it leaves the function.
    pub leaves: Option<Leaves>,
    /// The text that its plan was made for; while it is armed, what the trap displaced.
    pub text: A::Text,
    /// A call of the kernel's function tracer, which tells of the entry in place of a trap.
    pub call: Option<NonZeroUsize>,
    /// Whether such a call alone can tell of it: nothing can stand in for its instruction, or the function comes
    /// back to it without being entered, and a trap would tell of that as well.
    pub is_called_only: bool,
    /// Whether one of the kernel's own kprobes had the instruction when this was last to be armed: then no trap is put
    /// there.
    pub is_taken: bool,
    /// Whether the trap is in place, or the call.
    pub armed: bool,
    /// Where a copy of the displaced instruction stands, if it has one.
    pub slot: Option<usize>,
    /// How often it was hit while it was in a live table that is not there any more.
    pub hits: u64,
}

impl<A: Arch> Site<A> {
    /// Where whoever gets there is when he tells of it.
    pub fn hit_address(&self) -> usize {
        self.call.map_or(self.address, NonZeroUsize::get)
    }

    /// Whether a trap is in place.
    pub fn is_trapped(&self) -> bool {
        self.armed && self.call.is_none()
    }

    /// What it is there for.
    pub fn roles(&self) -> impl Iterator<Item = Role> {
        let entry = self.is_entry.then_some(Role::Entry);
        let exit = self.leaves.map(|_| Role::Return);
        entry.into_iter().chain(exit)
    }
}
