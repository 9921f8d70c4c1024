//! A CPU's principal buffer: one writer, the firings of that CPU; one reader, the control side.
//!
//! Positions count units of 8 bytes and only ever grow (they wrap with `u32`); the difference is what
//! is in the buffer. A record becomes visible by one store of `head` behind all that was written to
//! it, so one that is given up leaves no trace. Its room becomes free by one store of `tail` once the
//! consumer has it, so neither side ever waits.
//!
//! By the policy `ring` it is the writer who moves `tail`, and nobody may read until there is no
//! writer any more.

use alloc::vec::Vec;
use core::sync::atomic::{AtomicBool, AtomicU32, Ordering};

use engine_abi::{BufferPolicy, RecordHeader};

use crate::grow::{OutOfMemory, push};
use crate::session::arena::Arena;
use crate::session::outlet::{Outlet, Unwritten};

/// Units that a record's header takes.
pub const HEADER: u32 = size_of::<RecordHeader>() as u32 / 8;
/// The largest buffer: 1 GiB, so that positions can wrap.
const UNITS_MAX: usize = 1 << 27;

/// The principal buffers of one consumer, one for each CPU.
pub struct Rings(Vec<Ring>);

impl Rings {
    /// Buffers of `bytes` each (rounded up to a power of two) for `cpus` CPUs; `reserve` bytes of each are
    /// kept for privileged records.
    pub fn new(
        cpus: usize,
        bytes: usize,
        policy: BufferPolicy,
        reserve: u32,
    ) -> Result<Self, OutOfMemory> {
        let units = (bytes / 8).clamp(32, UNITS_MAX).next_power_of_two();
        let mut rings = Vec::new();
        for _ in 0..cpus {
            push(&mut rings, Ring::new(units, policy, reserve / 8)?)?;
        }
        Ok(Self(rings))
    }

    /// The buffer of this CPU.
    pub fn of(&self, cpu: usize) -> Option<&Ring> {
        self.0.get(cpu)
    }

    /// Whether each has room for so many bytes of records, when it is empty.
    pub fn can_hold(&self, bytes: u32) -> bool {
        self.0.iter().all(|ring| bytes / 8 <= ring.units)
    }

    /// Whether one of them is full for good.
    pub fn are_full(&self) -> bool {
        self.0.iter().any(|ring| ring.full.load(Ordering::Relaxed))
    }
}

/// One principal buffer.
pub struct Ring {
    memory: Arena,
    units: u32,
    policy: BufferPolicy,
    reserve: u32,
    head: AtomicU32,
    tail: AtomicU32,
    drops: AtomicU32,
    full: AtomicBool,
}

/// A record that is being written: its room, which nobody else sees yet.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Room {
    /// Where it begins.
    pub position: u32,
    /// Its units.
    pub units: u32,
}

/// Records that were sent, and are still in the buffer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Copied {
    end: u32,
    /// Whether they are all that there were.
    pub is_all: bool,
}

impl Ring {
    fn new(units: usize, policy: BufferPolicy, reserve: u32) -> Result<Self, OutOfMemory> {
        Ok(Self {
            memory: Arena::new(units.wrapping_mul(8))?,
            units: units as u32,
            policy,
            reserve,
            head: AtomicU32::new(0),
            tail: AtomicU32::new(0),
            drops: AtomicU32::new(0),
            full: AtomicBool::new(false),
        })
    }

    /// Makes room for a record with this header, and zeros behind that; `privileged` says whether it
    /// may take what is reserved. Only firings of this buffer's CPU call it, one at a time.
    #[inline]
    pub fn open(&self, header: RecordHeader, privileged: bool) -> Option<Room> {
        let units = header.size / 8;
        let position = self.head.load(Ordering::Relaxed);
        let reserve = if privileged { 0 } else { self.reserve };
        if !self.make_room(position, units.checked_add(reserve)?) {
            return None;
        }
        self.put_header(position, header);
        if units > HEADER {
            let behind = position.wrapping_add(HEADER);
            self.clear(behind, units.wrapping_sub(HEADER));
        }
        Some(Room { position, units })
    }

    /// Whether there are so many units free behind `head`, or can be made free.
    fn make_room(&self, head: u32, units: u32) -> bool {
        let tail = self.tail.load(Ordering::Acquire);
        self.has_room(head, tail, units) || self.without_room(head, tail, units)
    }

    fn has_room(&self, head: u32, tail: u32, units: u32) -> bool {
        units <= self.units.wrapping_sub(head.wrapping_sub(tail))
    }

    /// There are not so many. By the policy `ring` there will be, if the buffer is that large at all, since
    /// the oldest records go.
    #[cold]
    fn without_room(&self, head: u32, mut tail: u32, units: u32) -> bool {
        match self.policy {
            BufferPolicy::Ring if units <= self.units => {
                while !self.has_room(head, tail, units) {
                    tail = tail.wrapping_add(self.size_at(tail));
                }
                self.tail.store(tail, Ordering::Relaxed);
                return true;
            }
            BufferPolicy::Fill => self.full.store(true, Ordering::Relaxed),
            _ => {
                self.drops.fetch_add(1, Ordering::Relaxed);
            }
        }
        false
    }

    /// Writes `bytes` into a record, so many bytes behind its begin. What does not fit is cut.
    pub fn write(&self, room: Room, offset: u32, bytes: &[u8]) {
        let end = room.units.wrapping_mul(8);
        if let Ok(unit) = bytes.try_into()
            && offset.is_multiple_of(8)
            && offset < end
        {
            let position = room.position.wrapping_add(offset / 8);
            return self.put(position, u64::from_ne_bytes(unit));
        }
        let fits = (end.saturating_sub(offset) as usize).min(bytes.len());
        let bytes = bytes.get(..fits).unwrap_or_default();
        let at = self.place(room.position).wrapping_add(offset as usize);
        self.wrapped(at, bytes.len(), |at, part| {
            self.memory.write(at, bytes.get(part).unwrap_or_default());
        });
    }

    /// The record is whole: whoever reads may have it.
    pub fn close(&self, room: Room) {
        self.head
            .store(room.position.wrapping_add(room.units), Ordering::Release);
    }

    /// Sends whole records to `outlet`, as many as it has room for. They stay in the buffer until
    /// [`Ring::release`].
    pub fn copy(&self, outlet: &mut Outlet<'_>) -> Result<Copied, Unwritten> {
        let head = self.head.load(Ordering::Acquire);
        let mut position = self.tail.load(Ordering::Relaxed);
        while position != head {
            let units = self.size_at(position);
            let bytes = units.wrapping_mul(8) as usize;
            if bytes > outlet.room() {
                break;
            }
            let mut sent = Ok(());
            self.wrapped(self.place(position), bytes, |at, part| {
                sent = sent.and_then(|()| outlet.copy(&self.memory, at, part.len()));
            });
            sent?;
            position = position.wrapping_add(units);
        }
        Ok(Copied {
            end: position,
            is_all: position == head,
        })
    }

    /// Gives the room of records that were sent back to the writer.
    pub fn release(&self, copied: Copied) {
        self.tail.store(copied.end, Ordering::Release);
    }

    /// Records dropped since the last call.
    pub fn take_drops(&self) -> u32 {
        self.drops.swap(0, Ordering::Relaxed)
    }

    /// Units of the record that begins at `position`.
    fn size_at(&self, position: u32) -> u32 {
        let mut size = [0; 4];
        let at = self.place(position).wrapping_add(4);
        self.memory.read(at, &mut size);
        (u32::from_ne_bytes(size) / 8).max(HEADER)
    }

    /// Puts a header at `position`: at once, but where it goes on at the memory's begin.
    #[inline]
    fn put_header(&self, position: u32, header: RecordHeader) {
        let units: [u64; HEADER as usize] = zerocopy::transmute!(header);
        if self.memory.store_two(self.place(position), units) {
            return;
        }
        let [first, second] = units;
        self.put(position, first);
        self.put(position.wrapping_add(1), second);
    }

    /// Puts one unit at `position`: only what is longer can go on at the memory's begin.
    fn put(&self, position: u32, unit: u64) {
        self.memory.store(self.place(position), unit);
    }

    fn clear(&self, position: u32, units: u32) {
        let bytes = units.wrapping_mul(8) as usize;
        self.wrapped(self.place(position), bytes, |at, part| {
            self.memory.clear(at, part.len());
        });
    }

    /// Where in the memory a position is.
    fn place(&self, position: u32) -> usize {
        (position & self.units.wrapping_sub(1)) as usize * 8
    }

    /// Does `work` for `bytes` bytes from `at` on: at once, or in two parts where they go on at the
    /// memory's begin. It is given where each part is, and which part it is.
    fn wrapped(
        &self,
        at: usize,
        bytes: usize,
        mut work: impl FnMut(usize, core::ops::Range<usize>),
    ) {
        let whole = self.memory.bytes();
        let at = if at >= whole {
            at.wrapping_sub(whole)
        } else {
            at
        };
        let first = bytes.min(whole.wrapping_sub(at));
        work(at, 0..first);
        if first < bytes {
            work(0, first..bytes);
        }
    }
}

#[cfg(test)]
mod tests {
    use engine_abi::Records;

    use super::*;

    fn ring(units: usize, policy: BufferPolicy) -> Ring {
        Ring::new(units, policy, 0).unwrap()
    }

    fn record(ring: &Ring, epid: u32, data: &[u8]) -> bool {
        let size = 16 + data.len() as u32;
        let header = RecordHeader {
            epid,
            size,
            timestamp: 7,
        };
        let Some(room) = ring.open(header, false) else {
            return false;
        };
        ring.write(room, 16, data);
        ring.close(room);
        true
    }

    fn drain(ring: &Ring, room: usize) -> Vec<u8> {
        let (mut chunk, mut got) = ([0; 24], Vec::new());
        let mut put = |part: &[u8]| {
            got.extend_from_slice(part);
            Ok(())
        };
        let mut outlet = Outlet::new(room, &mut chunk, &mut put);
        let copied = ring.copy(&mut outlet).unwrap();
        outlet.flush().unwrap();
        ring.release(copied);
        got
    }

    fn epids(bytes: &[u8]) -> Vec<u32> {
        let mut records = Records::new(bytes);
        let epids = records.by_ref().map(|record| record.header.epid).collect();
        assert!(records.rest().is_empty());
        epids
    }

    #[test]
    fn records_come_out_in_order_and_once() {
        let ring = ring(32, BufferPolicy::Switch);
        for round in 0..100 {
            record(&ring, round, &[]);
            record(&ring, round + 1000, &[9; 40]);
            let drained = drain(&ring, 256);
            assert_eq!(epids(&drained), [round, round + 1000]);
            assert_eq!(drained[32..], [9; 40]);
        }
        assert_eq!(drain(&ring, 256), []);
    }

    #[test]
    fn a_full_buffer_drops_and_counts() {
        let ring = ring(32, BufferPolicy::Switch);
        (0..20).for_each(|epid| _ = record(&ring, epid, &[]));
        assert_eq!((ring.take_drops(), ring.take_drops()), (4, 0));
        assert_eq!(epids(&drain(&ring, 256)), (0..16).collect::<Vec<_>>());
        assert!(!record(&ring, 1, &[0; 256]), "more than there can ever be");
        assert_eq!(ring.take_drops(), 1);
    }

    #[test]
    fn one_that_forgets_has_the_newest() {
        let ring = ring(32, BufferPolicy::Ring);
        (0..100).for_each(|epid| assert!(record(&ring, epid, &[1; 16])));
        assert_eq!(epids(&drain(&ring, 256)), (92..100).collect::<Vec<_>>());
        assert!(!record(&ring, 1, &[0; 256]));
        assert_eq!(ring.take_drops(), 1);
    }

    #[test]
    fn one_that_fills_keeps_the_oldest_and_what_is_reserved() {
        let ring = Ring::new(32, BufferPolicy::Fill, 4).unwrap();
        (0..20).for_each(|epid| _ = record(&ring, epid, &[]));
        assert!(ring.full.load(Ordering::Relaxed));
        let header = RecordHeader {
            epid: 99,
            size: 32,
            timestamp: 0,
        };
        ring.close(ring.open(header, true).unwrap());
        let kept: Vec<_> = (0..14).chain([99]).collect();
        assert_eq!(epids(&drain(&ring, 256)), kept);
        assert_eq!(
            ring.take_drops(),
            0,
            "it is full, which is what was asked for"
        );
    }

    #[test]
    fn what_is_given_up_leaves_no_trace() {
        let ring = ring(32, BufferPolicy::Switch);
        let header = RecordHeader {
            epid: 1,
            size: 32,
            timestamp: 0,
        };
        let room = ring.open(header, false).unwrap();
        ring.write(room, 16, &[0xff; 16]);
        record(&ring, 2, &[]);
        ring.close(
            ring.open(RecordHeader { epid: 3, ..header }, false)
                .unwrap(),
        );
        let drained = drain(&ring, 256);
        assert_eq!(epids(&drained), [2, 3]);
        assert_eq!(drained[32..], [0; 16], "what nobody wrote is 0");
    }

    #[test]
    fn what_does_not_fit_a_record_is_cut() {
        let ring = ring(32, BufferPolicy::Switch);
        let header = RecordHeader {
            epid: 1,
            size: 24,
            timestamp: 0,
        };
        let room = ring.open(header, false).unwrap();
        ring.write(room, 20, &[1; 8]);
        ring.write(room, u32::MAX, &[2; 8]);
        ring.close(room);
        record(&ring, 2, &[]);
        let drained = drain(&ring, 256);
        assert_eq!(drained[16..24], [0, 0, 0, 0, 1, 1, 1, 1]);
        assert_eq!(epids(&drained), [1, 2]);
    }

    #[test]
    fn a_small_target_takes_whole_records_only() {
        let ring = ring(32, BufferPolicy::Switch);
        record(&ring, 1, &[]);
        record(&ring, 2, &[]);
        assert_eq!(drain(&ring, 31).len(), 16);
        assert_eq!(drain(&ring, 15).len(), 0);
        assert_eq!(drain(&ring, 16).len(), 16);
    }

    #[test]
    fn what_does_not_arrive_comes_again() {
        let ring = ring(32, BufferPolicy::Switch);
        record(&ring, 1, &[]);
        let (mut chunk, mut put) = ([0; 8], |_: &[u8]| Err(Unwritten));
        let mut outlet = Outlet::new(64, &mut chunk, &mut put);
        assert_eq!(ring.copy(&mut outlet), Err(Unwritten));
        assert_eq!(epids(&drain(&ring, 64)), [1]);
    }

    #[test]
    fn positions_wrap() {
        let ring = ring(32, BufferPolicy::Switch);
        let near_the_end = u32::MAX - 4;
        ring.head.store(near_the_end, Ordering::Relaxed);
        ring.tail.store(near_the_end, Ordering::Relaxed);
        (0..17).for_each(|epid| _ = record(&ring, epid, &[]));
        assert_eq!(epids(&drain(&ring, 256)), (0..16).collect::<Vec<_>>());
        assert_eq!(ring.take_drops(), 1);
    }

    #[test]
    fn a_reader_beside_a_writer_loses_nothing_uncounted() {
        let ring = ring(512, BufferPolicy::Switch);
        let (mut seen, mut drops) = (0, 0);
        std::thread::scope(|scope| {
            let write = || (0..200_000).for_each(|epid| _ = record(&ring, epid, &[epid as u8; 24]));
            let writer = scope.spawn(write);
            let mut last = None;
            loop {
                let finished = writer.is_finished();
                let drained = drain(&ring, 512);
                for record in Records::new(&drained) {
                    assert!(last < Some(record.header.epid));
                    assert_eq!(record.data, [record.header.epid as u8; 24]);
                    last = Some(record.header.epid);
                    seen += 1;
                }
                drops += ring.take_drops();
                if finished && drained.is_empty() {
                    break;
                }
            }
        });
        assert_eq!(seen + drops, 200_000);
    }
}
