//! Control flow: branches, and other writes to the pc.

use super::operand::{Register, pc_ahead};
use super::state::{THUMB, is_thumb};
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

/// Branches to `target` without changing the instruction set (BranchWritePC, A2.3.1).
pub(super) fn branch(target: u32, regs: &mut Regs) -> Flow {
    let unused = if is_thumb(regs.cpsr) { 0b01 } else { 0b11 };
    regs.r[PC] = target & !unused;
    Flow::Gone
}

/// Branches to `target`, to Thumb if its lowest bit is set, else to ARM (BXWritePC, A2.3.1). An ARM
/// address that is 2 modulo 4 is UNPREDICTABLE; it is left as it is.
pub(super) fn exchange(target: u32, regs: &mut Regs) -> Flow {
    if target & 1 == 0 {
        if !mutant::is_chosen(Mutant::ThumbForEver) {
            regs.cpsr &= !THUMB;
        }
    } else if !mutant::is_chosen(Mutant::InterworkingLost) {
        regs.cpsr |= THUMB;
    }
    regs.r[PC] = target & !1;
    Flow::Gone
}

/// Branches to the result of data processing (ALUWritePC, A2.3.1).
pub(super) fn write_pc(target: u32, version: Version, regs: &mut Regs) -> Flow {
    match version {
        Version::V7 if !is_thumb(regs.cpsr) => exchange(target, regs),
        Version::V6 | Version::V7 => branch(target, regs),
    }
}

/// `b`: branches by `by` bytes from the pc as the instruction reads it.
pub(super) fn relative(by: i32, regs: &mut Regs) -> Flow {
    branch(target(by, regs), regs)
}

/// `bl`.
pub(super) fn call(by: i32, regs: &mut Regs) -> Flow {
    let target = target(by, regs);
    link(4, regs);
    branch(target, regs)
}

/// `blx` to an address: instructions of the other set follow.
pub(super) fn call_other(by: i32, regs: &mut Regs) -> Flow {
    let target = Register::numbered(PC as u32)
        .base(regs)
        .wrapping_add_signed(by);
    let thumb_follows = !is_thumb(regs.cpsr);
    link(4, regs);
    exchange(target | u32::from(thumb_follows), regs)
}

/// `blx` to a register's value, by an instruction of `length` bytes.
pub(super) fn call_register(to: Register, length: u32, regs: &mut Regs) -> Flow {
    let target = to.read(regs);
    link(length, regs);
    exchange(target, regs)
}

fn target(by: i32, regs: &Regs) -> u32 {
    let pc = regs.r[PC].wrapping_add(pc_ahead(regs));
    pc.wrapping_add_signed(by)
}

/// Writes the address of the next instruction to lr, with its lowest bit set in Thumb state.
fn link(length: u32, regs: &mut Regs) {
    let ahead = if mutant::is_chosen(Mutant::LinkPlus8) {
        8
    } else {
        length
    };
    let is_odd = is_thumb(regs.cpsr) && !mutant::is_chosen(Mutant::LinkEven);
    regs.r[LR] = regs.r[PC].wrapping_add(ahead) | u32::from(is_odd);
}
