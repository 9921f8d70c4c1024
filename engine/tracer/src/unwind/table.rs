//! Looking up rows.

use engine_abi::UnwindRow;
use zerocopy::FromBytes;

/// Size of a row in bytes.
const ROW: usize = size_of::<UnwindRow>();

/// The unwind table of an object, as the command handed it over: rows sorted by address, at any
/// alignment. If they are not sorted, it has other rows than it seems.
#[derive(Debug, Clone, Copy)]
pub struct Table<'a>(&'a [[u8; ROW]]);

impl<'a> Table<'a> {
    /// The rows in these bytes. An incomplete one at the end is none.
    pub fn new(bytes: &'a [u8]) -> Self {
        Self(bytes.as_chunks().0)
    }

    /// The row for an address of the object, without its bias. One step more than the logarithm
    /// of the number of rows finds it.
    pub fn row(&self, address: u32) -> Option<UnwindRow> {
        let rows = self.0;
        let after = rows.partition_point(|row| read(row).is_some_and(|row| row.start <= address));
        rows.get(after.checked_sub(1)?).and_then(read)
    }
}

fn read(row: &[u8; ROW]) -> Option<UnwindRow> {
    UnwindRow::read_from_bytes(row).ok()
}

#[cfg(test)]
mod tests {
    use zerocopy::IntoBytes;

    use super::*;

    #[test]
    fn a_row_is_for_all_addresses_up_to_the_next() {
        let row = |start| UnwindRow {
            start,
            ..UnwindRow::default()
        };
        let rows = [row(8), row(12), row(u32::MAX)];
        let table = Table::new(rows.as_bytes());
        let found = |address| table.row(address).map(|row| row.start);
        assert_eq!([found(0), found(7)], [None; 2]);
        assert_eq!([found(8), found(11)], [Some(8); 2]);
        assert_eq!([found(12), found(u32::MAX - 1)], [Some(12); 2]);
        assert_eq!(found(u32::MAX), Some(u32::MAX));
    }

    #[test]
    fn a_table_can_be_empty_or_cut() {
        assert_eq!(Table::new(&[]).row(0), None);
        assert_eq!(Table::new(&[0; 11]).row(0), None);
        let whole = Table::new(&[0; 23]).row(0);
        assert_eq!(whole, Some(UnwindRow::default()));
    }
}
