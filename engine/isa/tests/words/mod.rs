//! Shared by the tests of the instruction sets with 32-bit instructions.
#![allow(dead_code, reason = "each test binary uses its part of it")]

pub mod sweep;

use std::collections::BTreeSet;

use capstone::Capstone;
use engine_isa::{Plan, Row, Why};
use proptest::prelude::*;

/// The plan for an instruction, without operands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    Emulate,
    Relocate,
    Refuse(Why),
}

impl Verdict {
    /// UNPREDICTABLE.
    pub const OPEN: Self = Self::Refuse(Why::Unpredictable);
    /// Undefined.
    pub const NONE: Self = Self::Refuse(Why::Undefined);

    /// Unpredictable if `open`, else relocated.
    pub fn open_if(open: bool) -> Self {
        if open { Self::OPEN } else { Self::Relocate }
    }
}

impl<E, R> From<Plan<E, R>> for Verdict {
    fn from(plan: Plan<E, R>) -> Self {
        match plan {
            Plan::Emulate(_) => Self::Emulate,
            Plan::Relocate(_) => Self::Relocate,
            Plan::Refuse(why) => Self::Refuse(why),
        }
    }
}

/// A table, and a second reading of its manual.
pub struct Table {
    pub rows: &'static [Row],
    pub answer: fn(u32) -> Verdict,
    pub row: fn(u32) -> usize,
    pub reading: fn(u32) -> Option<Verdict>,
    /// How far from a word the next one is that begins with another instruction, for all of a
    /// multiple of 2^24.
    pub step: fn(u32) -> u64,
    /// Fails if something else about a word is wrong.
    pub also: fn(u32),
}

impl Table {
    /// Fails if the reading disagrees with the table.
    pub fn is_read_alike(&self, word: u32) -> Result<(), TestCaseError> {
        let read = (self.reading)(word);
        let answer = (self.answer)(word);
        prop_assert_eq!(read.unwrap_or(answer), answer, "{:08x}", word);
        Ok(())
    }

    /// Fails if the index's row is not the first match of a linear search.
    pub fn has_first_row(&self, word: u32) -> Result<(), TestCaseError> {
        let first = self.rows.iter().position(|row| row.pattern.matches(word));
        prop_assert_eq!(Some((self.row)(word)), first, "{:08x}", word);
        Ok(())
    }
}

/// Whether a condition holds, by the manuals' ConditionPassed and ConditionHolds: N, Z, C and V are
/// the highest bits of the status. 1110 and 1111 are up to the caller.
pub fn holds(condition: u32, status: u64) -> bool {
    let flag = |bit: u32| status >> bit & 1 == 1;
    let (n, z, c, v) = (flag(31), flag(30), flag(29), flag(28));
    let result = match condition >> 1 {
        0 => z,
        1 => c,
        2 => n,
        3 => v,
        4 => c && !z,
        5 => n == v,
        6 => n == v && !z,
        _ => return true,
    };
    result ^ (condition & 1 == 1)
}

/// The disassembler's name for an instruction, if it knows it.
pub fn name(capstone: &Capstone, word: u32) -> Option<String> {
    let found = capstone.disasm_count(&word.to_le_bytes(), 0, 1).unwrap();
    let first = found.iter().next()?;
    Some(first.mnemonic()?.to_owned())
}

/// A word of some row with random free bits, and up to two bits flipped.
pub fn near_a_row(rows: &'static [Row]) -> impl Strategy<Value = u32> {
    let flips = proptest::collection::vec(0_u32..32, 0..3);
    (0..rows.len(), any::<u32>(), flips).prop_map(|(row, free, flips)| {
        let word = drawn(&rows[row], free);
        flips.into_iter().fold(word, |word, bit| word ^ 1 << bit)
    })
}

/// A `wanted` word of some row with random free bits, of rows that have such words.
pub fn of_rows(rows: &'static [Row], wanted: fn(u32) -> bool) -> impl Strategy<Value = u32> {
    /// Samples of the free bits by which rows are selected.
    const SAMPLES: [u32; 6] = [0, !0, 0x1248_1248, 0xedb7_edb7, 0x5a5a_3c3c, 0xe1d2_8421];
    let has_some = |row: &&Row| SAMPLES.iter().any(|&free| wanted(drawn(row, free)));
    let chosen: Vec<&Row> = rows.iter().filter(has_some).collect();
    (0..chosen.len(), any::<u32>())
        .prop_map(move |(row, free)| drawn(chosen[row], free))
        .prop_filter("no such word", move |&word| wanted(word))
}

/// The row's word with the free bits of `free`.
fn drawn(row: &Row, free: u32) -> u32 {
    let digits = row.pattern.text().bytes().filter(|&digit| digit != b' ');
    digits
        .zip((0..32).rev())
        .fold(free, |word, (digit, bit)| match digit {
            b'0' => word & !(1 << bit),
            b'1' => word | 1 << bit,
            _ => word,
        })
}

/// Fails unless each row has a unique name, and a section in one of the manual's `parts`.
pub fn are_told_apart(rows: &[Row], parts: &[char]) {
    let names: BTreeSet<&str> = rows.iter().map(|row| row.name).collect();
    assert_eq!(names.len(), rows.len());
    for row in rows {
        let numbers = row.section.strip_prefix(parts).unwrap_or_default();
        let numeric = numbers
            .split('.')
            .all(|number| number.parse::<u16>().is_ok());
        assert!(numeric, "{}: `{}`", row.name, row.section);
    }
}
