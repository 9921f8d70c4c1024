//! A64, by `brk`.

use core::arch::asm;
use core::ops::Range;

use engine_isa::arm64::{self, Emulation, Processor, Regs, Relocation};
use engine_isa::body::{Exit, Text, Unwalked, room};
use engine_isa::{Control, Fault, Memory, Plan};
use engine_tracer::{Isa, Load, Planned, Untrappable};

use super::{calls, comes_back, exits, stack_word, told};
use crate::memory::Interrupted;
#[cfg(trapline_mutants)]
use crate::mutant::{NO_CACHE_FLUSH, SHARED_SLOT, STALE_SLOT};

/// The bytes of stack that a firing takes, with a walk of the stack, a fault, `ERROR`, and a trap amid it that is turned
/// away: see doc/probe-context.md.
pub const FIRING_STACK: usize = 6144;

const HYPERVISOR: &str = "it runs with the hypervisor's vectors, which do not know the trap";
const WAKES: &str = "a starting or resuming CPU runs it before it has its vectors";

const ON_WAY: &str = "it runs between a trap and its handler, or on the way back";

/// From the vector to the call that leads to the handler, and back; what a CPU runs before it has its vectors; and
/// what runs with the hypervisor's, which is all of its objects, from the first function to the last table.
static PATHS: [Untrappable; 3] = [
    Untrappable {
        roots: &[[b"el1h_64_sync", b"el1h_64_sync"], [b"el1_dbg", b"el1_dbg"]],
        ends: &[],
        passes: &[b"el1h_64_sync_handler", b"do_debug_exception"],
        why: (b"", ON_WAY),
    },
    Untrappable {
        roots: &[
            [b"secondary_entry", b"secondary_entry"],
            [b"__secondary_switched", b"__secondary_switched"],
            [b"cpu_resume", b"cpu_resume"],
            [b"_cpu_resume", b"_cpu_resume"],
        ],
        ends: &[b"secondary_start_kernel"],
        passes: &[],
        why: (b"", WAKES),
    },
    Untrappable {
        roots: &[
            [b"sysreg_save_host_state_vhe", b"__bp_harden_hyp_vecs"],
            [b"__kvm_adjust_pc", b"__kvm_adjust_pc"],
        ],
        ends: &[],
        passes: &[],
        why: (b"", HYPERVISOR),
    },
];

/// A64.
pub struct Native;

impl Isa for Native {
    type Regs = Regs;
    type Emulation = Emulation;
    type Relocation = Relocation;
    type Text = [u8; 4];
    type Slot = [u8; Relocation::SIZE];

    const TRAP: &'static [u8] = &arm64::TRAP.to_le_bytes();
    const TOXIC: &'static [(&'static [u8], &'static str)] = &[
        (b"__kvm_adjust_pc", HYPERVISOR),
        (b"enter_exception*", HYPERVISOR),
        (b"kvm_hyp_handle_*", HYPERVISOR),
        (b"kvm_unexpected_el2_exception", HYPERVISOR),
        (b"handle_tx2_*", HYPERVISOR),
        (b"__vgic_v3_*", HYPERVISOR),
        (b"__guest_*", HYPERVISOR),
        (b"__debug_switch_to_*", HYPERVISOR),
        (b"__debug_save_state", HYPERVISOR),
        (b"__debug_restore_state", HYPERVISOR),
        (b"__fpsimd_*_state", HYPERVISOR),
        (b"__sve_*_state", HYPERVISOR),
        (b"finalise_el2", WAKES),
        (b"_cpu_resume", WAKES),
    ];
    const GLUE: &'static [(&'static [u8], &'static str)] = &[
        (b"__kvm_hyp_vector*", HYPERVISOR),
        (b"hyp_stub_*", HYPERVISOR),
        (b"el1_sync", HYPERVISOR),
        (b"el2_sync", HYPERVISOR),
    ];

    fn untrappable() -> &'static [Untrappable] {
        untrappable()
    }

    fn calls(
        text: &Text<'_>,
        function: Range<usize>,
        memory: &mut [u64],
        see: &mut dyn FnMut(u64) -> bool,
    ) -> Result<(), Unwalked> {
        calls::<arm64::A64>(text, function, memory, see)
    }

    fn plan(text: &[u8; 4]) -> Planned<Self> {
        arm64::plan(instruction(u32::from_le_bytes(*text)))
    }

    fn length(_: &Planned<Self>) -> usize {
        Self::TRAP.len()
    }

    fn slot(relocation: Relocation, at: usize, _: usize, next: usize) -> Option<Self::Slot> {
        relocation.slot(at as u64, next as u64)
    }

    /// What a jump label is while it is off, and while it is on.
    fn is_placeholder(text: &[u8; 4]) -> bool {
        const B: u8 = 0b000101;
        let is_nop = matches!(Self::plan(text), Plan::Emulate(emulation) if emulation.is_nop());
        is_nop || text[3] >> 2 == B
    }

    fn control(text: &[u8; 4], address: usize) -> Control {
        arm64::control(u32::from_le_bytes(*text), address as u64)
    }

    fn begins_function(_: &[u8; 4]) -> bool {
        true
    }

    fn exits(
        text: &Text<'_>,
        function: Range<usize>,
        memory: &mut [u64],
        see: &mut dyn FnMut(usize, Exit),
    ) -> Result<(), Unwalked> {
        exits::<arm64::A64>(text, function, memory, see)
    }

    fn comes_back(text: &Text<'_>, function: Range<usize>, to: usize) -> bool {
        comes_back::<arm64::A64>(text, function, to)
    }

    fn room(bytes: usize) -> usize {
        room::<arm64::A64>(bytes as u64)
    }

    fn pc(regs: &Regs) -> usize {
        regs.pc as usize
    }

    fn set_pc(regs: &mut Regs, pc: usize) {
        regs.pc = pc as u64;
    }

    fn enter(regs: &mut Regs, slot: usize) {
        Relocation::enter(slot as u64, regs);
    }

    /// The first eight are in x0 to x7.
    fn argument(regs: &Regs, number: u64, load: &mut Load<'_>) -> u64 {
        const IN_REGISTERS: u64 = 8;
        match regs.x.get(number as usize) {
            Some(&x) if number < IN_REGISTERS => x,
            _ => stack_word(regs.sp, number.wrapping_sub(IN_REGISTERS), load),
        }
    }

    fn caller(regs: &Regs, _: &mut Load<'_>) -> u64 {
        regs.x[30]
    }

    fn returned(regs: &Regs) -> u64 {
        told(regs.x[0])
    }

    fn goes(emulation: Emulation, regs: &Regs) -> bool {
        emulation.goes(regs)
    }

    fn emulate(
        emulation: Emulation,
        regs: &mut Regs,
        memory: &mut impl Memory,
    ) -> Result<(), Fault> {
        emulation.run(regs, memory, &ThisProcessor)
    }
}

/// The one that took the trap.
struct ThisProcessor;

impl Processor for ThisProcessor {
    fn sign(&self, pointer: u64, modifier: u64) -> u64 {
        sign(pointer, modifier)
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
    let [mask, _] = crate::ffi::trapline_stacks.place;
    super::is_room(super::stack_end() & mask)
}

/// The memory of the code whose registers these are. No instruction that stores is emulated here.
pub fn memory(_: *mut Regs) -> impl Memory {
    Interrupted
}

#[cfg(not(trapline_mutants))]
const fn untrappable() -> &'static [Untrappable] {
    &PATHS
}

#[cfg(not(trapline_mutants))]
use pacia as sign;

/// The instruction to plan for.
#[cfg(not(trapline_mutants))]
fn instruction(word: u32) -> u32 {
    word
}

/// The numbers of the system calls that make a child, and of `execve`, for the seeded defects that are about these.
#[cfg(trapline_mutants)]
pub const FORKS: &[i64] = &[220, 435];
#[cfg(trapline_mutants)]
pub const EXECVE: i64 = 221;

/// The seeded defects that this set has.
#[cfg(trapline_mutants)]
pub const MUTANTS: &[&str] = &[
    NOP_FOR_MOV,
    SIGN_NOTHING,
    SHARED_SLOT,
    STALE_SLOT,
    NO_CACHE_FLUSH,
    MISNAMED,
];

/// `finalise-el2-misnamed`: what a starting CPU runs is told by a name that [`Native`] does not know for that.
#[cfg(trapline_mutants)]
const MISNAMED: &str = "finalise-el2-misnamed";

/// And none of its paths is followed.
#[cfg(trapline_mutants)]
fn untrappable() -> &'static [Untrappable] {
    match crate::mutant::is_chosen(MISNAMED) {
        true => &[],
        false => &PATHS,
    }
}

/// Who is misnamed with which defect.
#[cfg(trapline_mutants)]
pub const MISNAMES: &[(&str, &[u8])] = &[(MISNAMED, b"finalise_el2")];

/// `nop-for-mov`: plans are made from the kernel as it was built, not as it runs.
///
/// There most functions begin with two no-ops; at boot the function tracer makes the first a
/// `mov x9, x30`. Whether x9 is right nobody notices until that tracer is switched on: x9 is where
/// it finds the caller.
#[cfg(trapline_mutants)]
const NOP_FOR_MOV: &str = "nop-for-mov";

/// The instruction to plan for.
#[cfg(trapline_mutants)]
fn instruction(word: u32) -> u32 {
    const MOV_X9_X30: u32 = 0xaa1e_03e9;
    const NOP: u32 = 0xd503_201f;
    if word == MOV_X9_X30 && crate::mutant::is_chosen(NOP_FOR_MOV) {
        return NOP;
    }
    word
}

/// `sign-nothing`: `paciasp` is a no-op, as it is on processors that sign nothing.
#[cfg(trapline_mutants)]
const SIGN_NOTHING: &str = "sign-nothing";

#[cfg(trapline_mutants)]
fn sign(pointer: u64, modifier: u64) -> u64 {
    if crate::mutant::is_chosen(SIGN_NOTHING) {
        return pointer;
    }
    pacia(pointer, modifier)
}
