//! The table answers for every word, in agreement with a plain reading of the manual.

use engine_isa::arm::{self, ROWS, exclusive};
use engine_isa::{Plan, Why};
use proptest::prelude::*;

use super::reading::reading;
use crate::words::{self, Table, sweep};

const TABLE: Table = Table {
    rows: ROWS,
    answer: |word| arm::plan(word).into(),
    row: arm::row,
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
        if let Plan::Relocate(copy) = arm::plan(word) {
            prop_assert_eq!(copy.slot(0)[..4].to_vec(), word.to_le_bytes().to_vec());
        }
    }

    #[test]
    fn no_exclusive_store_is_accepted(word in words::near_a_row(ROWS)) {
        if exclusive(word) == Some(engine_isa::Exclusive::Store) {
            prop_assert!(matches!(arm::plan(word), Plan::Refuse(_)), "{:08x}", word);
        }
    }
}

#[test]
#[ignore = "walks all 2^32 words: a minute or two in a release build"]
fn every_word_is_counted_and_answered_as_the_manual_reads() {
    sweep::walk("arm", &TABLE);
}

#[test]
fn the_trap_itself_is_refused() {
    assert_eq!(arm::plan(arm::TRAP), Plan::Refuse(Why::Undefined));
}

#[test]
fn every_row_has_a_name_of_its_own_and_a_section_of_the_manual() {
    words::are_told_apart(ROWS, &['A', 'B']);
}
