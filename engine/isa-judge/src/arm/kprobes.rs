//! What kprobes (Linux 6.1, built for ARMv6) accept of A32, for the census.
//!
//! A row draws an encoding as `engine-isa` does, with one addition: a register drawn `pppp` must
//! not be the pc, and one drawn `wwww` must not if the instruction writes its base back. The first
//! row that matches decides.

use crate::counted::Verdict;
use Verdict::{Emulate, Reject, Simulate};

/// The register constraints are part of the drawing.
const ROWS: &[(&str, Verdict)] = &[
    // Unconditional: preloads, and blx to Thumb code.
    ("1111 010x xx01 xxxx xxxx xxxx xxxx xxxx", Simulate),
    ("1111 011x xx01 xxxx xxxx xxxx xxx0 xxxx", Simulate),
    ("1111 101x xxxx xxxx xxxx xxxx xxxx xxxx", Simulate),
    ("1111 xxxx xxxx xxxx xxxx xxxx xxxx xxxx", Reject),
    // Status registers, branches, and the rest of that group.
    ("xxxx 0001 0000 xxxx pppp xxxx 0000 xxxx", Simulate),
    ("xxxx 0001 0010 xxxx xxxx xxxx 00x1 xxxx", Simulate),
    ("xxxx 0001 0110 xxxx pppp xxxx 0001 pppp", Emulate),
    ("xxxx 0001 0xx0 pppp pppp xxxx 0101 pppp", Emulate),
    ("xxxx 0001 0xx0 xxxx xxxx xxxx 0xxx xxxx", Reject),
    // Halfword multiplication.
    ("xxxx 0001 0100 pppp pppp pppp 1xx0 pppp", Emulate),
    ("xxxx 0001 0010 pppp xxxx pppp 1x10 pppp", Emulate),
    ("xxxx 0001 0110 pppp xxxx pppp 1xx0 pppp", Emulate),
    ("xxxx 0001 0000 pppp pppp pppp 1xx0 pppp", Emulate),
    ("xxxx 0001 0010 pppp pppp pppp 1x00 pppp", Emulate),
    ("xxxx 0001 0xx0 xxxx xxxx xxxx 1xx0 xxxx", Reject),
    // Multiplication.
    ("xxxx 0000 000x pppp xxxx pppp 1001 pppp", Emulate),
    ("xxxx 0000 001x pppp pppp pppp 1001 pppp", Emulate),
    ("xxxx 0000 0110 pppp pppp pppp 1001 pppp", Emulate),
    ("xxxx 0000 0100 pppp pppp pppp 1001 pppp", Emulate),
    ("xxxx 0000 1xxx pppp pppp pppp 1001 pppp", Emulate),
    ("xxxx 0000 xxxx xxxx xxxx xxxx 1001 xxxx", Reject),
    // Exclusives and swaps.
    ("xxxx 0001 xxxx xxxx xxxx xxxx 1001 xxxx", Reject),
    // Loads and stores of halfwords, doublewords and signed bytes.
    ("xxxx 0000 xx1x xxxx xxxx xxxx 1xx1 xxxx", Reject),
    ("xxxx 000x xxx0 xxxx 111x xxxx 11x1 xxxx", Reject),
    ("xxxx 000x x0x0 wwww pppp xxxx 11x1 pppp", Emulate),
    ("xxxx 000x x1x0 wwww pppp xxxx 11x1 xxxx", Emulate),
    ("xxxx 000x x0x0 wwww pppp xxxx 1011 pppp", Emulate),
    ("xxxx 000x x0x1 wwww pppp xxxx 1xx1 pppp", Emulate),
    ("xxxx 000x x1x0 wwww pppp xxxx 1011 xxxx", Emulate),
    ("xxxx 000x x1x1 wwww pppp xxxx 1xx1 xxxx", Emulate),
    ("xxxx 000x xxxx xxxx xxxx xxxx 1xx1 xxxx", Reject),
    // Data processing on registers; the pc cannot be written with the flags.
    ("xxxx 000x xxx1 xxxx 1111 xxxx xxxx xxxx", Reject),
    ("1110 0001 1010 0000 1100 0000 0000 1101", Simulate),
    ("xxxx 000x xxxx xxxx xxxx xxxx xxx0 xxxx", Emulate),
    ("xxxx 0001 0xx1 pppp xxxx pppp 0xx1 pppp", Emulate),
    ("xxxx 0001 1x1x xxxx pppp pppp 0xx1 pppp", Emulate),
    ("xxxx 000x xxxx pppp pppp pppp 0xx1 pppp", Emulate),
    // Data processing on constants, and hints.
    ("xxxx 0011 0x00 xxxx pppp xxxx xxxx xxxx", Emulate),
    ("xxxx 0011 0010 0000 xxxx xxxx 0000 0001", Emulate),
    ("xxxx 0011 0010 0000 xxxx xxxx 0000 0100", Emulate),
    ("xxxx 0011 0010 0000 xxxx xxxx 0000 00xx", Simulate),
    ("xxxx 0011 0x10 xxxx xxxx xxxx xxxx xxxx", Reject),
    ("xxxx 001x xxx1 xxxx 1111 xxxx xxxx xxxx", Reject),
    ("xxxx 001x xxxx xxxx xxxx xxxx xxxx xxxx", Emulate),
    // Selection, saturation, reversal, parallel arithmetic, packing and extension.
    ("xxxx 0110 1000 pppp pppp xxxx 1011 pppp", Emulate),
    ("xxxx 0110 1x1x xxxx pppp xxxx xx01 pppp", Emulate),
    ("xxxx 0110 1x10 xxxx pppp xxxx 0011 pppp", Emulate),
    ("xxxx 0110 1x11 xxxx pppp xxxx x011 pppp", Emulate),
    ("xxxx 0110 0x00 xxxx xxxx xxxx xxx1 xxxx", Reject),
    ("xxxx 0110 0xxx xxxx xxxx xxxx 1011 xxxx", Reject),
    ("xxxx 0110 0xxx xxxx xxxx xxxx 1101 xxxx", Reject),
    ("xxxx 0110 0xxx pppp pppp xxxx xxx1 pppp", Emulate),
    ("xxxx 0110 1000 pppp pppp xxxx xx01 pppp", Emulate),
    ("xxxx 0110 1x01 xxxx xxxx xxxx 0111 xxxx", Reject),
    ("xxxx 0110 1xxx 1111 pppp xxxx 0111 pppp", Emulate),
    ("xxxx 0110 1xxx pppp pppp xxxx 0111 pppp", Emulate),
    ("xxxx 0110 xxxx xxxx xxxx xxxx xxx1 xxxx", Reject),
    // Signed multiplication, sums of differences, bit fields.
    ("xxxx 0111 1111 xxxx xxxx xxxx 1111 xxxx", Reject),
    ("xxxx 0111 0100 pppp pppp pppp 0xx1 pppp", Emulate),
    ("xxxx 0111 0000 pppp 1111 pppp 0xx1 pppp", Emulate),
    ("xxxx 0111 0101 pppp 1111 pppp 00x1 pppp", Emulate),
    ("xxxx 0111 1000 pppp 1111 pppp 0001 pppp", Emulate),
    ("xxxx 0111 0000 pppp pppp pppp 0xx1 pppp", Emulate),
    ("xxxx 0111 0101 pppp pppp pppp 00x1 pppp", Emulate),
    ("xxxx 0111 1000 pppp pppp pppp 0001 pppp", Emulate),
    ("xxxx 0111 0101 pppp pppp pppp 11x1 pppp", Emulate),
    ("xxxx 0111 1x1x xxxx pppp xxxx x101 pppp", Emulate),
    ("xxxx 0111 110x xxxx pppp xxxx x001 xxxx", Emulate),
    ("xxxx 0111 xxxx xxxx xxxx xxxx xxx1 xxxx", Reject),
    // Unprivileged loads and stores, and all others.
    ("xxxx 01x0 xx1x xxxx xxxx xxxx xxxx xxxx", Reject),
    ("xxxx 010x xxxx wwww xxxx xxxx xxxx xxxx", Emulate),
    ("xxxx 011x xxxx wwww xxxx xxxx xxx0 pppp", Emulate),
    // Branches; what remains are coprocessors and traps.
    ("xxxx 101x xxxx xxxx xxxx xxxx xxxx xxxx", Simulate),
];

/// What kprobes do about `word`.
pub fn verdict(word: u32) -> Verdict {
    if reaches_far_below_sp(word) {
        return Reject;
    }
    if word >> 28 != 15 && word >> 25 & 7 == 0b100 {
        return of_several(word);
    }
    let found = ROWS.iter().find(|(drawing, _)| matches(drawing, word));
    match found {
        Some((drawing, verdict)) if keeps_its_constraints(drawing, word) => *verdict,
        _ => Reject,
    }
}

/// The digits of a drawing with the bits of a word at their positions.
fn drawn(drawing: &str, word: u32) -> impl Iterator<Item = (u8, u32)> {
    let digits = drawing.bytes().filter(|&digit| digit != b' ');
    digits.zip((0..32).rev().map(move |bit| word >> bit & 1))
}

fn matches(drawing: &str, word: u32) -> bool {
    drawn(drawing, word).all(|(digit, bit)| match digit {
        b'0' => bit == 0,
        b'1' => bit == 1,
        _ => true,
    })
}

fn keeps_its_constraints(drawing: &str, word: u32) -> bool {
    let written_back = (word ^ 1 << 24) & (1 << 24 | 1 << 21) != 0;
    let groups = drawing.split(' ').zip((0..8).rev());
    groups.into_iter().all(|(group, place)| {
        let is_pc = word >> (4 * place) & 15 == 15;
        match group {
            "pppp" => !is_pc,
            "wwww" => !(is_pc && written_back),
            _ => true,
        }
    })
}

/// Load and store multiple: from a slot if the registers are among r0 to r12, r2 to r14 or,
/// loading, r3 to r15.
fn of_several(word: u32) -> Verdict {
    let (base, list) = (word >> 16 & 15, word & 0xffff);
    let loads = word >> 20 & 1 == 1;
    if word >> 22 & 1 == 1 {
        Reject
    } else if base <= 12 && list & 0xe000 == 0
        || base >= 2 && list & 0x8003 == 0
        || base >= 3 && list & 0x0007 == 0 && loads && list & 0x8000 != 0
    {
        Emulate
    } else {
        Simulate
    }
}

/// Stores relative to sp must stay within the 64 bytes that the trap leaves free below it; with a
/// register offset this is not known.
fn reaches_far_below_sp(word: u32) -> bool {
    let conditional = word >> 28 != 15;
    let of_sp = word >> 16 & 15 == 13;
    let pre_indexed_down = word >> 24 & 1 == 1 && word >> 23 & 1 == 0;
    let single = word >> 26 & 3 == 0b01 && word >> 20 & 1 == 0;
    let by_register = word >> 25 & 1 == 1;
    let far = word & 0xfff > 64;
    conditional && of_sp && single && (by_register || pre_indexed_down && far)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_functions_begin_and_end_with() {
        for (word, wanted) in [
            (0xe92d_4010, Emulate),
            (0xe92d_4001, Simulate),
            (0xe52d_e004, Emulate),
            (0xe28d_d008, Emulate),
            (0xe8bd_8010, Emulate),
            (0xe8bd_8001, Simulate),
            (0xe12f_ff1e, Simulate),
            (0xe49d_f004, Emulate),
            (0xeaff_fffe, Simulate),
            (0xe59f_0004, Emulate),
            (0xee1d_3f70, Reject),
            (0xe10f_3000, Simulate),
            (0xf10c_0080, Reject),
            (0xe192_3f9f, Reject),
        ] {
            assert_eq!(verdict(word), wanted, "{word:08x}");
        }
    }

    #[test]
    fn no_store_far_below_the_stack_pointer() {
        assert_eq!(verdict(0xe52d_0040), Emulate);
        assert_eq!(verdict(0xe52d_0044), Reject);
        assert_eq!(verdict(0xe78d_0001), Reject);
        assert_eq!(verdict(0xe79d_0001), Emulate);
    }
}
