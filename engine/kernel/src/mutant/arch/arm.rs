//! Defects that ARM can have.

use core::ops::Range;
use engine_isa::arm::{Arm, Emulation, Regs, Relocation};
use engine_isa::body::{Exit, Text, Unwalked};
use engine_isa::{Arch, Memory, Variant};

use crate::memory::Interrupted;
use crate::mutant::{self, IntoFrame, NO_CACHE_FLUSH, SHARED_SLOT, STALE_SLOT, is_chosen};

/// ARM with the chosen defect.
pub struct Seeded;

impl Variant for Seeded {
    type Base = Arm;

    fn slot(
        relocation: Relocation,
        at: usize,
        from: usize,
        next: usize,
    ) -> Option<[u8; Relocation::SIZE]> {
        const ALWAYS: u8 = 0xe0;
        let mut slot = Arm::slot(relocation, at, from, next)?;
        let is_conditional = slot[3] < ALWAYS;
        if is_conditional && is_chosen(SLOT_CONDITION_LOST) {
            slot[3] = slot[3] & 0xf | ALWAYS;
        }
        Some(slot)
    }

    fn exits(
        text: &Text<'_>,
        function: Range<usize>,
        memory: &mut [u64],
        see: &mut dyn FnMut(usize, Exit),
    ) -> Result<(), Unwalked> {
        mutant::exits::<Arm>(text, function, memory, see)
    }

    fn returned(regs: &Regs) -> u64 {
        mutant::returned(Arm::returned(regs))
    }

    fn goes(emulation: Emulation, regs: &Regs) -> bool {
        Arm::goes(emulation, regs) || is_chosen(ALWAYS_LEAVES)
    }
}

/// The memory of the code whose registers these are.
///
/// The defect of 2013 had what `push {r4, lr}` stored overlay the two highest words of the frame,
/// ORIG_r0 and, below it, the saved CPSR: the trap returned with r4 for its CPSR, which is harmless
/// for some values of r4 and fatal for others. The first two words that an instruction stores go
/// there, which makes it r4 for CPSR again in `sys_chdir`, `push {r4-r8, lr}` now.
pub fn memory(regs: *mut Regs) -> impl Memory {
    /// The saved CPSR and ORIG_r0 of Linux' `struct pt_regs`, in words from its start.
    const TOP: [usize; 2] = [16, 17];
    /// Reserved in ARMv6's CPSR, which ignores it. QEMU takes it for ARMv8's IL on any CPU, and
    /// would have every value with it end the same way.
    const IL: usize = 1 << 20;
    IntoFrame::new(PUSH_INTO_FRAME, Interrupted, regs.cast(), TOP, !IL)
}

/// The defects.
pub const MUTANTS: &[&str] = &[
    PUSH_INTO_FRAME,
    SHARED_SLOT,
    STALE_SLOT,
    NO_CACHE_FLUSH,
    SLOT_CONDITION_LOST,
    ALWAYS_LEAVES,
];

/// Functions that a defect hides from the blacklist; none.
pub const MISNAMES: &[(&str, &[u8])] = &[];

/// The numbers of the system calls that make a child.
pub const FORKS: &[i64] = &[2, 120, 190, 435];
/// The number of `execve`.
pub const EXECVE: i64 = 11;

/// `push-into-frame`: what an emulated push stores lands in the trap's own frame.
const PUSH_INTO_FRAME: &str = "push-into-frame";

/// `slot-condition-lost`: a copy is executed whether its condition holds or not.
const SLOT_CONDITION_LOST: &str = "slot-condition-lost";

/// `always-leaves`: a conditional return is taken to leave its function each time it is executed.
const ALWAYS_LEAVES: &str = "always-leaves";
