//! Constraints that an A32 bit pattern cannot express: that two fields must differ, or that one
//! number must not exceed another. Each function here takes the word and the fields concerned, and
//! returns the whole plan.

use super::emulate;
use super::relocate::same;
use crate::arm::action::Emulation;
use crate::arm::extension;
use crate::arm::operand::{self, bit};
use crate::arm::relocation::Relocation;
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

/// `cps`.
pub(super) fn cps(word: u32, imod: u32, m: u32, interrupts: u32, mode: u32) -> Answer {
    if_so(operand::is_cps(imod, m, interrupts, mode), word)
}

/// `mrs` and `msr` of another mode's banked register, or of its SPSR. Bit 0 of the number is the
/// field's highest bit (B9.2.3).
pub(super) fn banked(word: u32, is_spsr: u32, number: u32) -> Answer {
    let number = (number & 1) << 4 | number >> 8;
    unless(operand::banked(is_spsr, number), word)
}

/// Relocates `word` unless there is a reason not to.
fn unless(why: Option<Why>, word: u32) -> Answer {
    why.map_or_else(|| Plan::Relocate(same(word)), Plan::Refuse)
}

/// `vmov` to two single registers: the second must exist.
pub(super) fn two_singles(word: u32) -> Answer {
    if_so(extension::are_two_singles(word), word)
}

/// `vmov` from two single registers, to two core registers that differ.
pub(super) fn two_singles_apart(word: u32, one: u32, other: u32) -> Answer {
    if_so(one != other && extension::are_two_singles(word), word)
}

/// `vldm`, `vstm`.
pub(super) fn extension_list(word: u32) -> Answer {
    if_so(extension::is_list(word), word)
}

/// The same with the pc as the base.
pub(super) fn extension_list_at_pc(word: u32) -> Answer {
    Plan::Refuse(if extension::is_list(word) {
        Why::Literal
    } else {
        Why::Unpredictable
    })
}

/// `vcvt` of a fixed-point number.
pub(super) fn fixed_point(word: u32) -> Answer {
    if_so(extension::is_fixed_point(word), word)
}

/// `vtbl`, `vtbx`.
pub(super) fn table_lookup(word: u32) -> Answer {
    if_so(extension::is_table(word), word)
}

/// `vld1` to `vld4` and `vst1` to `vst4` of multiple structures.
pub(super) fn structures(word: u32) -> Answer {
    unless(extension::structures(word), word)
}

/// The same of one lane.
pub(super) fn one_lane(word: u32) -> Answer {
    unless(extension::one_lane(word), word)
}

/// The same to all lanes.
pub(super) fn all_lanes(word: u32) -> Answer {
    unless(extension::all_lanes(word), word)
}
