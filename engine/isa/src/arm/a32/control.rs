//! Where control goes after an A32 instruction. Function walks ask this of every instruction; four
//! of the bits settle it for eight of ten.

use crate::arm::operand::{bit, bits};
use crate::arm::{LR, PC, SP};
use crate::mutant::{self, Mutant};
use crate::{Away, Control};

/// The condition field 1111: the unconditional instructions.
const NONE: u32 = 0b1111;
/// The condition AL.
const ALWAYS: u32 = 0b1110;

/// Where control goes after the instruction `word` at the address `at`.
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

/// `rfe` returns from an exception; `blx` is a call.
const fn without_condition(word: u32) -> Control {
    if bits(word, 25, 3) == 0b100 && bit(word, 20) {
        return Control::END;
    }
    Control::NEXT
}

/// `udf`, the kernel's BUG.
const fn is_undefined(word: u32) -> bool {
    word & 0x0ff0_00f0 == 0x07f0_00f0
}

/// Whether this is data processing that sets the flags, or a load multiple with `^`: with the pc as
/// the destination these write the CPSR too.
const fn leaves_exception(word: u32) -> bool {
    match bits(word, 25, 3) {
        0b000 | 0b001 => bit(word, 20),
        0b100 => bit(word, 22),
        _ => false,
    }
}

/// The target, if the instruction writes the pc.
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

/// Word-aligned: the low two bits are ignored (BranchWritePC, A2.3.1).
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

/// A branch to the value of the last register: with lr it is a return.
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

/// `ldr pc`. Popped from the stack it is a return, a literal is a jump elsewhere. Any other load is
/// from a jump table, whether the index is in a register or was added before: nothing compiled for
/// ARMv5 or later calls this way.
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

/// Whether a transfer is post-indexed, upwards.
const fn pops(word: u32) -> bool {
    !bit(word, 24) && bit(word, 23)
}

fn switch() -> Away {
    if mutant::is_chosen(Mutant::SwitchIsTail) {
        return Away::Indirect;
    }
    Away::Switch
}
