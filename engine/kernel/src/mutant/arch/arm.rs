//! ARM's mutants.

use core::ops::Range;
use engine_isa::arm::{Arm, Block, Emulation, Regs, Relocation};
use engine_isa::body::{Exit, Text, Unwalked};
use engine_isa::{Arch, Memory, Variant};

use crate::memory::Interrupted;
use crate::mutant::{self, IntoFrame, NO_CACHE_FLUSH, SHARED_SLOT, STALE_SLOT, is_chosen};

/// ARM with the selected mutant.
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

    fn enter(regs: &mut Regs, slot: usize) {
        let status = regs.cpsr;
        Arm::enter(regs, slot);
        if is_chosen(BLOCK_KEPT) {
            regs.cpsr = status;
        }
        if is_chosen(BLOCK_DROPPED) {
            regs.cpsr = Block::NONE.in_status(status);
        }
    }

    fn returned(regs: &Regs) -> u64 {
        mutant::returned(Arm::returned(regs))
    }

    fn goes(emulation: Emulation, regs: &Regs) -> bool {
        Arm::goes(emulation, regs) || is_chosen(ALWAYS_LEAVES)
    }
}

/// The memory that an emulated instruction accesses, for the trap with these registers.
///
/// `push-into-frame` reproduces a crash of 2013. There `push {r4, lr}` overwrote the two highest
/// words of the frame, the saved CPSR and above it ORIG_r0, so that the trap returned with r4 as
/// its CPSR: harmless for some values of r4, fatal for others. The first two words that an
/// instruction stores go there. In `sys_chdir`, which has `push {r4-r8, lr}` now, the first is r4
/// again.
pub fn memory(regs: *mut Regs) -> impl Memory {
    /// Indices of the saved CPSR and ORIG_r0 in Linux's `struct pt_regs`.
    const TOP: [usize; 2] = [16, 17];
    /// Reserved and ignored in ARMv6's CPSR. QEMU treats it as ARMv8's IL on any CPU, so that every
    /// value with this bit set would fail in the same way.
    const IL: usize = 1 << 20;
    IntoFrame::new(PUSH_INTO_FRAME, Interrupted, regs.cast(), TOP, !IL)
}

/// The names of ARM's mutants.
pub const MUTANTS: &[&str] = &[
    PUSH_INTO_FRAME,
    SHARED_SLOT,
    STALE_SLOT,
    NO_CACHE_FLUSH,
    SLOT_CONDITION_LOST,
    BLOCK_KEPT,
    BLOCK_DROPPED,
    ALWAYS_LEAVES,
];

/// None.
pub const MISNAMES: &[(&str, &[u8])] = &[];

/// fork, clone, vfork and clone3.
pub const FORKS: &[i64] = &[2, 120, 190, 435];
/// execve.
pub const EXECVE: i64 = 11;

/// `push-into-frame`: an emulated push overwrites the trap's own frame.
const PUSH_INTO_FRAME: &str = "push-into-frame";

/// `slot-condition-lost`: a relocated conditional instruction is executed unconditionally.
const SLOT_CONDITION_LOST: &str = "slot-condition-lost";

/// `block-kept`: a relocated instruction of an IT block is executed in the block as it is, so what
/// follows the copy in its slot is conditional.
const BLOCK_KEPT: &str = "block-kept";

/// `block-dropped`: a relocated instruction of an IT block is executed in none, so one of 16 bits sets
/// the flags.
const BLOCK_DROPPED: &str = "block-dropped";

/// `always-leaves`: a conditional return fires even if its condition fails.
const ALWAYS_LEAVES: &str = "always-leaves";
