//! AArch64: the trap is a `brk` with an immediate of our own.

use core::arch::asm;

use engine_isa::arm64::Processor;
#[cfg(not(trapline_mutants))]
use engine_isa::arm64::WithPrograms;
use engine_tracer::{Blacklist, blacklist};

/// The instruction set of this kernel, and of the 32-bit programs under it.
#[cfg(not(trapline_mutants))]
pub type Native = WithPrograms<ThisProcessor>;

/// Functions and paths on which no trap can be taken.
pub const BLACKLIST: &Blacklist = &blacklist::ARM64;

/// The most stack that a firing uses, in bytes: with a stack walk, a fault, an `ERROR` probe that
/// walks the stack again, and a nested trap that is turned away. See doc/probe-context.md.
pub const FIRING_STACK: usize = 6144;

/// The processor that took the trap.
#[derive(Debug, Default)]
pub struct ThisProcessor;

impl Processor for ThisProcessor {
    fn sign(&self, pointer: u64, modifier: u64) -> u64 {
        pacia(pointer, modifier)
    }

    /// Whether the processor implements BTI: field BT of ID_AA64PFR1_EL1.
    fn has_branch_types(&self) -> bool {
        let features: u64;
        // SAFETY: every AArch64 processor has this register, and it is readable at EL1.
        unsafe {
            asm!(
                "mrs {}, id_aa64pfr1_el1",
                out(reg) features,
                options(nomem, nostack, preserves_flags),
            );
        }
        features & 0b1111 != 0
    }
}

/// `pacia`: signs a return address with key A. A trap from the kernel does not switch keys, so this
/// is the interrupted code's key. A no-op on a processor without pointer authentication.
fn pacia(pointer: u64, modifier: u64) -> u64 {
    let signed;
    // SAFETY: PACIA1716, encoded in the hint space, so that every AArch64 processor executes it. It
    // writes only x17.
    unsafe {
        asm!(
            "hint #8",
            inout("x17") pointer => signed,
            in("x16") modifier,
            options(nomem, nostack, preserves_flags),
        );
    }
    signed
}

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
