//! The kernel's architecture: what only assembly or the kernel's own layout can say of it.
//!
//! The instruction set itself is [`engine_isa`]'s. Each file here gives the same: `Native`, which of those sets it is;
//! `BLACKLIST`; `FIRING_STACK` and `has_stack`, whether a firing has room on the kernel's stack.

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

// For ARM, and for whatever other host looks at this.
#[cfg(not(any(target_arch = "aarch64", target_arch = "x86_64")))]
mod arm;
#[cfg(not(any(target_arch = "aarch64", target_arch = "x86_64")))]
pub use arm::*;

/// C's `struct pt_regs`: its beginning, and behind a pointer to it all of it.
pub type Regs = <Native as Arch>::Regs;

/// The trapping instruction as a number.
pub fn trap_word() -> u32 {
    let bytes = <Native as Arch>::TRAP.iter().rev();
    bytes.fold(0, |word, &byte| word << 8 | u32::from(byte))
}

/// C's `struct trapline_stacks`.
#[repr(C)]
pub struct Stacks {
    pub place: [usize; 2],
    pub size: usize,
}

unsafe extern "C" {
    safe static trapline_stacks: Stacks;
}

/// Where the stack ends by now, or a little below.
#[inline(always)]
fn stack_end() -> usize {
    let here = MaybeUninit::<usize>::uninit();
    here.as_ptr().addr()
}

/// Whether a firing takes less than the `left` bytes of a thread's stack; not so where `left` is more than a stack
/// has, since it is another stack then.
#[inline(always)]
fn is_room(left: usize) -> bool {
    left.wrapping_sub(FIRING_STACK) < trapline_stacks.size - FIRING_STACK
}

#[cfg(trapline_mutants)]
pub use crate::mutant::arch::{Seeded as Native, memory};

/// The memory of the code whose registers these are.
#[cfg(not(trapline_mutants))]
pub fn memory(_: *mut Regs) -> impl engine_isa::Memory {
    crate::memory::Interrupted
}
