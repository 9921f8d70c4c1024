//! A32 instructions done by the trap handler, on the registers it saved.

use core::fmt;

use super::operand::{Condition, Registers};
use super::{PC, Regs, SP, Version};
use crate::{Fault, Memory, Width};

/// An instruction that [`plan`](super::plan) has found to be emulable.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Emulation {
    condition: Condition,
    action: Action,
}

/// What happens if the condition holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Action {
    Push {
        registers: Registers,
        access: Access,
    },
    LowerSp {
        by: u32,
    },
}

/// Whether a store's address may be unaligned: MemU and MemA in the manual.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Access {
    Unaligned,
    Aligned,
}

/// `stmdb sp!, {list}`.
pub(super) const fn push_list(condition: u32, list: u32) -> Emulation {
    let registers = Registers(list);
    let access = Access::Aligned;
    Emulation {
        condition: Condition(condition),
        action: Action::Push { registers, access },
    }
}

/// `str rt, [sp, #-4]!`.
pub(super) const fn push_one(condition: u32, register: u32) -> Emulation {
    let registers = Registers::only(register);
    let access = Access::Unaligned;
    Emulation {
        condition: Condition(condition),
        action: Action::Push { registers, access },
    }
}

/// `sub sp, sp, #imm8, rotated right by twice the rotation` (A5.2.4).
pub(super) const fn lower_sp(condition: u32, rotation: u32, imm8: u32) -> Emulation {
    let by = imm8.rotate_right(rotation.wrapping_mul(2));
    Emulation {
        condition: Condition(condition),
        action: Action::LowerSp { by },
    }
}

impl Emulation {
    /// Does the instruction: `regs` and `memory` become what they would be had
    /// it run at `regs.r[15]`, and that pc is moved to the next instruction.
    /// An instruction whose condition does not hold only moves the pc.
    ///
    /// What is stored are the values that the registers had before.
    ///
    /// # Errors
    /// [`Fault`] where the instruction would have faulted. `regs` is then
    /// untouched. Words are stored lowest address first, and those stored
    /// before the one that faulted remain stored, as they may when the
    /// processor's own store multiple faults; running it again is safe.
    pub fn run(&self, _: Version, regs: &mut Regs, memory: &mut impl Memory) -> Result<(), Fault> {
        if self.condition.holds(regs.cpsr) {
            self.action.run(regs, memory)?;
        }
        regs.r[PC] = regs.r[PC].wrapping_add(4);
        Ok(())
    }
}

impl Action {
    fn run(self, regs: &mut Regs, memory: &mut impl Memory) -> Result<(), Fault> {
        regs.r[SP] = match self {
            Self::Push { registers, access } => push(registers, access, regs, memory)?,
            Self::LowerSp { by } => regs.r[SP].wrapping_sub(by),
        };
        Ok(())
    }
}

/// Stores `registers` below the stack pointer and returns where it then is.
fn push(
    registers: Registers,
    access: Access,
    regs: &Regs,
    memory: &mut impl Memory,
) -> Result<u32, Fault> {
    let bottom = regs.r[SP].wrapping_sub(registers.bytes());
    if access == Access::Aligned && bottom & 0b11 != 0 {
        let address = u64::from(bottom);
        return Err(Fault { address });
    }
    let mut address = bottom;
    for value in registers.values(&regs.r) {
        memory.store(address.into(), Width::Four, value.into())?;
        address = address.wrapping_add(4);
    }
    Ok(bottom)
}

/// As an assembler would have it: `push {r4, lr}`, `subne sp, sp, #0x8`.
impl fmt::Display for Emulation {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let condition = self.condition;
        match self.action {
            Action::Push { registers, .. } => write!(out, "push{condition} {registers}"),
            Action::LowerSp { by } => write!(out, "sub{condition} sp, sp, #{by:#x}"),
        }
    }
}
