//! ARMv6 and later, by the undefined-instruction trap.

use engine_tracer::{Blacklist, blacklist};

/// Its instruction set.
#[cfg(not(trapline_mutants))]
pub type Native = engine_isa::arm::Arm;

/// Where no trap can be taken.
pub const BLACKLIST: &Blacklist = &blacklist::ARM;

/// The bytes of stack that a firing takes, with a walk of the stack, a fault, `ERROR`, and a trap amid it that is turned
/// away: see doc/probe-context.md.
pub const FIRING_STACK: usize = 3584;

/// Whether a firing has room on this stack. The kernel aligns each, a thread's and the interrupts'.
#[inline(always)]
pub fn has_stack() -> bool {
    let [mask, _] = super::trapline_stacks.place;
    super::is_room(super::stack_end() & mask)
}
