//! The table answers for every word, and as a plain reading of the manual
//! does.

use engine_isa::arm64::{self, BRK_IMMEDIATE, ROWS, exclusive};
use engine_isa::{Plan, Why};
use proptest::prelude::*;

use crate::reading::{Verdict, reading};
use crate::words;

fn answer(word: u32) -> Verdict {
    match arm64::plan(word) {
        Plan::Emulate(_) => Verdict::Emulate,
        Plan::Relocate(_) => Verdict::Relocate,
        Plan::Refuse(why) => Verdict::Refuse(why),
    }
}

/// Whether the reading says nothing else than the table.
fn agrees(word: u32) -> bool {
    reading(word).is_none_or(|verdict| verdict == answer(word))
}

/// The first row that matches, looked for one after another.
fn first_row(word: u32) -> usize {
    let row = ROWS.iter().position(|row| row.pattern.matches(word));
    row.expect("the last row matches every word")
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(32768))]

    #[test]
    fn any_word_is_answered_as_the_manual_reads(word: u32) {
        prop_assert!(agrees(word), "{:08x}: {:?}, {:?}", word, answer(word), reading(word));
    }

    #[test]
    fn a_word_near_a_row_is_answered_as_the_manual_reads(word in words::near_a_row(ROWS)) {
        prop_assert!(agrees(word), "{:08x}: {:?}, {:?}", word, answer(word), reading(word));
    }

    #[test]
    fn the_index_finds_the_first_row_that_matches(word in words::near_a_row(ROWS)) {
        prop_assert_eq!(arm64::row(word), first_row(word), "{:08x}", word);
    }

    #[test]
    fn what_is_relocated_stands_in_the_slot_as_it_was(word in words::near_a_row(ROWS)) {
        if let Plan::Relocate(copy) = arm64::plan(word) {
            let slot = copy.slot(0x1000, 0x2004).unwrap();
            prop_assert_eq!(slot[..4].to_vec(), word.to_le_bytes().to_vec());
        }
    }

    #[test]
    fn no_exclusive_store_is_accepted(word in words::near_a_row(ROWS)) {
        if exclusive(word) == Some(arm64::Exclusive::Store) {
            prop_assert!(matches!(answer(word), Verdict::Refuse(_)), "{:08x}", word);
        }
    }
}

#[test]
#[ignore = "walks all 2^32 words: minutes in a release build"]
fn all_words_are_answered_as_the_manual_reads() {
    let wrong = (0..=u32::MAX).find(|&word| !agrees(word));
    let said = wrong.map(|word| (format!("{word:08x}"), answer(word), reading(word)));
    assert_eq!(said, None);
}

#[test]
fn the_trap_itself_is_refused() {
    assert_eq!(answer(arm64::TRAP), Verdict::Refuse(Why::Undefined));
}

#[test]
fn the_trap_carries_the_immediate() {
    assert_eq!(arm64::TRAP >> 5 & 0xffff, u32::from(BRK_IMMEDIATE));
}

#[test]
fn every_row_has_a_name_of_its_own_and_a_section_of_the_manual() {
    words::are_told_apart(ROWS, &['C']);
}
