//! Defects that x86-64 can have.

use core::ops::Range;

use engine_isa::body::{Exit, Text, Unwalked};
use engine_isa::x86::{LONGEST, Mode, Regs, X86};
use engine_isa::{Arch, Load, Memory, Variant};

use crate::memory::Interrupted;
use crate::mutant::{self, IntoFrame, SHARED_SLOT, STALE_SLOT, is_chosen};

/// x86 with the chosen defect.
pub struct Seeded;

impl Variant for Seeded {
    type Base = X86;

    fn will_be_rewritten(text: &[u8; LONGEST]) -> bool {
        X86::will_be_rewritten(text) && !is_chosen(LOCK_FORGOTTEN)
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

/// The memory of the code whose registers these are.
///
/// Linux moves the frame that an INT3 in the kernel has pushed six words down, to make room for an
/// emulated push. Without that room, and with a stack pointer that is a multiple of 16, the pushed
/// word would lie where the processor saved SS. Pushes are of one word. What comes of it
/// depends on the word: a selector of nothing, such as 0, is as good as any in the kernel.
pub fn memory(regs: *mut Regs) -> impl Memory {
    /// SS and, below it, SP in Linux' `struct pt_regs`, in words from its start.
    const TOP: [usize; 2] = [20, 19];
    IntoFrame::new(PUSH_INTO_SS, Interrupted, regs.cast(), TOP, !0)
}

/// The defects.
pub const MUTANTS: &[&str] = &[
    PUSH_INTO_SS,
    COUNT_FROM_TRAP,
    LOCK_FORGOTTEN,
    ARGUMENTS_ON_TOP,
    SHARED_SLOT,
    STALE_SLOT,
    SETUP_MISNAMED,
];

/// Functions that a defect hides from the blacklist, whose paths are not followed then either.
pub const MISNAMES: &[(&str, &[u8])] = &[(SETUP_MISNAMED, b"early_setup_idt")];

/// The numbers of the system calls that make a child.
pub const FORKS: &[i64] = &[56, 57, 58, 435];
/// The number of `execve`.
pub const EXECVE: i64 = 59;

/// `early-setup-idt-misnamed`: a function that a starting CPU runs has a name that the blacklist does not have.
const SETUP_MISNAMED: &str = "early-setup-idt-misnamed";

/// `push-into-ss`: what an emulated push stores lands in the trap's own frame.
const PUSH_INTO_SS: &str = "push-into-ss";

/// `lock-prefix-forgotten`: a LOCK prefix that the kernel has taken out, and will put back, can have a trap.
const LOCK_FORGOTTEN: &str = "lock-prefix-forgotten";

/// `count-from-trap`: the instruction's length is counted from where the processor would go on,
/// which is already one byte behind the instruction's first.
const COUNT_FROM_TRAP: &str = "count-from-trap";

/// `arguments-on-top`: arguments on the stack are read from where the return address is, as if the
/// function had been jumped to.
const ARGUMENTS_ON_TOP: &str = "arguments-on-top";
