//! What the tests of instruction sets with instructions of one word share.

use std::collections::BTreeSet;
use std::fmt::Debug;

use engine_isa::Row;
use proptest::prelude::*;

/// A word of some row, its free bits at random, with up to two bits flipped.
pub fn near_a_row(rows: &'static [Row]) -> impl Strategy<Value = u32> {
    let flips = proptest::collection::vec(0_u32..32, 0..3);
    (0..rows.len(), any::<u32>(), flips).prop_map(|(row, free, flips)| {
        let digits = rows[row]
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
