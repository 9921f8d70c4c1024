//! Indexes the rows of the table by map and opcode, at compile time, so that a lookup does not test
//! the rows in turn.

use super::encoding::{Map, Test};
use super::opening::Opening;
use super::table::Row;

/// A bucket for each opcode of each map.
const BUCKETS: usize = Map::COUNT.wrapping_mul(256);

/// The rows of a table. A row is in the bucket of each of its opcodes; `N` is the number of entries
/// in all buckets.
pub(super) struct Index<const ROWS: usize, const N: usize> {
    /// The rows' tests, without their texts.
    tests: [Test; ROWS],
    /// Where each bucket begins, and where the last one ends.
    starts: [u16; BUCKETS + 1],
    /// Row numbers; within a bucket in the table's order.
    places: [u16; N],
}

const fn bucket(map: Map, opcode: u8) -> usize {
    (map as usize)
        .wrapping_mul(256)
        .wrapping_add(opcode as usize)
}

impl<const ROWS: usize, const N: usize> Index<ROWS, N> {
    const PLACES_FIT: () = assert!(N <= u16::MAX as usize, "too many places for the index");

    #[expect(clippy::indexing_slicing, reason = "evaluated at compile time only")]
    pub(super) const fn new(rows: &[Row]) -> Self {
        let () = Self::PLACES_FIT;
        let mut tests = [rows[0].encoding.test; ROWS];
        let mut starts = [0_u16; BUCKETS + 1];
        let mut row = 0_usize;
        while row < ROWS {
            let encoding = &rows[row].encoding;
            tests[row] = encoding.test;
            let mut opcode = encoding.first as usize;
            while opcode <= encoding.last as usize {
                let behind = bucket(encoding.map, opcode as u8).wrapping_add(1);
                starts[behind] = starts[behind].wrapping_add(1);
                opcode = opcode.wrapping_add(1);
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
            tests,
            starts,
            places: filled(rows, starts),
        }
    }

    /// The number of the first row that matches, and its test.
    #[inline]
    pub(super) fn find(&self, opening: &Opening) -> Option<(usize, Test)> {
        let bucket = bucket(opening.map, opening.opcode);
        let start = usize::from(*self.starts.get(bucket)?);
        let end = usize::from(*self.starts.get(bucket.wrapping_add(1))?);
        let traits = opening.traits();
        for &place in self.places.get(start..end)? {
            let test = self.tests.get(usize::from(place))?;
            if test.passes(traits) {
                return Some((place.into(), *test));
            }
        }
        None
    }
}

/// The row numbers by bucket. `ends` comes in as the beginning of each bucket, and advances to its
/// end as it fills.
#[expect(clippy::indexing_slicing, reason = "evaluated at compile time only")]
const fn filled<const N: usize>(rows: &[Row], mut ends: [u16; BUCKETS + 1]) -> [u16; N] {
    let mut places = [0; N];
    let mut row = 0_usize;
    while row < rows.len() {
        let encoding = &rows[row].encoding;
        let mut opcode = encoding.first as usize;
        while opcode <= encoding.last as usize {
            let bucket = bucket(encoding.map, opcode as u8);
            places[ends[bucket] as usize] = row as u16;
            ends[bucket] = ends[bucket].wrapping_add(1);
            opcode = opcode.wrapping_add(1);
        }
        row = row.wrapping_add(1);
    }
    places
}

/// The number of entries that the index of these rows has.
pub(super) const fn entries(mut rows: &[Row]) -> usize {
    let mut count = 0_usize;
    while let [row, later @ ..] = rows {
        let encoding = &row.encoding;
        if encoding.first <= encoding.last {
            let more = encoding.last.wrapping_sub(encoding.first) as usize;
            count = count.wrapping_add(more).wrapping_add(1);
        }
        rows = later;
    }
    count
}
