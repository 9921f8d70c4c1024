//! The table answers for every word, in agreement with a plain reading of the manual.

use engine_isa::Exclusive;
use engine_isa::arm::t32::{self, ROWS};
use engine_isa::arm::{Arm, Block, Mode};
use engine_isa::{Arch, Plan, Why};
use proptest::prelude::*;

use super::reading::{answer, in_block, reading};
use crate::words::{self, Table, Verdict, sweep};

const TABLE: Table = Table {
    rows: ROWS,
    answer,
    row: t32::row,
    reading,
    // A word that begins with an instruction of 16 bits is one of 2^16.
    step: |word| if word < 0xe800_0000 { 1 << 16 } else { 1 },
    also: is_read_alike_in_blocks,
};

/// `ITT EQ` and `IT EQ`.
const BEFORE_ANOTHER: Block = Block::begun(0b0000_0100);
const LAST: Block = Block::begun(0b0000_1000);

/// Fails unless the answers in an IT block are the reading's.
fn is_read_alike_in_blocks(word: u32) {
    let outside = answer(word);
    for (block, is_last) in [(BEFORE_ANOTHER, false), (LAST, true)] {
        let answer = Verdict::from(t32::plan(word, block));
        let read = in_block(word, outside, is_last);
        assert_eq!(read, answer, "{word:08x}, last: {is_last}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(32768))]

    #[test]
    fn any_word_is_answered_as_the_manual_reads(word: u32) {
        TABLE.is_read_alike(word)?;
        is_read_alike_in_blocks(word);
    }

    #[test]
    fn a_word_near_a_row_is_answered_as_the_manual_reads(word in words::near_a_row(ROWS)) {
        TABLE.is_read_alike(word)?;
        is_read_alike_in_blocks(word);
    }

    #[test]
    fn the_index_finds_the_first_row_that_matches(word in words::near_a_row(ROWS)) {
        TABLE.has_first_row(word)?;
    }

    #[test]
    fn what_is_relocated_stands_in_the_slot_as_it_was(word in words::near_a_row(ROWS)) {
        for block in [Block::NONE, BEFORE_ANOTHER, LAST] {
            if let Plan::Relocate(copy) = t32::plan(word, block) {
                let slot = copy.slot(0);
                let there = t32::word([slot[0], slot[1], slot[2], slot[3]]);
                let unused = if copy.length() == 2 { 16 } else { 0 };
                prop_assert_eq!(there >> unused, word >> unused);
                prop_assert_eq!(copy.length(), t32::length(word));
            }
        }
    }

    #[test]
    fn what_follows_a_short_instruction_is_no_part_of_it(word in words::near_a_row(ROWS), other: u16) {
        if t32::length(word) == 2 {
            let beside = word & 0xffff_0000 | u32::from(other);
            prop_assert_eq!(t32::plan(word, Block::NONE), t32::plan(beside, Block::NONE));
        }
    }

    #[test]
    fn no_exclusive_store_is_accepted(word in words::near_a_row(ROWS)) {
        if t32::exclusive(word) == Some(Exclusive::Store) {
            prop_assert!(matches!(t32::plan(word, Block::NONE), Plan::Refuse(_)), "{:08x}", word);
        }
    }
}

#[test]
#[ignore = "walks all words: some seconds in a release build"]
fn every_word_is_counted_and_answered_as_the_manual_reads() {
    sweep::walk("t32", &TABLE);
}

#[test]
fn the_traps_themselves_are_refused() {
    let short = u32::from(t32::TRAP) << 16;
    for trap in [short, t32::LONG_TRAP] {
        assert_eq!(t32::plan(trap, Block::NONE), Plan::Refuse(Why::Undefined));
    }
}

/// A UDF whose condition fails may do nothing: then it must be as long as what it replaces.
#[test]
fn the_trap_is_short_except_for_a_long_instruction_in_a_block() {
    let trap = |block, length| Arm::trap(Mode::T32(block), length);
    assert_eq!(trap(Block::NONE, 2), [0xfb, 0xde]);
    assert_eq!(trap(Block::NONE, 4), [0xfb, 0xde]);
    assert_eq!(trap(LAST, 2), [0xfb, 0xde]);
    assert_eq!(trap(LAST, 4), [0xf0, 0xf7, 0xfb, 0xa0]);
    assert_eq!(trap(BEFORE_ANOTHER, 4), [0xf0, 0xf7, 0xfb, 0xa0]);
    assert_eq!(Arm::trap(Mode::A32, 4), Arm::TRAP);
}

#[test]
fn every_row_has_a_name_of_its_own_and_a_section_of_the_manual() {
    words::are_told_apart(ROWS, &['A', 'B']);
}
