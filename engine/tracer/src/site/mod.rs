//! Sites: instructions that a trap can displace.
//!
//! The control path decides whether an instruction can be a site ([`eligible`], with the
//! [`blacklist`] and the [`reason`] of a refusal), writes its trap ([`patch`]) and allocates the
//! copy of an instruction that must be relocated ([`slots`]). A site there is a [`Site`], mutable
//! under the control lock. The fire path sees armed sites in the live table as immutable
//! [`live::Site`]s, looks them up by address, and continues the interrupted code through
//! [`resume`]. Lookup and resume run without the guard, so they call nothing that can be
//! probed.
//!
//! The ordering of slot, live table and text is described in `arm`.

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

/// A site, as the control path sees it.
pub struct Site<A: Arch> {
    /// Address of the trap.
    pub address: usize,
    /// Number of its function.
    pub function: u32,
    /// Whether it is the function's entry.
    pub is_entry: bool,
    /// How it leaves the function, if it does.
    pub leaves: Option<Leaves>,
    /// The text that was planned for; while a trap is in place, the text that it displaced.
    pub text: A::Text,
    /// The ftrace call that reports the entry in place of a trap.
    pub call: Option<NonZeroUsize>,
    /// Whether only ftrace can report it: its instruction can be neither emulated nor relocated, or
    /// the function loops back to it, so that a trap would also fire without an entry.
    pub ftrace_only: bool,
    /// Whether a kprobe owned the instruction when this was last to be armed; no trap is placed
    /// then.
    pub owned_by_kprobe: bool,
    /// Whether the trap is in place, or the ftrace call enabled.
    pub armed: bool,
    /// Address of its slot, if the instruction is relocated.
    pub slot: Option<usize>,
    /// Hits counted in live tables that have been replaced.
    pub hits: u64,
}

impl<A: Arch> Site<A> {
    /// A site of this function that is neither its entry nor an exit yet, and not armed.
    pub fn new(address: usize, function: u32, text: A::Text) -> Self {
        Self {
            address,
            function,
            is_entry: false,
            leaves: None,
            text,
            call: None,
            ftrace_only: false,
            owned_by_kprobe: false,
            armed: false,
            slot: None,
            hits: 0,
        }
    }

    /// The address by which a hit is looked up: the ftrace call's or the trap's.
    pub fn hit_address(&self) -> usize {
        self.call.map_or(self.address, NonZeroUsize::get)
    }

    /// Whether a trap is in place.
    pub fn is_trapped(&self) -> bool {
        self.armed && self.call.is_none()
    }

    /// The probes that it belongs to.
    pub fn roles(&self) -> impl Iterator<Item = Role> {
        let entry = self.is_entry.then_some(Role::Entry);
        let exit = self.leaves.map(|_| Role::Return);
        entry.into_iter().chain(exit)
    }
}

/// Up to four bytes as a little-endian number.
pub fn word(bytes: &[u8]) -> u32 {
    let upwards = bytes.iter().rev();
    upwards.fold(0, |word, byte| word << 8 | u32::from(*byte))
}
