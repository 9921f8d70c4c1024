//! Control flow: branches, and other writes to the pc.

use super::operand::{Register, pc_ahead};
use super::{LR, PC, Regs, Version};
use crate::mutant::{self, Mutant};

/// What an emulated instruction did to the pc.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Flow {
    /// Nothing: the next instruction follows.
    Next,
    /// Wrote the target to it.
    Gone,
}

/// CPSR.T: Thumb instructions follow.
const THUMB: u32 = 1 << 5;

/// Branches to `target` without changing the instruction set (BranchWritePC, A2.3.1).
pub(super) fn branch(target: u32, regs: &mut Regs) -> Flow {
    regs.r[PC] = target & !0b11;
    Flow::Gone
}

/// Branches to `target`, to Thumb if its lowest bit is set (BXWritePC, A2.3.1). An address that is
/// 2 modulo 4 is UNPREDICTABLE; it is left as it is.
pub(super) fn exchange(target: u32, regs: &mut Regs) -> Flow {
    if target & 1 == 1 && !mutant::is_chosen(Mutant::InterworkingLost) {
        regs.cpsr |= THUMB;
    }
    regs.r[PC] = target & !1;
    Flow::Gone
}

/// Branches to the result of data processing (ALUWritePC, A2.3.1).
pub(super) fn write_pc(target: u32, version: Version, regs: &mut Regs) -> Flow {
    match version {
        Version::V6 => branch(target, regs),
        Version::V7 => exchange(target, regs),
    }
}

/// `b`: branches by `by` bytes from the pc as the instruction reads it.
pub(super) fn relative(by: i32, regs: &mut Regs) -> Flow {
    branch(target(by, regs), regs)
}

/// `bl`.
pub(super) fn call(by: i32, regs: &mut Regs) -> Flow {
    let target = target(by, regs);
    link(regs);
    branch(target, regs)
}

/// `blx` to an address: Thumb instructions follow.
pub(super) fn call_thumb(by: i32, regs: &mut Regs) -> Flow {
    let target = target(by, regs);
    link(regs);
    exchange(target | 1, regs)
}

/// `blx` to a register's value.
pub(super) fn call_register(to: Register, regs: &mut Regs) -> Flow {
    let target = to.read(regs);
    link(regs);
    exchange(target, regs)
}

fn target(by: i32, regs: &Regs) -> u32 {
    let pc = regs.r[PC].wrapping_add(pc_ahead());
    pc.wrapping_add_signed(by)
}

/// Writes the address of the next instruction to lr.
fn link(regs: &mut Regs) {
    let ahead = if mutant::is_chosen(Mutant::LinkPlus8) {
        8
    } else {
        4
    };
    regs.r[LR] = regs.r[PC].wrapping_add(ahead);
}
