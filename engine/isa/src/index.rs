//! Indexes the rows of a table by a nine-bit key of the word, at compile time, so that a lookup
//! does not test hundreds of rows in turn.

use crate::Row;
use crate::pattern::{ANY, Key, Test};

/// A bucket for each value of the key.
const BUCKETS: usize = Key::VALUES;

/// The rows of a table by a key of their words.
///
/// A row is in the bucket of every key value that one of its words can have; `N` is the number of
/// entries in all buckets.
pub(crate) struct Index<const ROWS: usize, const N: usize> {
    key: Key,
    /// The rows' tests, without their texts.
    tests: [Test; ROWS],
    /// Where each bucket begins, and where the last one ends.
    starts: [u16; BUCKETS + 1],
    /// Row numbers; within a bucket in the table's order.
    places: [u16; N],
}

impl<const ROWS: usize, const N: usize> Index<ROWS, N> {
    const PLACES_FIT: () = assert!(N <= u16::MAX as usize, "too many places for the index");

    /// Builds the index by `key`.
    #[expect(clippy::indexing_slicing, reason = "evaluated at compile time only")]
    pub(crate) const fn new(rows: &[Row], key: Key) -> Self {
        let () = Self::PLACES_FIT;
        let mut tests = [ANY; ROWS];
        let mut starts = [0_u16; BUCKETS + 1];
        let mut row = 0_usize;
        while row < ROWS {
            tests[row] = rows[row].pattern.test();
            let mut values = tests[row].values(key);
            while let Some(value) = values.next() {
                let behind = value.wrapping_add(1);
                starts[behind] = starts[behind].wrapping_add(1);
            }
            row = row.wrapping_add(1);
        }
        let mut bucket = 0_usize;
        while bucket < BUCKETS {
            let behind = bucket.wrapping_add(1);
            starts[behind] = starts[behind].wrapping_add(starts[bucket]);
            bucket = behind;
        }
        Self {
            key,
            tests,
            starts,
            places: filled(&tests, starts, key),
        }
    }

    /// Panics, a build error in a constant, with the text of a row that an earlier row makes
    /// unreachable. `rows` must be those that the index was built from.
    #[expect(clippy::indexing_slicing, reason = "evaluated at compile time only")]
    pub(crate) const fn shadows_no_row(&self, rows: &[Row]) {
        let mut row = 0_usize;
        while row < ROWS {
            assert!(!self.is_shadowed(row), "{}", rows[row].pattern.text());
            row = row.wrapping_add(1);
        }
    }

    /// Whether an earlier row matches all words of this one. It would be in every bucket that this
    /// row is in, so one bucket is enough to check.
    #[expect(clippy::indexing_slicing, reason = "evaluated at compile time only")]
    const fn is_shadowed(&self, row: usize) -> bool {
        let Some(bucket) = self.tests[row].values(self.key).next() else {
            return false;
        };
        let mut place = self.starts[bucket] as usize;
        while (self.places[place] as usize) < row {
            if self.tests[row].implies(self.tests[self.places[place] as usize]) {
                return true;
            }
            place = place.wrapping_add(1);
        }
        false
    }

    /// The number of the first row that matches `word`. The last row of a table matches every word.
    pub(crate) fn find(&self, word: u32) -> usize {
        let start = self.starts.get(self.key.of(word)).copied().unwrap_or(0);
        let candidates = self.places.get(start.into()..).unwrap_or(&[]);
        for &place in candidates {
            let place = usize::from(place);
            let test = self.tests.get(place);
            if test.is_some_and(|test| test.matches(word)) {
                return place;
            }
        }
        ROWS.wrapping_sub(1)
    }
}

/// The row numbers by bucket. `ends` comes in as the beginning of each bucket, and advances to its
/// end as it fills.
#[expect(clippy::indexing_slicing, reason = "evaluated at compile time only")]
const fn filled<const N: usize>(
    tests: &[Test],
    mut ends: [u16; BUCKETS + 1],
    key: Key,
) -> [u16; N] {
    let mut places = [0; N];
    let mut row = 0_usize;
    while row < tests.len() {
        let mut values = tests[row].values(key);
        while let Some(value) = values.next() {
            places[ends[value] as usize] = row as u16;
            ends[value] = ends[value].wrapping_add(1);
        }
        row = row.wrapping_add(1);
    }
    places
}

/// The number of entries that the index of these rows has.
pub(crate) const fn entries(mut rows: &[Row], key: Key) -> usize {
    let mut count = 0_usize;
    while let [row, later @ ..] = rows {
        let mut values = row.pattern.test().values(key);
        while values.next().is_some() {
            count = count.wrapping_add(1);
        }
        rows = later;
    }
    count
}

#[cfg(test)]
mod tests {
    use super::{Index, entries};
    use crate::pattern::Key;
    use crate::{Pattern, Row};

    const fn row(text: &'static str) -> Row {
        Row {
            pattern: Pattern::new(text),
            section: "",
            name: "",
        }
    }

    const ROWS: &[Row] = &[
        row("xxxx 1001 0010 1101 xxxx xxxx xxxx xxxx"),
        row("1111 xxxx xxxx xxxx xxxx xxxx xxxx xxxx"),
        row("xxxx 1001 00x0 xxxx xxxx xxxx xxxx xxxx"),
        row("xxxx xxxx xxxx xxxx xxxx xxxx xxxx xxxx"),
    ];
    const KEY: Key = Key::new(20, "1111 xxxx xxxx xxxx xxxx xxxx xxxx xxxx");
    const INDEX: Index<{ ROWS.len() }, { entries(ROWS, KEY) }> = Index::new(ROWS, KEY);

    const LIST: Row = row("cccc 1001 0010 1101 llll llll llll llll");
    const EMPTY: Row = row("cccc 1001 0010 1101 0000 0000 0000 0000");
    const EVERY: Row = row("xxxx xxxx xxxx xxxx xxxx xxxx xxxx xxxx");

    /// Whether every row in this order is reachable; panics if not.
    fn is_in_order<const ROWS: usize, const N: usize>(rows: [Row; ROWS]) {
        assert_eq!(entries(&rows, KEY), N);
        Index::<ROWS, N>::new(&rows, KEY).shadows_no_row(&rows);
    }

    #[test]
    fn the_special_before_the_general_is_in_order() {
        is_in_order::<3, 516>([EMPTY, LIST, EVERY]);
    }

    #[test]
    #[should_panic(expected = "cccc 1001 0010 1101 0000 0000 0000 0000")]
    fn the_general_before_the_special_is_an_error() {
        is_in_order::<3, 516>([LIST, EMPTY, EVERY]);
    }

    #[test]
    #[should_panic(expected = "cccc 1001 0010 1101 llll llll llll llll")]
    fn a_row_behind_the_one_for_everything_is_an_error() {
        is_in_order::<3, 516>([EMPTY, EVERY, LIST]);
    }

    #[test]
    #[should_panic(expected = "cccc 1001 0010 1101 llll llll llll llll")]
    fn the_same_row_twice_is_an_error() {
        is_in_order::<3, 6>([EMPTY, LIST, LIST]);
    }

    #[test]
    fn the_first_row_that_matches_is_found() {
        assert_eq!(INDEX.find(0xe92d_4010), 0);
        assert_eq!(INDEX.find(0xf92d_4010), 0);
        assert_eq!(INDEX.find(0xf92e_4010), 1);
        assert_eq!(INDEX.find(0xe90d_4010), 2);
        assert_eq!(INDEX.find(0xe94d_4010), 3);
    }

    #[test]
    fn a_row_is_in_the_bucket_of_each_value_that_its_words_have() {
        assert_eq!(INDEX.places.len(), 2 + 256 + 4 + 512);
        assert_eq!(INDEX.starts[0x092..=0x093], [147, 150]);
        assert_eq!(INDEX.places[147..150], [0, 2, 3]);
        assert_eq!(INDEX.starts[0x192..=0x193], [552, 556]);
        assert_eq!(INDEX.places[552..556], [0, 1, 2, 3]);
    }
}
