//! One CPU's part of a speculation: records one behind the other.

use core::sync::atomic::{AtomicU32, Ordering};

use engine_abi::RecordHeader;
use zerocopy::{FromBytes, IntoBytes};

use crate::grow::OutOfMemory;
use crate::session::arena::Arena;
use crate::session::outlet::{Outlet, Unwritten};
use crate::session::ring::Ring;

/// Bytes of a record's head.
const HEAD: u32 = size_of::<RecordHeader>() as u32;

/// A record's place in a part.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Place {
    at: u32,
    bytes: u32,
}

/// One CPU's part of a speculation.
#[derive(Debug)]
pub struct Part {
    memory: Arena,
    /// Bytes of whole records.
    used: AtomicU32,
    /// How much of them the consumer has, and how much it will have if what was sent last arrives.
    begin: AtomicU32,
    sent: AtomicU32,
}

impl Part {
    /// An empty one of so many bytes.
    pub fn new(bytes: usize) -> Result<Self, OutOfMemory> {
        Ok(Self {
            memory: Arena::new(bytes & !7)?,
            used: AtomicU32::new(0),
            begin: AtomicU32::new(0),
            sent: AtomicU32::new(0),
        })
    }

    /// Makes room for a record with this header, and zeros behind that.
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

    /// Writes `bytes` into a record, so many bytes behind its begin. What does not fit is cut.
    pub fn write(&self, place: Place, offset: u32, bytes: &[u8]) {
        let fits = (place.bytes.saturating_sub(offset) as usize).min(bytes.len());
        let at = (place.at as usize).wrapping_add(offset as usize);
        self.memory.write(at, bytes.get(..fits).unwrap_or_default());
    }

    /// The record is whole.
    pub fn close(&self, place: Place) {
        let end = place.at.wrapping_add(place.bytes);
        self.used.store(end, Ordering::Release);
    }

    /// Forgets all records.
    pub fn empty(&self) {
        self.used.store(0, Ordering::Relaxed);
        self.begin.store(0, Ordering::Relaxed);
    }

    /// Forgets those that were sent last.
    pub fn release(&self) {
        let sent = self.sent.load(Ordering::Relaxed);
        self.begin.store(sent, Ordering::Relaxed);
    }

    /// Whether the consumer has all of it.
    pub fn is_empty(&self) -> bool {
        self.begin.load(Ordering::Relaxed) == self.used.load(Ordering::Acquire)
    }

    /// Each record from `from` on: where it begins, and its head, which carries that time. It ends where
    /// `see` says so.
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

    /// Moves all records to a principal buffer; that counts those that it has no room for.
    pub fn move_to(&self, ring: &Ring, now: u64) {
        let _ = self.each(0, now, |at, head| {
            if let Some(room) = ring.open(head, false) {
                for word in 0..head.size.saturating_sub(HEAD) / 8 {
                    let offset = word.wrapping_mul(8).wrapping_add(HEAD);
                    let word = self.memory.load(at.wrapping_add(offset as usize));
                    ring.write(room, offset, &word.to_ne_bytes());
                }
                ring.close(room);
            }
            Ok::<_, core::convert::Infallible>(true)
        });
        self.used.store(0, Ordering::Relaxed);
    }

    /// Sends whole records with that time, as many as there is room for. They stay until
    /// [`Part::release`].
    pub fn copy(&self, committed: u64, outlet: &mut Outlet<'_>) -> Result<(), Unwritten> {
        let begin = self.begin.load(Ordering::Relaxed);
        let sent = self.each(begin, committed, |at, head| {
            if head.size as usize > outlet.room() {
                return Ok(false);
            }
            outlet.header(head)?;
            let data = (head.size.saturating_sub(HEAD)) as usize;
            outlet.copy(&self.memory, at.wrapping_add(HEAD as usize), data)?;
            Ok(true)
        })?;
        self.sent.store(sent, Ordering::Relaxed);
        Ok(())
    }
}
