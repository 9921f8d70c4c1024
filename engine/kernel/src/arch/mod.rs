//! The instruction set of the kernel that this is built for: the sole place that asks which.
//!
//! Each file is one set's seam, and gives the same four things: `Native`, which is the set as the
//! tracer wants it; `MUTANTS`, the names of its seeded defects; `memory`, the memory of the
//! code that a trap interrupted; and `has_stack`, whether a firing finds room on the kernel's stack.

use core::mem::MaybeUninit;
use core::ops::Range;

use engine_isa::body::{self, Exit, Set, Text, Unwalked, Walk};
use engine_tracer::Load;

use crate::ffi;

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
    left.wrapping_sub(FIRING_STACK) < ffi::trapline_stacks.size - FIRING_STACK
}

/// The word on the stack that is so many words from `top`; 0 where it cannot be read.
fn stack_word(top: u64, index: u64, load: &mut Load<'_>) -> u64 {
    let mut word = [0; size_of::<usize>()];
    let address = top.wrapping_add(index.wrapping_mul(word.len() as u64));
    match load(address, &mut word) {
        Ok(()) => usize::from_ne_bytes(word) as u64,
        Err(_) => 0,
    }
}

/// Shows every instruction that leaves a function.
#[inline(never)]
fn exits<S: Set>(
    text: &Text<'_>,
    function: Range<usize>,
    memory: &mut [u64],
    see: &mut dyn FnMut(usize, Exit),
) -> Result<(), Unwalked> {
    let function = function.start as u64..function.end as u64;
    let walk = Walk::<S>::over(text, function, memory)?;
    #[cfg(trapline_mutants)]
    let mut is_seen = false;
    walk.exits(&mut |address, exit| {
        #[cfg(trapline_mutants)]
        if crate::mutant::is_forgotten(exit)
            || core::mem::replace(&mut is_seen, true)
                && crate::mutant::is_chosen(crate::mutant::ONE_EXIT)
        {
            return;
        }
        see(address as usize, exit);
    });
    Ok(())
}

/// Shows what a function calls.
#[inline(never)]
fn calls<S: Set>(
    text: &Text<'_>,
    function: Range<usize>,
    memory: &mut [u64],
    see: &mut dyn FnMut(u64) -> bool,
) -> Result<(), Unwalked> {
    let function = function.start as u64..function.end as u64;
    body::calls::<S>(text, function, memory, see)
}

/// Whether an instruction of a function branches to `to`.
fn comes_back<S: Set>(text: &Text<'_>, function: Range<usize>, to: usize) -> bool {
    body::comes_back::<S>(text, function.start as u64..function.end as u64, to as u64)
}

/// What a function returns.
#[cfg(not(trapline_mutants))]
const fn told(value: u64) -> u64 {
    value
}

#[cfg(trapline_mutants)]
use crate::mutant::returned as told;
