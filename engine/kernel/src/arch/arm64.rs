//! AArch64, by `brk`.

use core::arch::asm;

#[cfg(not(trapline_mutants))]
use engine_isa::arm64::Arm64;
use engine_isa::arm64::Processor;
use engine_tracer::{Blacklist, blacklist};

/// Its instruction set.
#[cfg(not(trapline_mutants))]
pub type Native = Arm64<ThisProcessor>;

/// Where no trap can be taken.
pub const BLACKLIST: &Blacklist = &blacklist::ARM64;

/// The bytes of stack that a firing takes, with a walk of the stack, a fault, `ERROR`, and a trap amid it that is turned
/// away: see doc/probe-context.md.
pub const FIRING_STACK: usize = 6144;

/// The one that took the trap.
#[derive(Debug, Default)]
pub struct ThisProcessor;

impl Processor for ThisProcessor {
    fn sign(&self, pointer: u64, modifier: u64) -> u64 {
        pacia(pointer, modifier)
    }

    /// What ID_AA64PFR1_EL1 has in its field BT.
    fn has_branch_types(&self) -> bool {
        let features: u64;
        // SAFETY: any A64 processor has this register, and the kernel may read it.
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

/// `pacia`: signs a return address with the key of the code that a trap in the kernel interrupted,
/// which is the key that is in use. Where the processor signs nothing, this is a no-op.
fn pacia(pointer: u64, modifier: u64) -> u64 {
    let signed;
    // SAFETY: PACIA1716 by its number among the hints, so that any A64 processor takes it. It
    // writes x17 only.
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

/// Whether a firing has room on this stack. The kernel aligns each, a thread's and the interrupts'.
#[inline(always)]
pub fn has_stack() -> bool {
    let [mask, _] = super::trapline_stacks.place;
    super::is_room(super::stack_end() & mask)
}
