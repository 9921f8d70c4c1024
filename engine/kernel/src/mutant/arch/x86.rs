//! x86-64's mutants.

use core::ops::Range;

use engine_isa::body::{Exit, Text, Unwalked};
use engine_isa::x86::{LONGEST, Mode, Regs, Relocation, X86};
use engine_isa::{Arch, Load, Memory, Variant};

use crate::memory::Interrupted;
use crate::mutant::{self, IntoFrame, SHARED_SLOT, STALE_SLOT, is_chosen};

/// x86-64 with the selected mutant.
pub struct Seeded;

impl Variant for Seeded {
    type Base = X86;

    fn will_be_rewritten(text: &[u8; LONGEST]) -> bool {
        X86::will_be_rewritten(text) && !is_chosen(LOCK_FORGOTTEN)
    }

    fn slot(
        relocation: Relocation,
        at: usize,
        from: usize,
        next: usize,
    ) -> Option<[u8; Relocation::SIZE]> {
        let mut slot = X86::slot(relocation, at, from, next)?;
        if is_chosen(DISPLACEMENT_KEPT) {
            let unmoved = X86::slot(relocation, at, at, next)?;
            let copy = slot.get_mut(..relocation.length())?;
            copy.copy_from_slice(unmoved.get(..copy.len())?);
        }
        Some(slot)
    }

    fn exits(
        text: &Text<'_>,
        function: Range<usize>,
        memory: &mut [u64],
        see: &mut dyn FnMut(usize, Exit),
    ) -> Result<(), Unwalked> {
        mutant::exits::<X86>(text, function, memory, see)
    }

    fn set_pc(regs: &mut Regs, pc: usize) {
        X86::set_pc(
            regs,
            pc.wrapping_add(usize::from(is_chosen(COUNT_FROM_TRAP))),
        );
    }

    fn argument(regs: &Regs, mode: Mode, number: u64, load: &mut Load<'_>) -> u64 {
        let mut regs = *regs;
        if is_chosen(ARGUMENTS_ON_TOP) {
            regs.sp = regs.sp.wrapping_sub(size_of::<u64>() as u64);
        }
        X86::argument(&regs, mode, number, load)
    }

    fn returned(regs: &Regs) -> u64 {
        mutant::returned(X86::returned(regs))
    }
}

/// The memory that an emulated instruction accesses, for the trap with these registers.
///
/// On an INT3 in kernel mode Linux moves the exception frame down by six words, to make room for an
/// emulated push. Without that room, and with a stack pointer that is a multiple of 16, a pushed
/// word would overwrite the saved SS; no push is larger than one word. The effect depends on the
/// word: a null selector, such as 0, is valid for SS in the kernel.
pub fn memory(regs: *mut Regs) -> impl Memory {
    /// Indices of SS and, below it, SP in Linux's `struct pt_regs`.
    const TOP: [usize; 2] = [20, 19];
    IntoFrame::new(PUSH_INTO_SS, Interrupted, regs.cast(), TOP, !0)
}

/// The names of x86-64's mutants.
pub const MUTANTS: &[&str] = &[
    PUSH_INTO_SS,
    COUNT_FROM_TRAP,
    LOCK_FORGOTTEN,
    ARGUMENTS_ON_TOP,
    SHARED_SLOT,
    STALE_SLOT,
    SETUP_MISNAMED,
    DISPLACEMENT_KEPT,
];

/// With one of these mutants, the blacklist's paths are not followed either.
pub const MISNAMES: &[(&str, &[u8])] = &[(SETUP_MISNAMED, b"early_setup_idt")];

/// clone, fork, vfork and clone3.
pub const FORKS: &[i64] = &[56, 57, 58, 435];
/// execve.
pub const EXECVE: i64 = 59;

/// `early-setup-idt-misnamed`: a function that a starting CPU runs is missing from the blacklist.
const SETUP_MISNAMED: &str = "early-setup-idt-misnamed";

/// `push-into-ss`: an emulated push overwrites the SS in the trap's own frame.
const PUSH_INTO_SS: &str = "push-into-ss";

/// `lock-prefix-forgotten`: a trap may replace a LOCK prefix that the kernel has patched to a DS
/// prefix and will patch back.
const LOCK_FORGOTTEN: &str = "lock-prefix-forgotten";

/// `count-from-trap`: the next instruction's address is computed from the saved pc, which is one
/// byte past the start of the instruction.
const COUNT_FROM_TRAP: &str = "count-from-trap";

/// `arguments-on-top`: arguments on the stack are read from where the return address is, as if
/// there were none.
const ARGUMENTS_ON_TOP: &str = "arguments-on-top";

/// `displacement-kept`: a relocated instruction that addresses memory relative to itself keeps its
/// displacement, and so reaches other memory from its slot.
const DISPLACEMENT_KEPT: &str = "displacement-kept";
