//! The table answers for every word, in agreement with a plain reading of the manual.

use engine_isa::arm64::{self, BRK_IMMEDIATE, ROWS, exclusive};
use engine_isa::{Plan, Why};
use proptest::prelude::*;

use super::reading::reading;
use crate::words::{self, Table, sweep};

const TABLE: Table = Table {
    rows: ROWS,
    answer: |word| arm64::plan(word).into(),
    row: arm64::row,
    reading,
    step: |_| 1,
    also: |_| {},
};

proptest! {
    #![proptest_config(ProptestConfig::with_cases(32768))]

    #[test]
    fn any_word_is_answered_as_the_manual_reads(word: u32) {
        TABLE.is_read_alike(word)?;
    }

    #[test]
    fn a_word_near_a_row_is_answered_as_the_manual_reads(word in words::near_a_row(ROWS)) {
        TABLE.is_read_alike(word)?;
    }

    #[test]
    fn the_index_finds_the_first_row_that_matches(word in words::near_a_row(ROWS)) {
        TABLE.has_first_row(word)?;
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
        if exclusive(word) == Some(engine_isa::Exclusive::Store) {
            prop_assert!(matches!(arm64::plan(word), Plan::Refuse(_)), "{:08x}", word);
        }
    }
}

#[test]
#[ignore = "walks all 2^32 words: a minute or two in a release build"]
fn every_word_is_counted_and_answered_as_the_manual_reads() {
    sweep::walk("arm64", &TABLE);
}

#[test]
fn the_trap_itself_is_refused() {
    assert_eq!(arm64::plan(arm64::TRAP), Plan::Refuse(Why::Undefined));
}

#[test]
fn the_trap_carries_the_immediate() {
    assert_eq!(arm64::TRAP >> 5 & 0xffff, u32::from(BRK_IMMEDIATE));
}

#[test]
fn every_row_has_a_name_of_its_own_and_a_section_of_the_manual() {
    words::are_told_apart(ROWS, &['C']);
}
