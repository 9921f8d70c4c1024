//! Where control goes behind an A32 instruction. Few are asked more than once: eight of ten
//! are told by four of their bits to go on.

use super::operand::{bit, bits};
use super::{LR, PC, SP};
use crate::mutant::{self, Mutant};
use crate::{Away, Control};

/// No condition: other instructions.
const NONE: u32 = 0b1111;
/// The condition that always holds.
const ALWAYS: u32 = 0b1110;

/// Where control goes behind the instruction `word` at the address `at`.
#[must_use]
pub fn control(word: u32, at: u32) -> Control {
    let condition = word >> 28;
    if condition == NONE {
        return without_condition(word);
    }
    if is_undefined(word) {
        return Control::END;
    }
    let returns_from_exception = Control {
        next: condition != ALWAYS,
        away: None,
    };
    match away(word, at) {
        Some(_) if leaves_exception(word) => returns_from_exception,
        Some(away) => Control::to(away, condition != ALWAYS),
        None => Control::NEXT,
    }
}

/// `rfe` leads back from an exception; `blx` is a call.
const fn without_condition(word: u32) -> Control {
    if bits(word, 25, 3) == 0b100 && bit(word, 20) {
        return Control::END;
    }
    Control::NEXT
}

/// `udf`, by which the kernel says that it has a bug.
const fn is_undefined(word: u32) -> bool {
    word & 0x0ff0_00f0 == 0x07f0_00f0
}

/// Whether it is one of data processing that sets the flags, or a load of several with `^`: with the pc
/// these write to the status, too.
const fn leaves_exception(word: u32) -> bool {
    match bits(word, 25, 3) {
        0b000 | 0b001 => bit(word, 20),
        0b100 => bit(word, 22),
        _ => false,
    }
}

/// Where it goes, if it does.
fn away(word: u32, at: u32) -> Option<Away> {
    match bits(word, 25, 3) {
        0b000 | 0b001 => computed(word, at),
        0b010 | 0b011 => loaded(word),
        0b100 => (bit(word, 20) && bit(word, 15)).then_some(Away::Return),
        0b101 => (!bit(word, 24)).then(|| branch(word, at)),
        _ => None,
    }
}

const fn register(word: u32, low: u32) -> usize {
    bits(word, low, 4) as usize
}

/// `b`.
const fn branch(word: u32, at: u32) -> Away {
    let by = (word << 8).cast_signed() >> 6;
    to(at.wrapping_add(8).wrapping_add_signed(by))
}

/// A whole word: what lies between is ignored (BranchWritePC, A2.3.1).
const fn to(address: u32) -> Away {
    Away::To((address & !0b11) as u64)
}

/// `bx`, and data processing that writes the pc.
fn computed(word: u32, at: u32) -> Option<Away> {
    let is_constant = bit(word, 25);
    if !is_constant && bit(word, 4) {
        let is_branch = word & 0x0fff_ffd0 == 0x012f_ff10 || word & 0x0fff_fff0 == 0x012f_ff20;
        return (is_branch && bits(word, 4, 4) != 0b0011).then(|| by_register(word));
    }
    if bits(word, 23, 2) == 0b10 || register(word, 12) != PC {
        return None;
    }
    let opcode = bits(word, 21, 4);
    let from_pc = register(word, 16) == PC;
    Some(match (opcode, is_constant) {
        (0b1101, false) if bits(word, 4, 8) == 0 => by_register(word),
        (0b0100, true) if from_pc => to(at.wrapping_add(8).wrapping_add(constant(word))),
        (0b0010, true) if from_pc => to(at.wrapping_add(8).wrapping_sub(constant(word))),
        (0b0100 | 0b0010, false) if from_pc => switch(),
        _ => Away::Indirect,
    })
}

/// To what the last register has: the link register's is the caller.
const fn by_register(word: u32) -> Away {
    if register(word, 0) == LR {
        return Away::Return;
    }
    Away::Indirect
}

/// Eight bits, rotated right by twice the rotation (A5.2.4).
pub(super) const fn constant(word: u32) -> u32 {
    let rotation = bits(word, 8, 4).wrapping_mul(2);
    bits(word, 0, 8).rotate_right(rotation)
}

/// `ldr pc`. From the top of the stack, which it takes away, it returns. A literal leads elsewhere. What else is
/// loaded is of a table, whether its index is in a register or has been added before: nothing compiled for
/// ARMv5 or later calls so.
fn loaded(word: u32) -> Option<Away> {
    let is_index = bit(word, 25);
    let is_transfer = !(is_index && bit(word, 4));
    let loads_word = bit(word, 20) && !bit(word, 22);
    if !(is_transfer && loads_word && register(word, 12) == PC) {
        return None;
    }
    Some(match (is_index, register(word, 16)) {
        (false, SP) if pops(word) => Away::Return,
        (false, PC) => Away::Indirect,
        _ => switch(),
    })
}

/// Whether a transfer moves its base up, afterwards.
const fn pops(word: u32) -> bool {
    !bit(word, 24) && bit(word, 23)
}

fn switch() -> Away {
    if mutant::is_chosen(Mutant::SwitchIsTail) {
        return Away::Indirect;
    }
    Away::Switch
}
