//! AArch64's mutants.

use core::ops::Range;

use engine_isa::arm::Block;
use engine_isa::arm64::programs::Mode;
use engine_isa::arm64::{Processor, Regs, WithPrograms};
use engine_isa::body::{Exit, Text, Unwalked};
use engine_isa::{Arch, Memory, Planned, Variant};

use crate::arch::ThisProcessor;
use crate::memory::Interrupted;
use crate::mutant::{self, NO_CACHE_FLUSH, SHARED_SLOT, STALE_SLOT, is_chosen};

/// AArch64 with the selected mutant.
pub struct Seeded;

type Base = WithPrograms<SeededProcessor>;

impl Variant for Seeded {
    type Base = Base;

    fn plan(text: &[u8; 4], mode: Mode) -> Planned<Base> {
        const MOV_X9_X30: u32 = 0xaa1e_03e9;
        const NOP: u32 = 0xd503_201f;
        if *text == MOV_X9_X30.to_le_bytes() && is_chosen(NOP_FOR_MOV) {
            return Base::plan(&NOP.to_le_bytes(), mode);
        }
        Base::plan(text, mode)
    }

    fn exits(
        text: &Text<'_>,
        function: Range<usize>,
        memory: &mut [u64],
        see: &mut dyn FnMut(usize, Exit),
    ) -> Result<(), Unwalked> {
        mutant::exits::<Base>(text, function, memory, see)
    }

    fn enter(regs: &mut Regs, slot: usize) {
        let status = regs.pstate;
        Base::enter(regs, slot);
        if is_thumb(status) && is_chosen(BLOCK_DROPPED) {
            regs.pstate = Block::NONE.in_status(status as u32).into();
        }
    }

    fn returned(regs: &Regs) -> u64 {
        mutant::returned(Base::returned(regs))
    }
}

/// Whether a program status is that of a 32-bit program in Thumb state.
const fn is_thumb(status: u64) -> bool {
    /// PSTATE.nRW and PSTATE.T.
    const THUMB: u64 = 1 << 4 | 1 << 5;
    status & THUMB == THUMB
}

/// The processor that took the trap; with `sign-nothing`, without pointer authentication.
#[derive(Debug, Default)]
pub struct SeededProcessor(ThisProcessor);

impl Processor for SeededProcessor {
    fn sign(&self, pointer: u64, modifier: u64) -> u64 {
        if is_chosen(SIGN_NOTHING) {
            return pointer;
        }
        self.0.sign(pointer, modifier)
    }

    fn has_branch_types(&self) -> bool {
        self.0.has_branch_types()
    }
}

/// The memory that an emulated instruction accesses, for the trap with these registers. No store is
/// emulated on AArch64, so there is no mutant of it.
pub fn memory(_: *mut Regs) -> impl Memory {
    Interrupted
}

/// The names of AArch64's mutants.
pub const MUTANTS: &[&str] = &[
    NOP_FOR_MOV,
    SIGN_NOTHING,
    BLOCK_DROPPED,
    SHARED_SLOT,
    STALE_SLOT,
    NO_CACHE_FLUSH,
    MISNAMED,
];

/// With one of these mutants, the blacklist's paths are not followed either.
pub const MISNAMES: &[(&str, &[u8])] = &[(MISNAMED, b"finalise_el2")];

/// clone and clone3.
pub const FORKS: &[i64] = &[220, 435];
/// execve.
pub const EXECVE: i64 = 221;

/// `finalise-el2-misnamed`: a function that a starting CPU runs is missing from the blacklist.
const MISNAMED: &str = "finalise-el2-misnamed";

/// `nop-for-mov`: plans are made from the text as built, not from the running text.
///
/// As built, most functions begin with two NOPs; at boot ftrace turns the first into `mov x9, x30`.
/// A wrong x9 goes unnoticed until ftrace is enabled, whose trampoline takes the caller's address
/// from it.
const NOP_FOR_MOV: &str = "nop-for-mov";

/// `block-dropped`: a relocated instruction of an IT block is executed in none, so one of 16 bits sets
/// the flags.
const BLOCK_DROPPED: &str = "block-dropped";

/// `sign-nothing`: `paciasp` is emulated as a NOP, as it is on a processor without pointer
/// authentication.
const SIGN_NOTHING: &str = "sign-nothing";
