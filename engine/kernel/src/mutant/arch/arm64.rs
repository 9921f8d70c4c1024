//! Defects that AArch64 can have.

use core::ops::Range;

use engine_isa::arm64::{Arm64, Processor, Regs};
use engine_isa::body::{Exit, Text, Unwalked};
use engine_isa::{Arch, Memory, Planned, Variant};

use crate::arch::ThisProcessor;
use crate::memory::Interrupted;
use crate::mutant::{self, NO_CACHE_FLUSH, SHARED_SLOT, STALE_SLOT, is_chosen};

/// AArch64 with the chosen defect.
pub struct Seeded;

type Base = Arm64<Signs>;

impl Variant for Seeded {
    type Base = Base;

    fn plan(text: &[u8; 4], (): ()) -> Planned<Base> {
        const MOV_X9_X30: u32 = 0xaa1e_03e9;
        const NOP: u32 = 0xd503_201f;
        if *text == MOV_X9_X30.to_le_bytes() && is_chosen(NOP_FOR_MOV) {
            return Base::plan(&NOP.to_le_bytes(), ());
        }
        Base::plan(text, ())
    }

    fn exits(
        text: &Text<'_>,
        function: Range<usize>,
        memory: &mut [u64],
        see: &mut dyn FnMut(usize, Exit),
    ) -> Result<(), Unwalked> {
        mutant::exits::<Base>(text, function, memory, see)
    }

    fn returned(regs: &Regs) -> u64 {
        mutant::returned(Base::returned(regs))
    }
}

/// This processor, which signs nothing if that is the defect.
#[derive(Debug, Default)]
pub struct Signs(ThisProcessor);

impl Processor for Signs {
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

/// The memory of the code whose registers these are. No instruction that stores is emulated here.
pub fn memory(_: *mut Regs) -> impl Memory {
    Interrupted
}

/// The defects.
pub const MUTANTS: &[&str] = &[
    NOP_FOR_MOV,
    SIGN_NOTHING,
    SHARED_SLOT,
    STALE_SLOT,
    NO_CACHE_FLUSH,
    MISNAMED,
];

/// Functions that a defect hides from the blacklist, whose paths are not followed then either.
pub const MISNAMES: &[(&str, &[u8])] = &[(MISNAMED, b"finalise_el2")];

/// The numbers of the system calls that make a child.
pub const FORKS: &[i64] = &[220, 435];
/// The number of `execve`.
pub const EXECVE: i64 = 221;

/// `finalise-el2-misnamed`: a function that a starting CPU runs has a name that the blacklist does not have.
const MISNAMED: &str = "finalise-el2-misnamed";

/// `nop-for-mov`: plans are made from the kernel as it was built, not as it runs.
///
/// There most functions begin with two no-ops; at boot the function tracer makes the first a
/// `mov x9, x30`. Whether x9 is right nobody notices until that tracer is switched on: x9 is where
/// it finds the caller.
const NOP_FOR_MOV: &str = "nop-for-mov";

/// `sign-nothing`: `paciasp` is a no-op, as it is on processors that sign nothing.
const SIGN_NOTHING: &str = "sign-nothing";
