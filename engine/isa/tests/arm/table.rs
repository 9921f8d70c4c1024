//! The table answers for every word, and as a plain reading of the manual
//! does: what it accepts is exactly what that reading accepts.

use engine_isa::arm::{self, ROWS};
use engine_isa::{Plan, Why};
use proptest::prelude::*;

use crate::words;

/// The manual's decoding, written out field by field.
fn reading(word: u32) -> Result<(), Why> {
    let condition = word >> 28;
    let operation = (word >> 20) & 0xff;
    let base = (word >> 16) & 0xf;
    let target = (word >> 12) & 0xf;
    let low = word & 0xfff;
    if condition == 15 {
        return Err(Why::Unported);
    }
    match (operation, base) {
        (0x92, 13) => reading_of_list(word & 0xffff),
        (0x52, 13) if low == 4 => match target {
            13 => Err(Why::Unpredictable),
            15 => Err(Why::Implementation),
            _ => Ok(()),
        },
        (0x24, 13) if target == 13 => Ok(()),
        (0x28, base) if base != 15 && target != 15 => Ok(()),
        (0x3a, 0) if target != 15 => Ok(()),
        (0x51 | 0x59, base) if base != 15 && target != 15 => Ok(()),
        (0x7f, _) if condition == 14 && low & 0xf0 == 0xf0 => Err(Why::Undefined),
        _ => Err(Why::Unported),
    }
}

fn reading_of_list(list: u32) -> Result<(), Why> {
    let has = |register: u32| list & (1 << register) != 0;
    if list == 0 {
        Err(Why::Unpredictable)
    } else if has(15) {
        Err(Why::Implementation)
    } else if !has(13) {
        Ok(())
    } else if list.trailing_zeros() == 13 {
        Err(Why::Unported)
    } else {
        Err(Why::Unpredictable)
    }
}

fn answer(word: u32) -> Result<(), Why> {
    match arm::plan(word) {
        Plan::Emulate(_) => Ok(()),
        Plan::Relocate(_) => Ok(()),
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

/// How many words there are that the rows accept: under 15 conditions, lists
/// of 14 registers but the empty one, 14 single registers, and 12 bits of
/// immediate.
const ACCEPTED: u64 = 15 * ((1 << 14) - 1) + 15 * 14 + 15 * (1 << 12);

#[test]
#[ignore = "walks all 2^32 words: a minute in a release build, run with --nocapture to see the rows' counts"]
fn all_words_are_answered_as_the_manual_reads() {
    assert_eq!(words::walk(ROWS, answer, reading), ACCEPTED);
}

#[test]
fn the_trap_itself_is_refused() {
    assert_eq!(answer(arm::TRAP), Err(Why::Undefined));
}

#[test]
fn every_row_has_a_name_of_its_own_and_a_section_of_the_manual() {
    words::are_told_apart(ROWS, 'A');
}
