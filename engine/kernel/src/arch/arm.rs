//! ARM: the trap is an undefined instruction.

use engine_tracer::{Blacklist, blacklist};

/// The instruction set of this kernel.
#[cfg(not(trapline_mutants))]
pub type Native = engine_isa::arm::Arm;

/// Functions and paths on which no trap can be taken.
pub const BLACKLIST: &Blacklist = &blacklist::ARM;

/// The most stack that a firing uses, in bytes: with a stack walk, a fault, an `ERROR` probe that
/// walks the stack again, and a nested trap that is turned away. See doc/probe-context.md.
pub const FIRING_STACK: usize = 3584;

/// Whether the current stack has room for a firing. Callable in probe context, before the guard.
///
/// Every stack, a thread's or the interrupts', starts at a multiple of `THREAD_ALIGN`, a power of
/// two that is at least its size, so the low bits of the stack pointer are the number of bytes
/// left.
#[inline(always)]
pub fn has_stack() -> bool {
    let [mask, _] = super::trapline_stacks.place;
    super::has_room(super::stack_pointer() & mask)
}
