//! A CPU's principal buffer: a ring with one writer, the firings of that CPU, and one reader, the
//! control side under the control lock.
//!
//! Positions count units of 8 bytes and only grow, modulo 2^32; `head - tail` is the fill level. A
//! record becomes visible by one release store of `head` after it was written, so an abandoned
//! record leaves no trace. Its space becomes free by one release store of `tail` after the consumer
//! has it. Neither side ever waits.
//!
//! With the policy `ring` the writer moves `tail`, and nothing may read until there is no writer
//! any more.

use alloc::vec::Vec;
use core::sync::atomic::{AtomicBool, AtomicU32, Ordering};

use engine_abi::{BufferPolicy, RecordHeader};

use crate::grow::{OutOfMemory, push};
use crate::session::arena::{self, Arena};
use crate::session::sink::{Sink, Unwritten};

/// Units of a record's header.
pub const HEADER: u32 = size_of::<RecordHeader>() as u32 / 8;
/// The largest buffer in units: 1 GiB.
const UNITS_MAX: usize = 1 << 27;

/// The principal buffers of one consumer, one for each CPU.
pub struct Rings(Vec<Ring>);

impl Rings {
    /// Buffers of `bytes` bytes each, rounded up to a power of two, for `cpus` CPUs. `reserve`
    /// bytes of each are left to privileged records.
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

    /// The buffer of a CPU.
    pub fn of(&self, cpu: usize) -> Option<&Ring> {
        self.0.get(cpu)
    }

    /// Whether an empty buffer has room for `bytes` bytes of records.
    pub fn can_hold(&self, bytes: u32) -> bool {
        self.0.iter().all(|ring| bytes / 8 <= ring.units)
    }

    /// Whether a buffer of the policy `fill` is full.
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

/// Space reserved for a record that is being written; not visible to the reader yet.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Reservation {
    /// Position of its first unit.
    pub position: u32,
    /// Its size in units.
    pub units: u32,
}

/// Records that were copied out and not released yet.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Copied {
    end: u32,
    /// Whether they are all that the buffer had.
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

    /// Reserves space for a record, writes its header and zeroes the rest. `privileged` allows use
    /// of the reserve. None where there is no room, which is counted as a drop or, with the policy
    /// `fill`, marks the buffer full. Only firings of this CPU call it, one at a time; a second
    /// reservation abandons the first.
    #[inline]
    pub fn open(&self, header: RecordHeader, privileged: bool) -> Option<Reservation> {
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
        Some(Reservation { position, units })
    }

    /// Writes and publishes a whole record that is not privileged, with `units` behind its header, which are
    /// as many as its size says. Otherwise like [`Ring::open`].
    #[inline(always)]
    pub fn append(&self, header: RecordHeader, units: impl ExactSizeIterator<Item = u64>) {
        let position = self.head.load(Ordering::Relaxed);
        let size = HEADER.wrapping_add(units.len() as u32);
        if !self.make_room(position, size.saturating_add(self.reserve)) {
            return;
        }
        let [first, second]: [u64; HEADER as usize] = zerocopy::transmute!(header);
        match self.memory.units(self.place(position), size as usize) {
            Some([one, other, rest @ ..]) => {
                arena::set(one, first);
                arena::set(other, second);
                for (place, unit) in rest.iter().zip(units) {
                    arena::set(place, unit);
                }
            }
            _ => self.put_wrapped(position, header, units),
        }
        self.head
            .store(position.wrapping_add(size), Ordering::Release);
    }

    #[cold]
    #[inline(never)]
    fn put_wrapped(&self, position: u32, header: RecordHeader, units: impl Iterator<Item = u64>) {
        self.put_header(position, header);
        for (after, unit) in (HEADER..).zip(units) {
            self.put(position.wrapping_add(after), unit);
        }
    }

    /// Whether `units` units are free after `head`, or can be made free.
    fn make_room(&self, head: u32, units: u32) -> bool {
        let tail = self.tail.load(Ordering::Acquire);
        self.has_room(head, tail, units) || self.without_room(head, tail, units)
    }

    fn has_room(&self, head: u32, tail: u32, units: u32) -> bool {
        units <= self.units.wrapping_sub(head.wrapping_sub(tail))
    }

    /// The slow path for a full buffer. With the policy `ring` it discards the oldest records until
    /// `units` fit, if the buffer is that large at all.
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

    /// Writes `bytes` at this byte offset of a record, truncated at the record's end.
    pub fn write(&self, reservation: Reservation, offset: u32, bytes: &[u8]) {
        let end = reservation.units.wrapping_mul(8);
        if let Ok(unit) = bytes.try_into()
            && offset.is_multiple_of(8)
            && offset < end
        {
            let position = reservation.position.wrapping_add(offset / 8);
            return self.put(position, u64::from_ne_bytes(unit));
        }
        let fits = (end.saturating_sub(offset) as usize).min(bytes.len());
        let bytes = bytes.get(..fits).unwrap_or_default();
        let at = self
            .place(reservation.position)
            .wrapping_add(offset as usize);
        self.wrapped(at, bytes.len(), |at, part| {
            self.memory.write(at, bytes.get(part).unwrap_or_default());
        });
    }

    /// Publishes a complete record to the reader.
    pub fn close(&self, reservation: Reservation) {
        self.head.store(
            reservation.position.wrapping_add(reservation.units),
            Ordering::Release,
        );
    }

    /// Copies whole records to `sink`, as many as fit. They stay in the buffer until
    /// [`Ring::release`].
    pub fn copy(&self, sink: &mut Sink<'_>) -> Result<Copied, Unwritten> {
        let head = self.head.load(Ordering::Acquire);
        let mut position = self.tail.load(Ordering::Relaxed);
        while position != head {
            let units = self.size_at(position);
            let bytes = units.wrapping_mul(8) as usize;
            if bytes > sink.room() {
                break;
            }
            let mut sent = Ok(());
            self.wrapped(self.place(position), bytes, |at, part| {
                sent = sent.and_then(|()| sink.copy(&self.memory, at, part.len()));
            });
            sent?;
            position = position.wrapping_add(units);
        }
        Ok(Copied {
            end: position,
            is_all: position == head,
        })
    }

    /// Frees the space of copied records for the writer.
    pub fn release(&self, copied: Copied) {
        self.tail.store(copied.end, Ordering::Release);
    }

    /// Records dropped since the last call.
    pub fn take_drops(&self) -> u32 {
        self.drops.swap(0, Ordering::Relaxed)
    }

    /// Units of the record at `position`.
    fn size_at(&self, position: u32) -> u32 {
        let mut size = [0; 4];
        let at = self.place(position).wrapping_add(4);
        self.memory.read(at, &mut size);
        (u32::from_ne_bytes(size) / 8).max(HEADER)
    }

    /// Writes a header at `position`: in one go, unless it wraps around.
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

    /// Writes one unit at `position`; a single unit never wraps around.
    fn put(&self, position: u32, unit: u64) {
        self.memory.store(self.place(position), unit);
    }

    fn clear(&self, position: u32, units: u32) {
        let bytes = units.wrapping_mul(8) as usize;
        self.wrapped(self.place(position), bytes, |at, part| {
            self.memory.clear(at, part.len());
        });
    }

    /// The byte offset of a position in the memory.
    fn place(&self, position: u32) -> usize {
        (position & self.units.wrapping_sub(1)) as usize * 8
    }

    /// Calls `work` for `bytes` bytes from `at` on: once, or twice where they wrap around. `work`
    /// gets the offset of each part in the memory, and which bytes of the whole it covers.
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
        let Some(reservation) = ring.open(header, false) else {
            return false;
        };
        ring.write(reservation, 16, data);
        ring.close(reservation);
        true
    }

    fn drain(ring: &Ring, room: usize) -> Vec<u8> {
        let (mut chunk, mut got) = ([0; 24], Vec::new());
        let mut put = |part: &[u8]| {
            got.extend_from_slice(part);
            Ok(())
        };
        let mut sink = Sink::new(room, &mut chunk, &mut put);
        let copied = ring.copy(&mut sink).unwrap();
        sink.flush().unwrap();
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
        assert!(!record(&ring, 1, &[0; 256]), "larger than the buffer");
        assert_eq!(ring.take_drops(), 1);
    }

    #[test]
    fn a_ring_buffer_keeps_the_newest_records() {
        let ring = ring(32, BufferPolicy::Ring);
        (0..100).for_each(|epid| assert!(record(&ring, epid, &[1; 16])));
        assert_eq!(epids(&drain(&ring, 256)), (92..100).collect::<Vec<_>>());
        assert!(!record(&ring, 1, &[0; 256]));
        assert_eq!(ring.take_drops(), 1);
    }

    #[test]
    fn a_fill_buffer_keeps_the_oldest_records_and_the_reserve() {
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
        assert_eq!(ring.take_drops(), 0, "a full `fill` buffer drops nothing");
    }

    #[test]
    fn an_abandoned_record_leaves_no_trace() {
        let ring = ring(32, BufferPolicy::Switch);
        let header = RecordHeader {
            epid: 1,
            size: 32,
            timestamp: 0,
        };
        let reservation = ring.open(header, false).unwrap();
        ring.write(reservation, 16, &[0xff; 16]);
        record(&ring, 2, &[]);
        ring.close(
            ring.open(RecordHeader { epid: 3, ..header }, false)
                .unwrap(),
        );
        let drained = drain(&ring, 256);
        assert_eq!(epids(&drained), [2, 3]);
        assert_eq!(drained[32..], [0; 16], "unwritten data are 0");
    }

    #[test]
    fn writes_are_truncated_at_the_records_end() {
        let ring = ring(32, BufferPolicy::Switch);
        let header = RecordHeader {
            epid: 1,
            size: 24,
            timestamp: 0,
        };
        let reservation = ring.open(header, false).unwrap();
        ring.write(reservation, 20, &[1; 8]);
        ring.write(reservation, u32::MAX, &[2; 8]);
        ring.close(reservation);
        record(&ring, 2, &[]);
        let drained = drain(&ring, 256);
        assert_eq!(drained[16..24], [0, 0, 0, 0, 1, 1, 1, 1]);
        assert_eq!(epids(&drained), [1, 2]);
    }

    #[test]
    fn only_whole_records_are_copied() {
        let ring = ring(32, BufferPolicy::Switch);
        record(&ring, 1, &[]);
        record(&ring, 2, &[]);
        assert_eq!(drain(&ring, 31).len(), 16);
        assert_eq!(drain(&ring, 15).len(), 0);
        assert_eq!(drain(&ring, 16).len(), 16);
    }

    #[test]
    fn records_of_a_failed_copy_are_sent_again() {
        let ring = ring(32, BufferPolicy::Switch);
        record(&ring, 1, &[]);
        let (mut chunk, mut put) = ([0; 8], |_: &[u8]| Err(Unwritten));
        let mut sink = Sink::new(64, &mut chunk, &mut put);
        assert_eq!(ring.copy(&mut sink), Err(Unwritten));
        assert_eq!(epids(&drain(&ring, 64)), [1]);
    }

    #[test]
    fn a_record_that_is_appended_is_as_if_it_was_written() {
        for policy in [BufferPolicy::Switch, BufferPolicy::Ring, BufferPolicy::Fill] {
            let [one, other] = [(); 2].map(|()| Ring::new(32, policy, 4).unwrap());
            for epid in 0..200 {
                let data: Vec<u64> = (0..u64::from(epid % 5)).map(|at| at ^ 0x77).collect();
                let bytes: Vec<u8> = data.iter().flat_map(|it| it.to_ne_bytes()).collect();
                record(&one, epid, &bytes);
                let header = RecordHeader {
                    epid,
                    size: 16 + bytes.len() as u32,
                    timestamp: 7,
                };
                other.append(header, data.into_iter());
                if epid % 7 == 0 && policy == BufferPolicy::Switch {
                    assert_eq!(drain(&one, 256), drain(&other, 256), "{epid}");
                }
                assert_eq!(one.take_drops(), other.take_drops(), "{epid}");
            }
            let full = [&one, &other].map(|ring| ring.full.load(Ordering::Relaxed));
            assert_eq!(full, [policy == BufferPolicy::Fill; 2]);
            assert_eq!(drain(&one, 256), drain(&other, 256));
        }
    }

    #[test]
    fn positions_wrap_around() {
        let ring = ring(32, BufferPolicy::Switch);
        let near_the_end = u32::MAX - 4;
        ring.head.store(near_the_end, Ordering::Relaxed);
        ring.tail.store(near_the_end, Ordering::Relaxed);
        (0..17).for_each(|epid| _ = record(&ring, epid, &[]));
        assert_eq!(epids(&drain(&ring, 256)), (0..16).collect::<Vec<_>>());
        assert_eq!(ring.take_drops(), 1);
    }

    #[test]
    fn a_concurrent_reader_misses_only_counted_drops() {
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
