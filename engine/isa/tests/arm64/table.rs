//! The table answers for every word, and as a plain reading of the manual
//! does: what it accepts is exactly what that reading accepts.

use engine_isa::arm64::{self, BRK_IMMEDIATE, ROWS};
use engine_isa::{Plan, Why};
use proptest::prelude::*;

use crate::words;

/// The manual's decoding (C4.1), written out group by group.
fn reading(word: u32) -> Result<(), Why> {
    if writes_sp(word) && bits(word, 28, 23) == 0b100010 {
        return Ok(());
    }
    if writes_sp(word) {
        return Err(Why::Stack);
    }
    match bits(word, 28, 25) {
        0b0000 if word < 0x1_0000 => Err(Why::Undefined),
        0b1000 | 0b1001 => data_processing_immediate(word),
        0b1010 | 0b1011 => system(word),
        0b0101 | 0b1101 => data_processing_register(word),
        0b0100 | 0b0110 | 0b1100 | 0b1110 => load_or_store(word),
        _ => Err(Why::Unported),
    }
}

fn bits(word: u32, high: u32, low: u32) -> u32 {
    (word << (31 - high)) >> (31 - high + low)
}

fn accepted_if(condition: bool) -> Result<(), Why> {
    condition.then_some(()).ok_or(Why::Unported)
}

fn data_processing_immediate(word: u32) -> Result<(), Why> {
    let (is_64, opc) = (bits(word, 31, 31) == 1, bits(word, 30, 29));
    match bits(word, 25, 23) {
        // Add and subtract: no S, no shift, no immediate, from number 31.
        0b010 => accepted_if(opc == 0 && bits(word, 22, 5) == 31),
        // Move wide.
        0b101 if opc == 0b01 => Err(Why::Unported),
        0b101 if !is_64 && bits(word, 22, 21) > 1 => Err(Why::Undefined),
        0b101 => Ok(()),
        _ => Err(Why::Unported),
    }
}

fn data_processing_register(word: u32) -> Result<(), Why> {
    let is_logical = bits(word, 28, 24) == 0b01010;
    let is_orr = bits(word, 30, 29) == 0b01 && bits(word, 21, 21) == 0;
    let is_shifted = bits(word, 23, 22) != 0 || bits(word, 15, 10) != 0;
    accepted_if(is_logical && is_orr && !is_shifted && bits(word, 9, 5) == 31)
}

fn system(word: u32) -> Result<(), Why> {
    if bits(word, 31, 24) == 0b1101_0100 {
        let traps = matches!(bits(word, 23, 21), 1 | 2) && bits(word, 4, 0) == 0;
        return Err(if traps { Why::Undefined } else { Why::Unported });
    }
    let is_hint = bits(word, 31, 12) == 0xd5032 && bits(word, 4, 0) == 31;
    let (crm, op2) = (bits(word, 11, 8), bits(word, 7, 5));
    let is_known = matches!((crm, op2), (0, 0) | (3, 1) | (4, 0 | 2 | 4 | 6));
    accepted_if(is_hint && is_known)
}

fn load_or_store(word: u32) -> Result<(), Why> {
    if bits(word, 26, 26) == 1 {
        return Err(Why::Unported);
    }
    match bits(word, 29, 27) {
        0b101 => pair(word),
        0b111 => {
            let is_unsigned_offset = bits(word, 24, 24) == 1;
            let is_unscaled =
                bits(word, 24, 24) == 0 && bits(word, 21, 21) == 0 && bits(word, 11, 10) == 0b00;
            let (size, opc) = (bits(word, 31, 30), bits(word, 23, 22));
            accepted_if((is_unsigned_offset || is_unscaled) && is_load(size, opc))
        }
        _ => Err(Why::Unported),
    }
}

/// LDR; LDRSB and LDRSH into both sizes of register, LDRSW into one.
fn is_load(size: u32, opc: u32) -> bool {
    match opc {
        0b00 => false,
        0b01 => true,
        0b10 => size < 3,
        _ => size < 2,
    }
}

fn pair(word: u32) -> Result<(), Why> {
    let (opc, mode) = (bits(word, 31, 30), bits(word, 24, 23));
    let is_load = bits(word, 22, 22) == 1;
    if opc & 1 == 1 || mode != 0b10 || !is_load {
        Err(Why::Unported)
    } else if bits(word, 14, 10) == bits(word, 4, 0) {
        Err(Why::Unpredictable)
    } else {
        Ok(())
    }
}

/// Whether number 31 is written and is the stack pointer.
fn writes_sp(word: u32) -> bool {
    let (target, base) = (bits(word, 4, 0), bits(word, 9, 5));
    target == 31 && target_may_be_sp(word) || base == 31 && writes_base(word)
}

fn target_may_be_sp(word: u32) -> bool {
    let sets_flags = bits(word, 29, 29) == 1;
    match bits(word, 28, 23) {
        // Add and subtract, of an immediate and of an extended register.
        0b100010 => !sets_flags,
        0b010110 => !sets_flags && bits(word, 22, 21) == 0b01,
        // Logic on an immediate; ANDS is the one that sets flags.
        0b100100 => bits(word, 30, 29) != 0b11,
        // ADDG and SUBG.
        0b100011 => bits(word, 31, 31) == 1 && !sets_flags && bits(word, 22, 22) == 0,
        // IRG, with two sources.
        0b110101 => {
            bits(word, 31, 29) == 0b100
                && bits(word, 22, 21) == 0b10
                && bits(word, 15, 10) == 0b000100
        }
        _ => false,
    }
}

fn writes_base(word: u32) -> bool {
    let (is_vector, mode) = (bits(word, 26, 26) == 1, bits(word, 24, 23));
    match bits(word, 29, 27) {
        // Structures of vectors, one and several.
        0b001 => is_vector && bits(word, 31, 31) == 0 && bits(word, 25, 25) == 0 && mode & 1 == 1,
        // Memory tags.
        0b011 => {
            bits(word, 31, 24) == 0b1101_1001 && bits(word, 21, 21) == 1 && bits(word, 10, 10) == 1
        }
        // Pairs, post-indexed and pre-indexed.
        0b101 => bits(word, 25, 25) == 0 && mode & 1 == 1,
        // One register; with bit 21, an authenticated address.
        0b111 if bits(word, 25, 24) != 0 || bits(word, 10, 10) == 0 => false,
        0b111 if bits(word, 21, 21) == 0 => true,
        0b111 => bits(word, 31, 30) == 3 && !is_vector && bits(word, 11, 11) == 1,
        _ => false,
    }
}

fn answer(word: u32) -> Result<(), Why> {
    match arm64::plan(word) {
        Plan::Emulate(_) | Plan::Relocate(_) => Ok(()),
        Plan::Refuse(why) => Err(why),
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(65536))]

    #[test]
    fn any_word_is_answered_as_the_manual_reads(word: u32) {
        prop_assert_eq!(answer(word), reading(word), "{:08x}", word);
    }

    #[test]
    fn a_word_near_a_row_is_answered_as_the_manual_reads(word in words::near_a_row(ROWS)) {
        prop_assert_eq!(answer(word), reading(word), "{:08x}", word);
    }
}

/// How many words there are that the rows accept.
const ACCEPTED: u64 = {
    let hints = 1 + 1 + 4;
    let register_moves = 2 * 32 * 32 + 2 * 31;
    let wide_moves = 3 * (2 + 4) * (1 << 16) * 32;
    let loads = 4 + 2 * 2 + 1;
    let offsets = (1 << 12) + (1 << 9);
    let pairs = 2 * (1 << 7) * 32 * 32 * 31;
    let to_sp = 2 * 2 * 2 * (1 << 12) * 32;
    hints + to_sp + register_moves + wide_moves + loads * offsets * 32 * 32 + pairs
};

#[test]
#[ignore = "walks all 2^32 words: minutes in a release build, run with --nocapture to see the rows' counts"]
fn all_words_are_answered_as_the_manual_reads() {
    assert_eq!(words::walk(ROWS, answer, reading), ACCEPTED);
}

#[test]
fn the_trap_itself_is_refused() {
    assert_eq!(answer(arm64::TRAP), Err(Why::Undefined));
}

#[test]
fn the_trap_carries_the_immediate() {
    assert_eq!(bits(arm64::TRAP, 20, 5), u32::from(BRK_IMMEDIATE));
}

#[test]
fn every_row_has_a_name_of_its_own_and_a_section_of_the_manual() {
    words::are_told_apart(ROWS, &['C']);
}
