//! The table answers for every word, and as a plain reading of the manual
//! does: what it accepts is exactly what that reading accepts.

use std::collections::BTreeSet;

use engine_isa::arm::{self, ROWS};
use engine_isa::{Plan, Why};
use proptest::prelude::*;

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
        Plan::Relocate(never) => match never {},
        Plan::Refuse(why) => Err(why),
    }
}

/// A word of some row, its free bits at random, with up to two bits flipped.
fn word_near_a_row() -> impl Strategy<Value = u32> {
    let flips = proptest::collection::vec(0_u32..32, 0..3);
    (0..ROWS.len(), any::<u32>(), flips).prop_map(|(row, free, flips)| {
        let digits = ROWS[row]
            .pattern
            .text()
            .bytes()
            .filter(|&digit| digit != b' ');
        let word = digits
            .zip((0..32).rev())
            .fold(free, |word, (digit, bit)| match digit {
                b'0' => word & !(1 << bit),
                b'1' => word | 1 << bit,
                _ => word,
            });
        flips.into_iter().fold(word, |word, bit| word ^ 1 << bit)
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(65536))]

    #[test]
    fn any_word_is_answered_as_the_manual_reads(word: u32) {
        prop_assert_eq!(answer(word), reading(word), "{:08x}", word);
    }

    #[test]
    fn a_word_near_a_row_is_answered_as_the_manual_reads(word in word_near_a_row()) {
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
    let mut accepted = 0;
    let mut counts = vec![0_u64; ROWS.len()];
    for word in 0..=u32::MAX {
        let answer = answer(word);
        assert_eq!(answer, reading(word), "{word:08x}");
        accepted += u64::from(answer.is_ok());
        let row = ROWS.iter().position(|row| row.pattern.matches(word));
        counts[row.expect("the last row matches every word")] += 1;
    }
    for (row, count) in ROWS.iter().zip(counts) {
        println!("{count:>10}  {}  {}", row.pattern.text(), row.name);
        assert_ne!(count, 0, "{} matches no word", row.name);
    }
    assert_eq!(accepted, ACCEPTED);
}

#[test]
fn the_trap_itself_is_refused() {
    assert_eq!(answer(arm::TRAP), Err(Why::Undefined));
}

#[test]
fn no_two_rows_share_a_name() {
    let names: BTreeSet<&str> = ROWS.iter().map(|row| row.name).collect();
    assert_eq!(names.len(), ROWS.len());
}

#[test]
fn every_row_names_a_section_of_the_manual() {
    for row in ROWS {
        let numbers = row.section.strip_prefix('A').unwrap_or_default();
        let numeric = numbers
            .split('.')
            .all(|number| number.parse::<u16>().is_ok());
        assert!(numeric, "{}: `{}`", row.name, row.section);
    }
}
