//! What the drawings of floating-point and Advanced SIMD instructions cannot say. Their lower 24 bits
//! are the same in A32 and in T32.

use super::operand::{bit, bits};
use crate::Why;

/// `vmov` of two single registers: the second must exist.
pub(super) const fn are_two_singles(word: u32) -> bool {
    first_single(word, 0, 5) != 31
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
pub(super) fn is_list(word: u32) -> bool {
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

/// `vcvt` of a fixed-point number: no more fraction bits than the number has.
pub(super) fn is_fixed_point(word: u32) -> bool {
    let size = if bit(word, 7) { 32 } else { 16 };
    let less = bits(word, 0, 4) << 1 | bits(word, 5, 1);
    less <= size
}

/// `vtbl`, `vtbx`: the table must not extend beyond the last register.
pub(super) fn is_table(word: u32) -> bool {
    let first = first_double(word, 16, 7);
    let more = bits(word, 8, 2);
    first.wrapping_add(more) < 32
}

/// Element and structure accesses to a list of registers from Vd to `last` registers beyond it,
/// which must not extend beyond the last register.
fn unless_allocated(allocated: bool, word: u32, last: u32) -> Option<Why> {
    if !allocated {
        return Some(Why::Undefined);
    }
    let based_on_pc = bits(word, 16, 4) == 15;
    let is_known = !based_on_pc && vd(word).wrapping_add(last) < 32;
    (!is_known).then_some(Why::Unpredictable)
}

/// `vld1` to `vld4` and `vst1` to `vst4` of multiple structures (A8.8.320,
/// 323, 326, 329).
pub(super) fn structures(word: u32) -> Option<Why> {
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
    unless_allocated(allocated, word, last)
}

/// The same of one lane (A8.8.321, 324, 327, 330).
pub(super) fn one_lane(word: u32) -> Option<Why> {
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
    unless_allocated(allocated, word, more.wrapping_shl(u32::from(spaced)))
}

/// The same to all lanes (A8.8.322, 325, 328, 331).
pub(super) fn all_lanes(word: u32) -> Option<Why> {
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
    unless_allocated(allocated, word, last)
}
