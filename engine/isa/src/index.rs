//! Which rows of a table can match a word, by eight of its bits: worked out at
//! compile time, so that nobody tries hundreds of rows one after another.

use crate::Row;

/// How many values eight bits have.
const BUCKETS: usize = 256;

/// The rows of a table, sorted by the values that eight bits of a word have.
///
/// A row is in the bucket of each value that a word of its can have; there are
/// `N` such places in all.
pub(crate) struct Index<const N: usize> {
    rows: &'static [Row],
    shift: u32,
    /// Where each bucket begins, and where the last one ends.
    starts: [u16; BUCKETS + 1],
    /// Places in `rows`; those of one bucket are in the order of the table.
    places: [u16; N],
}

impl<const N: usize> Index<N> {
    /// The index by the eight bits from bit `shift` up.
    #[expect(clippy::indexing_slicing, reason = "evaluated at compile time only")]
    pub(crate) const fn new(rows: &'static [Row], shift: u32) -> Self {
        let mut starts = [0; BUCKETS + 1];
        let mut places = [0; N];
        let (mut bucket, mut filled) = (0, 0_usize);
        while bucket < BUCKETS {
            starts[bucket] = filled as u16;
            let mut place = 0_usize;
            while place < rows.len() {
                if rows[place].pattern.meets(shift, bucket as u32) {
                    places[filled] = place as u16;
                    filled = filled.wrapping_add(1);
                }
                place = place.wrapping_add(1);
            }
            bucket = bucket.wrapping_add(1);
        }
        starts[BUCKETS] = filled as u16;
        Self {
            rows,
            shift,
            starts,
            places,
        }
    }

    /// The place of the first row that matches `word`. The last row of a table
    /// matches every word.
    pub(crate) fn find(&self, word: u32) -> usize {
        let bucket = (word.wrapping_shr(self.shift) & 0xff) as usize;
        let start = self.starts.get(bucket).copied().unwrap_or(0);
        let candidates = self.places.get(start.into()..).unwrap_or(&[]);
        for &place in candidates {
            let place = usize::from(place);
            let row = self.rows.get(place);
            if row.is_some_and(|row| row.pattern.matches(word)) {
                return place;
            }
        }
        self.rows.len().wrapping_sub(1)
    }
}

/// How many places the index of these rows has.
pub(crate) const fn entries(mut rows: &[Row], shift: u32) -> usize {
    let mut count = 0_usize;
    while let [row, later @ ..] = rows {
        let mut bucket = 0;
        while bucket < BUCKETS as u32 {
            count = count.wrapping_add(row.pattern.meets(shift, bucket) as usize);
            bucket = bucket.wrapping_add(1);
        }
        rows = later;
    }
    count
}

#[cfg(test)]
mod tests {
    use super::{BUCKETS, Index, entries};
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
    const INDEX: Index<{ entries(ROWS, 20) }> = Index::new(ROWS, 20);

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
        assert_eq!(INDEX.places.len(), 1 + BUCKETS + 2 + BUCKETS);
        assert_eq!(INDEX.starts[0x92..=0x93], [293, 297]);
        assert_eq!(INDEX.places[293..297], [0, 1, 2, 3]);
    }
}
