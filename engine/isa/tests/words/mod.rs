//! What the tests of instruction sets with instructions of one word share.
#![allow(dead_code, reason = "each test binary uses its part of it")]

use std::collections::BTreeSet;
use std::fmt::Debug;

use engine_isa::Row;
use proptest::prelude::*;

/// A word of some row, its free bits at random, with up to two bits flipped.
pub fn near_a_row(rows: &'static [Row]) -> impl Strategy<Value = u32> {
    let flips = proptest::collection::vec(0_u32..32, 0..3);
    (0..rows.len(), any::<u32>(), flips).prop_map(|(row, free, flips)| {
        let word = drawn(&rows[row], free);
        flips.into_iter().fold(word, |word, bit| word ^ 1 << bit)
    })
}

/// A word of some row, its free bits at random, that is `wanted`. Only rows are chosen of which
/// some words are.
pub fn of_rows(rows: &'static [Row], wanted: fn(u32) -> bool) -> impl Strategy<Value = u32> {
    /// By these the rows are chosen: all free bits of one kind, and mixtures of both.
    const SAMPLES: [u32; 6] = [0, !0, 0x1248_1248, 0xedb7_edb7, 0x5a5a_3c3c, 0xe1d2_8421];
    let has_some = |row: &&Row| SAMPLES.iter().any(|&free| wanted(drawn(row, free)));
    let chosen: Vec<&Row> = rows.iter().filter(has_some).collect();
    (0..chosen.len(), any::<u32>())
        .prop_map(move |(row, free)| drawn(chosen[row], free))
        .prop_filter("no such word", move |&word| wanted(word))
}

/// The row's word whose free bits are those of `free`.
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

/// Fails unless `answer` and `reading` agree on each of the 2^32 words and each row matches some;
/// how many words are accepted.
pub fn walk<E: Debug + PartialEq>(
    rows: &[Row],
    answer: fn(u32) -> Result<(), E>,
    reading: fn(u32) -> Result<(), E>,
) -> u64 {
    let mut accepted = 0;
    let mut counts = vec![0_u64; rows.len()];
    for word in 0..=u32::MAX {
        let answer = answer(word);
        assert_eq!(answer, reading(word), "{word:08x}");
        accepted += u64::from(answer.is_ok());
        let row = rows.iter().position(|row| row.pattern.matches(word));
        counts[row.expect("the last row matches every word")] += 1;
    }
    for (row, count) in rows.iter().zip(counts) {
        println!("{count:>10}  {}  {}", row.pattern.text(), row.name);
        assert_ne!(count, 0, "{} matches no word", row.name);
    }
    accepted
}

/// Fails unless each row has a name of its own, and a section of one of the manual's `parts`.
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
