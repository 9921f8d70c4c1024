//! A32 on ARMv6 and later, by the undefined-instruction trap.

use core::ops::Range;

use engine_isa::arm::{self, Emulation, Regs, Relocation, Version};
use engine_isa::body::{Exit, Text, Unwalked, room};
use engine_isa::{Control, Fault, Memory};
use engine_tracer::{Isa, Leaves, Load, Planned, Untrappable};

use super::{calls, comes_back, exits, stack_word, told};
use crate::memory::Interrupted;
#[cfg(trapline_mutants)]
use crate::mutant::{IntoFrame, NO_CACHE_FLUSH, SHARED_SLOT, STALE_SLOT};

/// The bytes of stack that a firing takes, with a walk of the stack, a fault, `ERROR`, and a trap amid it that is turned
/// away: see doc/probe-context.md.
pub const FIRING_STACK: usize = 3584;

/// What kernels for one processor only are built for: see `kmod/arch/arm.c`.
const VERSION: Version = Version::V6;

const ABORTS: &str =
    "it reads what the processor says of a fault, which one in the trap's handler would overwrite";
const COPIED: &str = "a copy of it runs where a kernel gives way to the next and takes no trap";
const WAKES: &str = "a resuming CPU runs it before there is translation";
const HEAD: &str = "it is no function, but a place in what a kernel begins with";
/// Where CONFIG_DEBUG_LIST checks each list.
const UNWINDS: &str =
    "the unwinder runs it with its list of tables in pieces, which stack() would walk";
const ON_WAY: &str = "it runs between a trap and its handler, or on the way back";

/// From the vector to the branch that leads to the handler, and back.
static PATHS: [Untrappable; 1] = [Untrappable {
    roots: &[
        [b"__und_svc", b"__und_svc"],
        [b"__und_fault", b"__und_fault"],
    ],
    ends: &[],
    passes: &[b"do_undefinstr"],
    why: (b"", ON_WAY),
}];

/// A32.
pub struct Native;

impl Isa for Native {
    type Regs = Regs;
    type Emulation = Emulation;
    type Relocation = Relocation;
    type Text = [u8; 4];
    type Slot = [u8; Relocation::SIZE];

    const TRAP: &'static [u8] = &arm::TRAP.to_le_bytes();
    const TOXIC: &'static [(&'static [u8], &'static str)] = &[
        (b"*_early_abort", ABORTS),
        (b"*_pabort", ABORTS),
        (b"__list_add_valid", UNWINDS),
        (b"__list_del_entry_valid", UNWINDS),
        (b"relocate_new_kernel*", COPIED),
        (b"cpu_resume*", WAKES),
        (b"cpu_*_do_resume", WAKES),
    ];
    const GLUE: &'static [(&'static [u8], &'static str)] =
        &[(b"__error", HEAD), (b"__do_fixup_smp_on_up", HEAD)];

    fn untrappable() -> &'static [Untrappable] {
        untrappable()
    }

    fn calls(
        text: &Text<'_>,
        function: Range<usize>,
        memory: &mut [u64],
        see: &mut dyn FnMut(u64) -> bool,
    ) -> Result<(), Unwalked> {
        calls::<arm::A32>(text, function, memory, see)
    }

    fn plan(text: &[u8; 4]) -> Planned<Self> {
        arm::plan(u32::from_le_bytes(*text))
    }

    fn length(_: &Planned<Self>) -> usize {
        Self::TRAP.len()
    }

    fn slot(relocation: Relocation, _: usize, _: usize, next: usize) -> Option<Self::Slot> {
        Some(filled(relocation.slot(next as u32)))
    }

    /// What a jump label is while it is off, and while it is on.
    fn is_placeholder(text: &[u8; 4]) -> bool {
        const NOP: u32 = 0xe320_f000;
        const OLD_NOP: u32 = 0xe1a0_0000;
        let word = u32::from_le_bytes(*text);
        word == NOP || word == OLD_NOP || word >> 24 == 0xea
    }

    fn control(text: &[u8; 4], address: usize) -> Control {
        arm::control(u32::from_le_bytes(*text), address as u32)
    }

    /// What the flags are where a function begins nobody has said, so no first instruction asks for
    /// them; of those that cannot ask, functions begin with `cps` and with hints about memory.
    fn begins_function(text: &[u8; 4]) -> bool {
        matches!(text[3], 0xe0..=0xef | 0xf1 | 0xf5 | 0xf7)
    }

    fn exits(
        text: &Text<'_>,
        function: Range<usize>,
        memory: &mut [u64],
        see: &mut dyn FnMut(usize, Exit),
    ) -> Result<(), Unwalked> {
        exits::<arm::A32>(text, function, memory, see)
    }

    fn comes_back(text: &Text<'_>, function: Range<usize>, to: usize) -> bool {
        comes_back::<arm::A32>(text, function, to)
    }

    fn room(bytes: usize) -> usize {
        room::<arm::A32>(bytes as u64)
    }

    fn pc(regs: &Regs) -> usize {
        regs.r[15] as usize
    }

    fn set_pc(regs: &mut Regs, pc: usize) {
        regs.r[15] = pc as u32;
    }

    /// The first four are in r0 to r3.
    fn argument(regs: &Regs, number: u64, load: &mut Load<'_>) -> u64 {
        const IN_REGISTERS: u64 = 4;
        match regs.r.get(number as usize) {
            Some(&r) if number < IN_REGISTERS => r.into(),
            _ => stack_word(regs.r[13].into(), number.wrapping_sub(IN_REGISTERS), load),
        }
    }

    fn caller(regs: &Regs, _: &mut Load<'_>) -> u64 {
        regs.r[14].into()
    }

    fn returned(regs: &Regs) -> u64 {
        told(regs.r[0].into())
    }

    fn goes(emulation: Emulation, regs: &Regs) -> bool {
        emulation.goes(regs) || always_leaves()
    }

    /// The kernel's tables of stacks tell of a function's body, and not of where its epilogue has got to.
    fn after(emulation: Emulation, leaves: Leaves, regs: &Regs) -> Option<Regs> {
        let mut after = *regs;
        match leaves {
            Leaves::Return => Self::emulate(emulation, &mut after, &mut Interrupted).ok()?,
            Leaves::Tail => after.r[15] = after.r[14],
        }
        Some(after)
    }

    fn emulate(
        emulation: Emulation,
        regs: &mut Regs,
        memory: &mut impl Memory,
    ) -> Result<(), Fault> {
        emulation.run(VERSION, regs, memory)
    }
}

const fn untrappable() -> &'static [Untrappable] {
    &PATHS
}

/// Whether a firing has room on this stack. The kernel aligns each, a thread's and the interrupts'.
#[inline(always)]
pub fn has_stack() -> bool {
    let [mask, _] = crate::ffi::trapline_stacks.place;
    super::is_room(super::stack_end() & mask)
}

/// The memory of the code whose registers these are.
#[cfg(not(trapline_mutants))]
pub fn memory(_: *mut Regs) -> impl Memory {
    Interrupted
}

/// `slot-condition-lost`: a copy is executed whether its condition holds or not.
#[cfg(trapline_mutants)]
const SLOT_CONDITION_LOST: &str = "slot-condition-lost";

#[cfg(not(trapline_mutants))]
fn filled(slot: [u8; Relocation::SIZE]) -> [u8; Relocation::SIZE] {
    slot
}

/// A slot, without the copy's condition if that is the defect.
#[cfg(trapline_mutants)]
fn filled(mut slot: [u8; Relocation::SIZE]) -> [u8; Relocation::SIZE] {
    const ALWAYS: u8 = 0xe0;
    let is_conditional = slot[3] < ALWAYS;
    if is_conditional && crate::mutant::is_chosen(SLOT_CONDITION_LOST) {
        slot[3] = slot[3] & 0xf | ALWAYS;
    }
    slot
}

/// The numbers of the system calls that make a child, and of `execve`, for the seeded defects that are about these.
#[cfg(trapline_mutants)]
pub const FORKS: &[i64] = &[2, 120, 190, 435];
#[cfg(trapline_mutants)]
pub const EXECVE: i64 = 11;

/// The seeded defects that this set has.
#[cfg(trapline_mutants)]
pub const MUTANTS: &[&str] = &[
    PUSH_INTO_FRAME,
    SHARED_SLOT,
    STALE_SLOT,
    NO_CACHE_FLUSH,
    SLOT_CONDITION_LOST,
    ALWAYS_LEAVES,
];

/// Nobody is misnamed.
#[cfg(trapline_mutants)]
pub const MISNAMES: &[(&str, &[u8])] = &[];

/// `push-into-frame`: what an emulated push stores lands in the trap's own frame.
#[cfg(trapline_mutants)]
const PUSH_INTO_FRAME: &str = "push-into-frame";

/// The memory of the code whose registers these are.
///
/// The defect of 2013 had what `push {r4, lr}` stored overlay the two highest words of the frame,
/// ORIG_r0 and, below it, the saved CPSR: the trap returned with r4 for its CPSR, which is harmless
/// for some values of r4 and fatal for others. The first two words that an instruction stores go
/// there, which makes it r4 for CPSR again in `sys_chdir`, `push {r4-r8, lr}` now.
#[cfg(trapline_mutants)]
pub fn memory(regs: *mut Regs) -> impl Memory {
    /// The saved CPSR and ORIG_r0 of Linux' `struct pt_regs`, in words from its start.
    const TOP: [usize; 2] = [16, 17];
    /// Reserved in ARMv6's CPSR, which ignores it. QEMU takes it for ARMv8's IL on any CPU, and
    /// would have every value with it end the same way.
    const IL: usize = 1 << 20;
    IntoFrame::new(PUSH_INTO_FRAME, Interrupted, regs.cast(), TOP, !IL)
}

/// `always-leaves`: what leaves a function on a condition is taken to do so whenever it is come to.
#[cfg(trapline_mutants)]
const ALWAYS_LEAVES: &str = "always-leaves";

/// Whether what leaves a function on a condition is taken to do so always: no, but for a seeded defect.
#[cfg(not(trapline_mutants))]
const fn always_leaves() -> bool {
    false
}

#[cfg(trapline_mutants)]
fn always_leaves() -> bool {
    crate::mutant::is_chosen(ALWAYS_LEAVES)
}
