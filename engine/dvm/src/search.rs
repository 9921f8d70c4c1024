//! Substring search: the two-way algorithm of Crochemore and Perrin, which is linear even for
//! highly repetitive strings and needs no memory.
//!
//! The pattern is cut in two and compared first after the cut. On a mismatch there, no occurrence
//! is skipped by moving past the byte that differed. If only the part before the cut mismatches,
//! the next occurrence is at least one period away. This reads each byte only a few times: after
//! such a shift, the overlap of the two positions cannot mismatch, so the next mismatch is either
//! none or well past the cut.

use core::cmp::Ordering;

/// Bytes read one by one, forward or backward.
pub(crate) struct Bytes<F> {
    /// How many there are.
    pub(crate) length: usize,
    /// The byte at a distance from the first, if it exists.
    pub(crate) at: F,
}

/// The position of the first `part` in `text`.
pub(crate) fn find<T, P>(text: &Bytes<T>, part: &Bytes<P>) -> Option<usize>
where
    T: Fn(usize) -> Option<u8>,
    P: Fn(usize) -> Option<u8>,
{
    let last = text.length.checked_sub(part.length)?;
    let cut = Cut::of(part);
    let mut place = 0;
    while place <= last {
        let differs = |at: &usize| (text.at)(place.wrapping_add(*at)) != (part.at)(*at);
        if let Some(at) = (cut.at..part.length).find(differs) {
            place = place.wrapping_add(at.wrapping_sub(cut.at)).wrapping_add(1);
        } else if (0..cut.at).any(|at| differs(&at)) {
            place = place.wrapping_add(cut.step);
        } else {
            return Some(place);
        }
    }
    None
}

/// How a pattern is cut in two.
struct Cut {
    /// The first byte after the cut.
    at: usize,
    /// The shift when the pattern matches after the cut, but not before it.
    step: usize,
}

impl Cut {
    fn of<P: Fn(usize) -> Option<u8>>(part: &Bytes<P>) -> Self {
        let (low, high) = (
            greatest_suffix(part, Ordering::Less),
            greatest_suffix(part, Ordering::Greater),
        );
        let (at, period) = if low.0 > high.0 { low } else { high };
        let is_repeated = |at: usize| (part.at)(at) == (part.at)(at.wrapping_add(period));
        let step = if (0..at).all(is_repeated) {
            period
        } else {
            let longer = at.max(part.length.saturating_sub(at));
            longer.wrapping_add(1)
        };
        Self { at, step }
    }
}

/// The position of the maximal suffix, and its period; `less` is the ordering that counts as less.
fn greatest_suffix<P: Fn(usize) -> Option<u8>>(part: &Bytes<P>, less: Ordering) -> (usize, usize) {
    let (mut best, mut tried, mut equal, mut period) = (0_usize, 1_usize, 0_usize, 1_usize);
    while let Some(byte) = (part.at)(tried.wrapping_add(equal)) {
        let ordering = Some(byte).cmp(&(part.at)(best.wrapping_add(equal)));
        equal = equal.wrapping_add(1);
        if ordering == Ordering::Equal {
            if equal == period {
                tried = tried.wrapping_add(period);
                equal = 0;
            }
            continue;
        }
        if ordering == less {
            tried = tried.wrapping_add(equal);
            period = tried.wrapping_sub(best);
        } else {
            best = tried;
            tried = best.wrapping_add(1);
            period = 1;
        }
        equal = 0;
    }
    (best, period)
}

#[cfg(test)]
mod tests {
    use core::cell::Cell;
    use std::vec::Vec;

    use super::*;
    use crate::strings::{index, rindex};

    /// The position, and how many bytes were read.
    fn found(text: &[u8], part: &[u8]) -> (Option<usize>, usize) {
        let reads = Cell::new(0);
        let read = |bytes: &[u8], at: usize| {
            reads.set(reads.get() + 1);
            bytes.get(at).copied()
        };
        let text = Bytes {
            length: text.len(),
            at: |at| read(text, at),
        };
        let part = Bytes {
            length: part.len(),
            at: |at| read(part, at),
        };
        (find(&text, &part), reads.get())
    }

    /// Every string of two letters up to this length.
    fn strings(length: u32) -> impl Iterator<Item = Vec<u8>> {
        let of_length = |length: u32| {
            (0..1_u32 << length).map(move |bits| {
                let letters = (0..length).map(|at| b'a' + (bits >> at & 1) as u8);
                letters.collect()
            })
        };
        (0..=length).flat_map(of_length)
    }

    #[test]
    fn every_part_is_found_where_it_is_first() {
        for part in strings(6) {
            for text in strings(10) {
                let expected = (0..=text.len()).find(|at| text[*at..].starts_with(&part));
                assert_eq!(found(&text, &part).0, expected, "{part:?} in {text:?}");
            }
        }
    }

    #[test]
    fn every_place_is_looked_at_from_either_end() {
        for part in strings(3) {
            for text in strings(6) {
                for position in 0..8 {
                    let is_at = |at: &usize| text[*at..].starts_with(&part);
                    let last = text.len().min(position);
                    let before = (0..=last).rev().find(is_at);
                    let found = rindex(&text, &part, position as i64);
                    assert_eq!(found, before, "{part:?} before {position} in {text:?}");
                    if position < text.len() {
                        let behind = (position..text.len()).find(is_at);
                        let found = index(&text, &part, position as i64);
                        assert_eq!(found, behind, "{part:?} behind {position} in {text:?}");
                    }
                }
            }
        }
    }

    /// The Fibonacci string of this number: nearly every part of it repeats.
    fn fibonacci(number: u32) -> Vec<u8> {
        let (mut one, mut other) = (Vec::from(b"a"), Vec::from(b"ab"));
        for _ in 0..number {
            let next = [&other[..], &one].concat();
            one = core::mem::replace(&mut other, next);
        }
        other
    }

    #[test]
    fn each_byte_is_read_a_few_times() {
        let repeated = |word: &[u8], times: usize| word.repeat(times);
        let long = fibonacci(20);
        for (text, part) in [
            (
                repeated(b"a", 20_000),
                [&repeated(b"a", 9_999)[..], b"b"].concat(),
            ),
            (
                repeated(b"a", 20_000),
                [b"b", &repeated(b"a", 9_999)[..]].concat(),
            ),
            (
                repeated(b"ab", 10_000),
                [&repeated(b"ab", 5_000)[..], b"b"].concat(),
            ),
            (
                repeated(b"aab", 7_000),
                [b"b", &repeated(b"aba", 3_000)[..]].concat(),
            ),
            (
                repeated(&[&repeated(b"a", 999)[..], b"b"].concat(), 20),
                repeated(b"a", 1_000),
            ),
            (
                repeated(&[&repeated(b"ab", 999)[..], b"b"].concat(), 20),
                repeated(b"ab", 1_000),
            ),
            (
                repeated(&[&repeated(b"ba", 999)[..], b"b"].concat(), 20),
                repeated(b"ab", 1_000),
            ),
            (long.clone(), [&long[..5_000], b"c"].concat()),
            (long.clone(), [b"c", &long[..5_000]].concat()),
            (long.clone(), long[3..9_000].to_vec()),
        ] {
            let reads = found(&text, &part).1;
            let bytes = text.len() + part.len();
            assert!(reads <= 8 * bytes, "{reads} reads of {bytes} bytes");
        }
    }
}
