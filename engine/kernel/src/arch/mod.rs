//! The architecture-specific part of the binding: what needs assembly or knowledge of the kernel's
//! own data layout. The instruction sets themselves are in [`engine_isa`].
//!
//! One file per architecture, each with the same items:
//!
//! - `Native`: the instruction set, an [`Arch`];
//! - `BLACKLIST`: functions and paths on which no trap can be taken;
//! - `FIRING_STACK`: the most stack that a firing uses, in bytes;
//! - `has_stack`: whether that much is left of the current stack.
//!
//! `has_stack` runs in probe context before the CPU's guard is taken, so it is inline assembly and
//! arithmetic; whatever it calls must not be probed.

use core::mem::MaybeUninit;

use engine_isa::Arch;

#[cfg(target_arch = "aarch64")]
mod arm64;
#[cfg(target_arch = "aarch64")]
pub use arm64::*;

#[cfg(target_arch = "x86_64")]
mod x86;
#[cfg(target_arch = "x86_64")]
pub use x86::*;

// ARM, and any other host on which the crate is only checked.
#[cfg(not(any(target_arch = "aarch64", target_arch = "x86_64")))]
mod arm;
#[cfg(not(any(target_arch = "aarch64", target_arch = "x86_64")))]
pub use arm::*;

/// C's `struct pt_regs`, or the first fields of it: a pointer from C points to a whole one.
pub type Regs = <Native as Arch>::Regs;

/// The trap instruction, its bytes read as a little-endian number.
pub fn trap_word() -> u32 {
    let bytes = <Native as Arch>::TRAP.iter().rev();
    bytes.fold(0, |word, &byte| word << 8 | u32::from(byte))
}

/// C's `struct trapline_stacks`. `place` is called `where` there, a keyword of Rust; its meaning
/// depends on the architecture and is described at `has_stack`.
#[repr(C)]
pub struct Stacks {
    pub place: [usize; 2],
    pub size: usize,
}

unsafe extern "C" {
    safe static trapline_stacks: Stacks;
}

/// Approximately the stack pointer: the address of a local variable.
#[inline(always)]
fn stack_pointer() -> usize {
    let here = MaybeUninit::<usize>::uninit();
    here.as_ptr().addr()
}

/// Whether a firing fits into the `left` bytes below the stack pointer. False if `left` exceeds the
/// size of a thread's stack, since the stack pointer is then on another stack.
#[inline(always)]
fn has_room(left: usize) -> bool {
    left.wrapping_sub(FIRING_STACK) < trapline_stacks.size - FIRING_STACK
}

#[cfg(trapline_mutants)]
pub use crate::mutant::arch::{Seeded as Native, memory};

/// The memory that an emulated instruction accesses, for the trap with these registers.
#[cfg(not(trapline_mutants))]
pub fn memory(_: *mut Regs) -> impl engine_isa::Memory {
    crate::memory::Interrupted
}
