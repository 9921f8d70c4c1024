//! Constraints that an A32 bit pattern cannot express: that two fields must differ, or that one
//! number must not exceed another. Each function here takes the word and the fields concerned, and
//! returns the whole plan.

use super::emulate;
use super::relocate::{Relocation, same};
use crate::arm::action::Emulation;
use crate::arm::operand::{bit, bits};
use crate::mutant::{self, Mutant};
use crate::{Plan, Why};

type Answer = Plan<Emulation, Relocation>;

/// Relocates `word` if the manual's constraint holds.
fn if_so(holds: bool, word: u32) -> Answer {
    if holds {
        return Plan::Relocate(same(word));
    }
    Plan::Refuse(Why::Unpredictable)
}

/// Emulates the instruction if the manual's constraint holds.
fn emulated_if_so(holds: bool, emulation: Emulation) -> Answer {
    if holds {
        return Plan::Emulate(emulation);
    }
    Plan::Refuse(Why::Unpredictable)
}

/// Two registers must differ.
pub(super) fn apart(word: u32, one: u32, other: u32) -> Answer {
    if_so(one != other, word)
}

/// Two registers must differ from a third.
pub(super) fn swap(word: u32, base: u32, one: u32, other: u32) -> Answer {
    if_so(base != one && base != other, word)
}

/// A register must be neither of the pair that begins at `first`.
const fn is_apart_from_two(one: u32, first: u32) -> bool {
    one != first && one != first.wrapping_add(1)
}

/// A register must be neither of a pair.
pub(super) fn apart_from_two(word: u32, one: u32, first: u32) -> Answer {
    if_so(is_apart_from_two(one, first), word)
}

/// Two registers must both be neither of a pair.
pub(super) fn both_apart_from_two(word: u32, one: u32, other: u32, first: u32) -> Answer {
    let apart = is_apart_from_two(one, first) && is_apart_from_two(other, first);
    if_so(apart, word)
}

/// `ldrd rt, [pc, rm]`.
pub(super) fn load_dual(word: u32, offset: u32, first: u32) -> Answer {
    let emulation = emulate::ldrd_register(word);
    emulated_if_so(is_apart_from_two(offset, first), emulation)
}

/// Whether a base that is written back is also loaded.
fn loads_base(base: u32, list: u32) -> bool {
    bit(list, base) && !mutant::is_chosen(Mutant::BaseInList)
}

/// `ldm rn!, {list}`: the base must not be in the list.
pub(super) fn load_and_move(word: u32, base: u32, list: u32) -> Answer {
    if_so(!loads_base(base, list), word)
}

/// `ldm rn!, {..., pc}`: the same.
pub(super) fn load_pc_and_move(word: u32, base: u32, list: u32) -> Answer {
    emulated_if_so(!loads_base(base, list), emulate::load_list(word))
}

/// Whether the value stored for the base is defined: the old one if the base is the lowest register
/// in the list; otherwise UNKNOWN.
const fn stores_known_base(base: u32, list: u32) -> bool {
    !bit(list, base) || list.trailing_zeros() == base
}

/// `stm rn!, {list}`.
pub(super) fn store_and_move(word: u32, base: u32, list: u32) -> Answer {
    if_so(stores_known_base(base, list), word)
}

/// `stm rn!, {..., pc}`.
pub(super) fn store_pc_and_move(base: u32, list: u32) -> Answer {
    Plan::Refuse(if stores_known_base(base, list) {
        Why::Implementation
    } else {
        Why::Unpredictable
    })
}

/// `strex`: a trap clears the exclusive monitor that it depends on.
pub(super) fn exclusive_store(word: u32) -> Answer {
    if mutant::is_chosen(Mutant::ExclusiveAccepted) {
        return Plan::Relocate(same(word));
    }
    Plan::Refuse(Why::Exclusive)
}

/// A field of `width` plus one bits must end below bit 32.
pub(super) fn field_within_word(word: u32, width: u32, lowest: u32) -> Answer {
    if_so(lowest.wrapping_add(width) < 32, word)
}

/// The highest bit of a field must not lie below its lowest.
pub(super) fn not_below(word: u32, highest: u32, lowest: u32) -> Answer {
    if_so(highest >= lowest, word)
}

/// `cps`: a mode only if M is set, interrupt bits only if imod changes them, and at least one of
/// the two.
pub(super) fn cps(word: u32, imod: u32, m: u32, interrupts: u32, mode: u32) -> Answer {
    let changes_interrupts = imod & 0b10 != 0;
    let changes_mode = m == 1;
    let says_mode = changes_mode || mode == 0;
    let says_interrupts = changes_interrupts == (interrupts != 0);
    let changes = changes_interrupts || changes_mode;
    if_so(
        imod != 0b01 && says_mode && says_interrupts && changes,
        word,
    )
}

/// `mrs` and `msr` of another mode's banked register, or of its SPSR. Bit 0 of the number is the
/// field's highest bit (B9.2.3).
///
/// The registers of the mode that traps are taken in, and the SPSR of the mode that the kernel then
/// handles them in, have been overwritten by the trap; those of abort mode may have been, by a
/// fault that a program caused.
pub(super) fn banked(word: u32, is_spsr: u32, number: u32) -> Answer {
    const SVC: u32 = 0b1_0010;
    const ABT: u32 = 0b1_0100;
    const UND: u32 = 0b1_0110;
    let number = (number & 1) << 4 | number >> 8;
    match (is_spsr, number) {
        (1, SVC) | (_, ABT | UND) => Plan::Refuse(Why::Spsr),
        (1, 0b0_1110 | 0b1_0000 | 0b1_1100 | 0b1_1110) => if_so(true, word),
        (0, 0b0_0111 | 0b0_1111 | 0b1_1000..=0b1_1011) => if_so(false, word),
        (0, _) => if_so(true, word),
        (_, _) => if_so(false, word),
    }
}

/// `vmov` to two single registers: the second must exist.
pub(super) fn two_singles(word: u32) -> Answer {
    if_so(first_single(word, 0, 5) != 31, word)
}

/// `vmov` from two single registers, to two core registers that differ.
pub(super) fn two_singles_apart(word: u32, one: u32, other: u32) -> Answer {
    if_so(one != other && first_single(word, 0, 5) != 31, word)
}

/// A single register's number: four bits from `low` up, then bit `lowest` as the least significant.
const fn first_single(word: u32, low: u32, lowest: u32) -> u32 {
    bits(word, low, 4) << 1 | bits(word, lowest, 1)
}

/// A double register's number: four bits from `low` up, and bit `highest` as the most significant.
const fn first_double(word: u32, low: u32, highest: u32) -> u32 {
    bits(word, highest, 1) << 4 | bits(word, low, 4)
}

/// The double register that most encodings call Vd.
const fn vd(word: u32) -> u32 {
    first_double(word, 12, 22)
}

/// `vldm`, `vstm`: at least one register and none beyond the last; of double registers at most 16,
/// and none beyond d15 if the number of words is odd (A8.8.332).
fn is_extension_list(word: u32) -> bool {
    let words = bits(word, 0, 8);
    let (first, count, most, end) = if !bit(word, 8) {
        (first_single(word, 12, 22), words, 32, 32)
    } else if words & 1 == 0 {
        (vd(word), words >> 1, 16, 32)
    } else {
        (vd(word), words >> 1, 16, 16)
    };
    count != 0 && count <= most && first.wrapping_add(count) <= end
}

/// `vldm`, `vstm`.
pub(super) fn extension_list(word: u32) -> Answer {
    if_so(is_extension_list(word), word)
}

/// The same with the pc as the base.
pub(super) fn extension_list_at_pc(word: u32) -> Answer {
    Plan::Refuse(if is_extension_list(word) {
        Why::Literal
    } else {
        Why::Unpredictable
    })
}

/// `vcvt` of a fixed-point number: no more fraction bits than the number has.
pub(super) fn fixed_point(word: u32) -> Answer {
    let size = if bit(word, 7) { 32 } else { 16 };
    let less = bits(word, 0, 4) << 1 | bits(word, 5, 1);
    if_so(less <= size, word)
}

/// `vtbl`, `vtbx`: the table must not extend beyond the last register.
pub(super) fn table_lookup(word: u32) -> Answer {
    let first = first_double(word, 16, 7);
    let more = bits(word, 8, 2);
    if_so(first.wrapping_add(more) < 32, word)
}

/// Element and structure accesses to a list of registers from Vd to `last` registers beyond it,
/// which must not extend beyond the last register.
fn if_allocated(allocated: bool, word: u32, last: u32) -> Answer {
    if !allocated {
        return Plan::Refuse(Why::Undefined);
    }
    let based_on_pc = bits(word, 16, 4) == 15;
    if_so(!based_on_pc && vd(word).wrapping_add(last) < 32, word)
}

/// `vld1` to `vld4` and `vst1` to `vst4` of multiple structures (A8.8.320,
/// 323, 326, 329).
pub(super) fn structures(word: u32) -> Answer {
    let (size, align) = (bits(word, 6, 2), bits(word, 4, 2));
    let by_halves = align & 0b10 == 0;
    let small = size != 0b11;
    let (allocated, last) = match bits(word, 8, 4) {
        0b0111 => (by_halves, 0),
        0b1010 => (align != 0b11, 1),
        0b0110 => (by_halves, 2),
        0b0010 => (true, 3),
        0b1000 => (small && align != 0b11, 1),
        0b1001 => (small && align != 0b11, 2),
        0b0011 => (small, 3),
        0b0100 => (small && by_halves, 2),
        0b0101 => (small && by_halves, 4),
        0b0000 => (small, 3),
        0b0001 => (small, 6),
        _ => (false, 0),
    };
    if_allocated(allocated, word, last)
}

/// The same of one lane (A8.8.321, 324, 327, 330).
pub(super) fn one_lane(word: u32) -> Answer {
    let (size, index) = (bits(word, 10, 2), bits(word, 4, 4));
    let more = bits(word, 8, 2);
    let allocated = match (more, size) {
        (0, 0b00) | (2, 0b00 | 0b01) => index & 0b0001 == 0,
        (0, 0b01) | (1, 0b10) => index & 0b0010 == 0,
        (0, 0b10) => index & 0b0100 == 0 && matches!(index & 0b0011, 0b00 | 0b11),
        (2, 0b10) => index & 0b0011 == 0,
        (3, 0b10) => index & 0b0011 != 0b11,
        _ => true,
    };
    let spaced = match size {
        0b01 => bit(index, 1),
        0b10 => bit(index, 2),
        _ => false,
    };
    if_allocated(allocated, word, more.wrapping_shl(u32::from(spaced)))
}

/// The same to all lanes (A8.8.322, 325, 328, 331).
pub(super) fn all_lanes(word: u32) -> Answer {
    let (size, aligned, wide) = (bits(word, 6, 2), bit(word, 4), bit(word, 5));
    let more = bits(word, 8, 2);
    let allocated = match more {
        0 => size != 0b11 && !(size == 0b00 && aligned),
        1 => size != 0b11,
        2 => size != 0b11 && !aligned,
        _ => size != 0b11 || aligned,
    };
    let last = match more {
        0 => u32::from(wide),
        _ => more.wrapping_shl(u32::from(wide)),
    };
    if_allocated(allocated, word, last)
}
