//! One CPU's part of a speculation: records packed in fixed memory. Firings of the CPU write it;
//! once the speculation's state excludes them, the control side reads and empties it.

use core::sync::atomic::{AtomicU32, Ordering};

use engine_abi::RecordHeader;
use zerocopy::{FromBytes, IntoBytes};

use crate::grow::OutOfMemory;
use crate::session::arena::Arena;
use crate::session::ring::Ring;
use crate::session::sink::{Sink, Unwritten};

/// Bytes of a record's header.
const HEAD: u32 = size_of::<RecordHeader>() as u32;

/// Where a record is in a part: offset and size in bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Place {
    at: u32,
    bytes: u32,
}

/// One CPU's part of a speculation.
#[derive(Debug)]
pub struct Part {
    memory: Arena,
    /// Bytes of complete records.
    used: AtomicU32,
    /// Offset of the first record not yet released, and of the first not yet copied out.
    begin: AtomicU32,
    sent: AtomicU32,
}

impl Part {
    /// An empty part of `bytes` bytes.
    pub fn new(bytes: usize) -> Result<Self, OutOfMemory> {
        Ok(Self {
            memory: Arena::new(bytes & !7)?,
            used: AtomicU32::new(0),
            begin: AtomicU32::new(0),
            sent: AtomicU32::new(0),
        })
    }

    /// Reserves space for a record, writes its header and zeroes the rest. None where it does not
    /// fit.
    pub fn open(&self, header: RecordHeader) -> Option<Place> {
        let at = self.used.load(Ordering::Relaxed);
        let end = at.checked_add(header.size)?;
        if end as usize > self.memory.bytes() {
            return None;
        }
        self.memory.clear(at as usize, header.size as usize);
        self.memory.write(at as usize, header.as_bytes());
        Some(Place {
            at,
            bytes: header.size,
        })
    }

    /// Writes `bytes` at this byte offset of a record, truncated at the record's end.
    pub fn write(&self, place: Place, offset: u32, bytes: &[u8]) {
        let fits = (place.bytes.saturating_sub(offset) as usize).min(bytes.len());
        let at = (place.at as usize).wrapping_add(offset as usize);
        self.memory.write(at, bytes.get(..fits).unwrap_or_default());
    }

    /// Completes a record.
    pub fn close(&self, place: Place) {
        let end = place.at.wrapping_add(place.bytes);
        self.used.store(end, Ordering::Release);
    }

    /// Drops all records.
    pub fn empty(&self) {
        self.used.store(0, Ordering::Relaxed);
        self.begin.store(0, Ordering::Relaxed);
    }

    /// Releases the records that were copied last.
    pub fn release(&self) {
        let sent = self.sent.load(Ordering::Relaxed);
        self.begin.store(sent, Ordering::Relaxed);
    }

    /// Whether all records were released.
    pub fn is_empty(&self) -> bool {
        self.begin.load(Ordering::Relaxed) == self.used.load(Ordering::Acquire)
    }

    /// Calls `see` with offset and header of each record from `from` on, the header's timestamp
    /// replaced by `time`, until `see` returns false. Returns the offset where it stopped.
    fn each<E>(
        &self,
        from: u32,
        time: u64,
        mut see: impl FnMut(usize, RecordHeader) -> Result<bool, E>,
    ) -> Result<u32, E> {
        let end = self.used.load(Ordering::Acquire);
        let mut at = from;
        while at < end {
            let mut head = [0; size_of::<RecordHeader>()];
            self.memory.read(at as usize, &mut head);
            let Ok(head) = RecordHeader::read_from_bytes(&head) else {
                break;
            };
            if !see(
                at as usize,
                RecordHeader {
                    timestamp: time,
                    ..head
                },
            )? {
                break;
            }
            at = at.saturating_add(head.size.max(HEAD));
        }
        Ok(at)
    }

    /// Moves all records to the principal buffer of the same CPU, which counts those that do not
    /// fit.
    pub fn move_to(&self, ring: &Ring, now: u64) {
        let _ = self.each(0, now, |at, head| {
            if let Some(reservation) = ring.open(head, false) {
                for word in 0..head.size.saturating_sub(HEAD) / 8 {
                    let offset = word.wrapping_mul(8).wrapping_add(HEAD);
                    let word = self.memory.load(at.wrapping_add(offset as usize));
                    ring.write(reservation, offset, &word.to_ne_bytes());
                }
                ring.close(reservation);
            }
            Ok::<_, core::convert::Infallible>(true)
        });
        self.used.store(0, Ordering::Relaxed);
    }

    /// Copies out whole records stamped with the time of the commit, as many as fit. They stay
    /// until [`Part::release`].
    pub fn copy(&self, committed: u64, sink: &mut Sink<'_>) -> Result<(), Unwritten> {
        let begin = self.begin.load(Ordering::Relaxed);
        let sent = self.each(begin, committed, |at, head| {
            if head.size as usize > sink.room() {
                return Ok(false);
            }
            sink.header(head)?;
            let data = (head.size.saturating_sub(HEAD)) as usize;
            sink.copy(&self.memory, at.wrapping_add(HEAD as usize), data)?;
            Ok(true)
        })?;
        self.sent.store(sent, Ordering::Relaxed);
        Ok(())
    }
}
