//! x86-64, by `int3`.

use core::convert::Infallible;

use engine_isa::x86::{self, Emulation, Regs};
use engine_isa::{Fault, Memory, Plan};
use engine_tracer::Isa;

use crate::memory::Interrupted;
#[cfg(trapline_mutants)]
use crate::mutant::{IntoFrame, PUSH_INTO_FRAME};

const NOTIFIES: &str = "the notifier that a trap's handler is reached by runs it";

/// x86-64.
pub struct Native;

impl Isa for Native {
    type Regs = Regs;
    type Emulation = Emulation;
    type Text = [u8; 15];

    const TRAP: &'static [u8] = &[x86::TRAP];
    const TOXIC: &'static [(&'static [u8], &'static str)] = &[
        (b"__rcu_read_lock", NOTIFIES),
        (b"__rcu_read_unlock", NOTIFIES),
        (b"rcu_read_unlock_special", NOTIFIES),
        (b"hw_breakpoint_exceptions_notify", NOTIFIES),
    ];

    fn plan(text: &[u8; 15]) -> Plan<Emulation, Infallible> {
        x86::plan(text)
    }

    fn is_placeholder(emulation: Emulation) -> bool {
        emulation.is_nop()
    }

    /// The processor saves where it would go on: behind the trap.
    fn pc(regs: &Regs) -> usize {
        (regs.ip as usize).wrapping_sub(Self::TRAP.len())
    }

    fn set_pc(regs: &mut Regs, pc: usize) {
        regs.ip = resumption(pc) as u64;
    }

    fn emulate(
        emulation: Emulation,
        regs: &mut Regs,
        memory: &mut impl Memory,
    ) -> Result<(), Fault> {
        emulation.run(regs, memory)
    }
}

/// The memory of the code whose registers these are.
#[cfg(not(trapline_mutants))]
pub fn memory(_: *mut Regs) -> impl Memory {
    Interrupted
}

#[cfg(not(trapline_mutants))]
fn resumption(pc: usize) -> usize {
    pc
}

/// The seeded defects that this set has.
#[cfg(trapline_mutants)]
pub const MUTANTS: &[&str] = &[PUSH_INTO_FRAME, COUNT_FROM_TRAP];

/// The memory of the code whose registers these are.
///
/// Linux moves the frame that an INT3 in the kernel has pushed six words down, to make room for an
/// emulated push. Without that room, and with a stack pointer that is a multiple of 16, the pushed
/// word would lie where the processor saved SS.
#[cfg(trapline_mutants)]
pub fn memory(regs: *mut Regs) -> impl Memory {
    /// SS in Linux' `struct pt_regs`, in words from its start.
    const TOP: &[usize] = &[20];
    IntoFrame::new(Interrupted, regs.cast(), TOP, !0)
}

/// `count-from-trap`: the instruction's length is counted from where the processor would go on,
/// which is already one byte behind the instruction's first.
#[cfg(trapline_mutants)]
const COUNT_FROM_TRAP: &str = "count-from-trap";

#[cfg(trapline_mutants)]
fn resumption(pc: usize) -> usize {
    pc.wrapping_add(usize::from(crate::mutant::is_chosen(COUNT_FROM_TRAP)))
}
