//! What a firing writes to a principal buffer, and how a consumer reads what it drained.

use zerocopy::{FromBytes, Immutable, IntoBytes, KnownLayout};

/// The header of a record. The data traced by the ECB's actions follow.
#[derive(Debug, Clone, Copy, PartialEq, Eq, FromBytes, IntoBytes, KnownLayout, Immutable)]
#[repr(C)]
pub struct RecordHeader {
    /// The enabled probe ID of the ECB.
    pub epid: u32,
    /// Size of the record in bytes, including this header; a multiple of 8.
    pub size: u32,
    /// Nanoseconds of the monotonic clock.
    pub timestamp: u64,
}

const _: () = assert!(size_of::<RecordHeader>() == 16);

/// One record of a drained buffer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Record<'a> {
    /// Its header.
    pub header: RecordHeader,
    /// Its data; empty for a clause without actions.
    pub data: &'a [u8],
}

/// Iterates over the records of a drained buffer; stops at the first that is incomplete.
#[derive(Debug, Clone, Copy)]
pub struct Records<'a>(&'a [u8]);

impl<'a> Records<'a> {
    /// The records in `buffer`.
    pub fn new(buffer: &'a [u8]) -> Self {
        Self(buffer)
    }

    /// The bytes not yet read: empty after a well-formed buffer's last record.
    pub fn rest(&self) -> &'a [u8] {
        self.0
    }
}

impl<'a> Iterator for Records<'a> {
    type Item = Record<'a>;

    fn next(&mut self) -> Option<Record<'a>> {
        let (header, _) = RecordHeader::read_from_prefix(self.0).ok()?;
        let (record, rest) = self.0.split_at_checked(header.size as usize)?;
        let data = record.get(size_of::<RecordHeader>()..)?;
        self.0 = rest;
        Some(Record { header, data })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn header(epid: u32, size: u32) -> RecordHeader {
        RecordHeader {
            epid,
            size,
            timestamp: 7,
        }
    }

    #[test]
    fn records_follow_one_another() {
        let mut buffer = [0; 40];
        header(1, 16).write_to_prefix(&mut buffer).unwrap();
        header(2, 24).write_to_prefix(&mut buffer[16..]).unwrap();
        let mut records = Records::new(&buffer);
        assert_eq!(records.next().unwrap().header.epid, 1);
        assert_eq!(records.next().unwrap().data, [0; 8]);
        assert_eq!(records.next(), None);
        assert!(records.rest().is_empty());
    }

    #[test]
    fn a_record_that_is_not_whole_ends_the_walk() {
        for size in [0, 15, 17, u32::MAX] {
            let mut buffer = [0; 16];
            header(1, size).write_to_prefix(&mut buffer).unwrap();
            let mut records = Records::new(&buffer);
            assert_eq!(records.next(), None, "size {size}");
            assert_eq!(records.rest().len(), 16);
        }
    }
}
