//! Control flow: branches, and other writes to the pc.

use super::operand::{Register, pc_ahead};
use super::state::THUMB;
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
pub(super) fn branch<const IS_THUMB: bool>(target: u32, regs: &mut Regs) -> Flow {
    let unused = if IS_THUMB { 0b01 } else { 0b11 };
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
pub(super) fn write_pc<const IS_THUMB: bool>(
    target: u32,
    version: Version,
    regs: &mut Regs,
) -> Flow {
    match version {
        Version::V7 if !IS_THUMB => exchange(target, regs),
        Version::V6 | Version::V7 => branch::<IS_THUMB>(target, regs),
    }
}

/// `b`: branches by `by` bytes from the pc as the instruction reads it.
pub(super) fn relative<const IS_THUMB: bool>(by: i32, regs: &mut Regs) -> Flow {
    branch::<IS_THUMB>(target::<IS_THUMB>(by, regs), regs)
}

/// `bl`.
pub(super) fn call<const IS_THUMB: bool>(by: i32, regs: &mut Regs) -> Flow {
    let target = target::<IS_THUMB>(by, regs);
    link::<IS_THUMB>(4, regs);
    branch::<IS_THUMB>(target, regs)
}

/// `blx` to an address: instructions of the other set follow.
pub(super) fn call_other<const IS_THUMB: bool>(by: i32, regs: &mut Regs) -> Flow {
    let target = Register::numbered(PC as u32)
        .base::<IS_THUMB>(regs)
        .wrapping_add_signed(by);
    link::<IS_THUMB>(4, regs);
    exchange(target | u32::from(!IS_THUMB), regs)
}

/// `blx` to a register's value, by an instruction of `length` bytes.
pub(super) fn call_register<const IS_THUMB: bool>(
    to: Register,
    length: u32,
    regs: &mut Regs,
) -> Flow {
    let target = to.read::<IS_THUMB>(regs);
    link::<IS_THUMB>(length, regs);
    exchange(target, regs)
}

fn target<const IS_THUMB: bool>(by: i32, regs: &Regs) -> u32 {
    let pc = regs.r[PC].wrapping_add(pc_ahead::<IS_THUMB>());
    pc.wrapping_add_signed(by)
}

/// Writes the address of the next instruction to lr, with its lowest bit set in Thumb state.
fn link<const IS_THUMB: bool>(length: u32, regs: &mut Regs) {
    let ahead = if mutant::is_chosen(Mutant::LinkPlus8) {
        8
    } else {
        length
    };
    let is_odd = IS_THUMB && !mutant::is_chosen(Mutant::LinkEven);
    regs.r[LR] = regs.r[PC].wrapping_add(ahead) | u32::from(is_odd);
}
