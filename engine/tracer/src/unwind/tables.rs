//! The tables of a consumer, as its firings look rows up in them.

use alloc::vec::Vec;
use core::ops::Range;

use engine_abi::UnwindRow;

use zerocopy::IntoBytes;

use super::table::Table;
use crate::grow::{OutOfMemory, push};
use crate::sort::sort_by_key;

/// The tables of the objects of some processes.
#[derive(Debug, Default)]
pub struct Tables {
    /// With the keys of the processes' address spaces, and by these and by address. No two share an
    /// address, unless the consumer said so.
    objects: Vec<(usize, Object)>,
}

/// The code of an object in a process.
#[derive(Debug)]
pub struct Object {
    /// The addresses that the table is for, in the process.
    pub code: Range<u64>,
    /// What the process's addresses exceed the object's by.
    pub bias: u64,
    /// The rows, sorted by address.
    pub rows: Vec<UnwindRow>,
}

impl Tables {
    /// Adds the table of an object in the process whose address space has this key.
    pub fn add(&mut self, space: usize, object: Object) -> Result<(), OutOfMemory> {
        push(&mut self.objects, (space, object))?;
        sort_by_key(&mut self.objects, |(space, object)| {
            (*space, object.code.start)
        });
        Ok(())
    }

    /// The row for an address of a process.
    pub fn row(&self, space: usize, address: u64) -> Option<UnwindRow> {
        let place = self.behind(space, address).checked_sub(1)?;
        let (of, object) = self.objects.get(place)?;
        if *of != space || !object.code.contains(&address) {
            return None;
        }
        let address = u32::try_from(address.wrapping_sub(object.bias)).ok()?;
        Table::new(object.rows.as_bytes()).row(address)
    }

    /// The number of tables.
    pub fn count(&self) -> usize {
        self.objects.len()
    }

    /// Size in bytes.
    pub fn bytes(&self) -> usize {
        let rows = self
            .objects
            .iter()
            .map(|(_, object)| object.rows.capacity());
        let objects = self
            .objects
            .capacity()
            .wrapping_mul(size_of::<(usize, Object)>());
        rows.fold(objects, usize::wrapping_add)
    }

    /// The place behind the last object that begins at this address or before it.
    fn behind(&self, space: usize, address: u64) -> usize {
        let key = (space, address);
        self.objects
            .partition_point(|(space, object)| (*space, object.code.start) <= key)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use engine_abi::FrameRule;

    fn object(code: Range<u64>, bias: u64, cfa: i16) -> Object {
        let row = UnwindRow {
            start: 0,
            rule: FrameRule::Sp.code(),
            cfa,
            ..UnwindRow::default()
        };
        Object {
            code,
            bias,
            rows: std::vec![row],
        }
    }

    #[test]
    fn a_row_is_looked_up_in_its_object_and_process() {
        let mut tables = Tables::default();
        for (space, code, bias, cfa) in [
            (7, 0x2000..0x3000, 0x2000, 1),
            (5, 0x1000..0x1800, 0x1000, 2),
            (7, 0x1000..0x1800, 0, 3),
            (7, 0x9_0000_0000..0x9_0000_1000, 0x10, 4),
        ] {
            tables.add(space, object(code, bias, cfa)).unwrap();
        }
        let cfa = |space, address| tables.row(space, address).map(|row| row.cfa);
        assert_eq!(cfa(7, 0x1000), Some(3));
        assert_eq!(cfa(7, 0x17ff), Some(3));
        assert_eq!(cfa(7, 0x1800), None, "behind the object");
        assert_eq!(cfa(7, 0x2abc), Some(1));
        assert_eq!(cfa(7, 0xfff), None);
        assert_eq!(cfa(5, 0x1000), Some(2));
        assert_eq!(cfa(5, 0x2000), None);
        assert_eq!(cfa(6, 0x1000), None);
        assert_eq!(cfa(7, 0x9_0000_0000), None, "further than a row can say");
        assert!(tables.bytes() >= 4 * size_of::<UnwindRow>());
    }
}
