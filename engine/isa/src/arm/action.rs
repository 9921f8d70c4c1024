//! What the trap handler does on the saved registers in place of an instruction.

use core::fmt;

use super::compute::{Compute, Operands};
use super::flow::{self, Flow};
use super::list::{LoadList, push};
use super::operand::{Register, Registers};
use super::transfer::{LoadPc, Transfer};
use super::{PC, Regs, SP, Version};
use crate::condition::Condition;
use crate::mutant::{self, Mutant};
use crate::{Fault, Memory};

/// An emulated instruction: one that reads or writes the pc, or that functions commonly begin with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Emulation {
    condition: Condition,
    action: Action,
}

/// Each site stores one, and every firing reads it.
const _: () = assert!(size_of::<Emulation>() <= 12);

/// What happens if the condition holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Action {
    Nop,
    /// `bytes` is the size of the registers, precomputed: ARMv6 has no instruction to count bits.
    Push {
        registers: Registers,
        bytes: u8,
    },
    LowerSp {
        by: u32,
    },
    Branch {
        by: i32,
    },
    Call {
        by: i32,
    },
    CallThumb {
        by: i32,
    },
    Exchange {
        to: Register,
    },
    CallRegister {
        to: Register,
    },
    Compute(Compute),
    Transfer(Transfer),
    LoadPc(LoadPc),
    LoadList(LoadList),
}

impl Action {
    /// This action under the condition of `word`.
    pub(super) const fn under(self, word: u32) -> Emulation {
        Emulation {
            condition: Condition::of(word >> 28),
            action: self,
        }
    }

    /// This action, whatever the condition field of `word`: 1111 is not a condition.
    pub(super) const fn always(self) -> Emulation {
        self.under(0b1110 << 28)
    }
}

impl Emulation {
    /// Whether control leaves with these registers: not if the condition fails.
    #[must_use]
    pub const fn goes(&self, regs: &Regs) -> bool {
        self.condition.holds(regs.cpsr)
    }

    /// Emulates the instruction: `regs` and `memory` become what they would be had it run at
    /// `regs.r[15]`, and the pc advances to the next instruction or the target. If the condition
    /// fails, only the pc changes.
    ///
    /// Stores use the registers' old values. Data are little-endian, as `memory` has them, whatever
    /// the CPSR says: instructions that could set its E bit are refused.
    ///
    /// No address has to be aligned. The processor requires it for multiple transfers, but Linux
    /// fixes up the resulting alignment trap bytewise (`arch/arm/mm/alignment.c`), so this is what
    /// the traced code observes.
    ///
    /// # Errors
    /// [`Fault`] if the instruction would have faulted; `regs` is unchanged then. Words are stored
    /// lowest address first. Those stored before the fault remain stored, as they may when the
    /// processor's own store multiple faults; running it again is safe.
    pub fn run(
        &self,
        version: Version,
        regs: &mut Regs,
        memory: &mut impl Memory,
    ) -> Result<(), Fault> {
        let mut flow = Flow::Next;
        if self.condition.holds(regs.cpsr) || mutant::is_chosen(Mutant::ConditionIgnored) {
            flow = self.action.run(version, regs, memory)?;
        }
        if flow == Flow::Next {
            regs.r[PC] = regs.r[PC].wrapping_add(4);
        }
        Ok(())
    }
}

impl Action {
    fn run(
        &self,
        version: Version,
        regs: &mut Regs,
        memory: &mut impl Memory,
    ) -> Result<Flow, Fault> {
        Ok(match *self {
            Self::Nop => Flow::Next,
            Self::Push { registers, bytes } => push(registers, bytes, regs, memory)?,
            Self::LowerSp { by } => {
                regs.r[SP] = regs.r[SP].wrapping_sub(by);
                Flow::Next
            }
            Self::Branch { by } => flow::relative(by, regs),
            Self::Call { by } => flow::call(by, regs),
            Self::CallThumb { by } => flow::call_thumb(by, regs),
            Self::Exchange { to } => flow::exchange(to.read(regs), regs),
            Self::CallRegister { to } => flow::call_register(to, regs),
            Self::Compute(compute) => compute.run(version, regs),
            Self::Transfer(transfer) => transfer.run(regs, memory)?,
            Self::LoadPc(load) => load.run(regs, memory)?,
            Self::LoadList(load) => load.run(regs, memory)?,
        })
    }
}

/// Assembler syntax: `push {r4, lr}`, `subne sp, sp, #0x8`. Branch targets are relative to the
/// instruction: `bl .-0x8`.
impl fmt::Display for Emulation {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let condition = self.condition;
        match self.action {
            Action::Nop => write!(out, "nop{condition}"),
            Action::Push { registers, .. } => write!(out, "push{condition} {registers}"),
            Action::LowerSp { by } => write!(out, "sub{condition} sp, sp, #{by:#x}"),
            Action::Branch { by } => write!(out, "b{condition} {}", Distance(by)),
            Action::Call { by } => write!(out, "bl{condition} {}", Distance(by)),
            Action::CallThumb { by } => write!(out, "blx {}", Distance(by)),
            Action::Exchange { to } => write!(out, "bx{condition} {to}"),
            Action::CallRegister { to } => write!(out, "blx{condition} {to}"),
            Action::Compute(compute) => {
                let (name, suffix) = (compute.name(), compute.suffix());
                write!(out, "{name}{suffix}{condition} {}", Operands(compute))
            }
            Action::Transfer(transfer) => {
                write!(out, "{}{condition} {transfer}", transfer.datum.name())
            }
            Action::LoadPc(load) => write!(out, "ldr{condition} {load}"),
            Action::LoadList(load) => write!(out, "ldm{}{condition} {load}", load.mode()),
        }
    }
}

/// A distance relative to the pc as the instruction reads it, 8 bytes ahead.
struct Distance(i32);

/// `.+0x8`.
impl fmt::Display for Distance {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let distance = self.0.wrapping_add(8);
        let sign = if distance < 0 { '-' } else { '+' };
        write!(out, ".{sign}{:#x}", distance.unsigned_abs())
    }
}
