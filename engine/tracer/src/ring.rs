//! A CPU's principal buffer: one writer, the traps of that CPU; one reader, the
//! control side, which copies and then releases.
//!
//! Positions count words and only ever grow (they wrap with `u32`); the difference is what is in
//! the buffer. A record becomes visible by one store of `head` behind all its words, and its room
//! becomes free by one store of `tail` behind the copy, so neither side ever waits. A record that
//! finds no room is dropped whole, and counted.

use alloc::vec::Vec;
use core::sync::atomic::{AtomicU32, Ordering};

use engine_abi::RecordHeader;
use zerocopy::IntoBytes;

use crate::grow::{OutOfMemory, filled};

/// Words that a record's header takes.
const HEADER_WORDS: u32 = size_of::<RecordHeader>() as u32 / 4;
/// The largest buffer: 1 GiB, so that positions can wrap.
const WORDS_MAX: usize = 1 << 28;

/// The principal buffers of one consumer, one for each CPU.
pub struct Rings(Vec<Ring>);

impl Rings {
    /// Buffers of `bytes` each (rounded up to a power of two) for `cpus` CPUs.
    pub fn new(cpus: usize, bytes: usize) -> Result<Self, OutOfMemory> {
        let words = (bytes / 4).clamp(64, WORDS_MAX).next_power_of_two();
        let mut rings = Vec::new();
        for _ in 0..cpus {
            crate::grow::push(&mut rings, Ring::new(words)?)?;
        }
        Ok(Self(rings))
    }

    /// The buffer of this CPU.
    pub fn of(&self, cpu: usize) -> Option<&Ring> {
        self.0.get(cpu)
    }
}

/// Records that were copied out of a buffer, and are still in it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Copied {
    /// How many bytes.
    pub bytes: usize,
    position: u32,
}

/// One principal buffer.
pub struct Ring {
    words: Vec<AtomicU32>,
    head: AtomicU32,
    tail: AtomicU32,
    drops: AtomicU32,
}

impl Ring {
    fn new(words: usize) -> Result<Self, OutOfMemory> {
        Ok(Self {
            words: filled(words, || AtomicU32::new(0))?,
            head: AtomicU32::new(0),
            tail: AtomicU32::new(0),
            drops: AtomicU32::new(0),
        })
    }

    /// Records a firing. Only traps of this ring's CPU call it, one at a time.
    pub fn record(&self, epid: u32, timestamp: u64) {
        let header = RecordHeader {
            epid,
            size: size_of::<RecordHeader>() as u32,
            timestamp,
        };
        let head = self.head.load(Ordering::Relaxed);
        let used = head.wrapping_sub(self.tail.load(Ordering::Acquire));
        if used.wrapping_add(HEADER_WORDS) as usize > self.words.len() {
            self.drops.fetch_add(1, Ordering::Relaxed);
            return;
        }
        let mut at = head;
        for word in header.as_bytes().as_chunks().0 {
            self.put(at, u32::from_ne_bytes(*word));
            at = at.wrapping_add(1);
        }
        self.head.store(at, Ordering::Release);
    }

    /// Copies whole records into `target`, as many as fit. They stay in the buffer until
    /// [`Ring::release`], so that a copy that fails further on loses nothing.
    pub fn copy(&self, target: &mut [u8]) -> Copied {
        let head = self.head.load(Ordering::Acquire);
        let tail = self.tail.load(Ordering::Relaxed);
        let mut position = tail;
        let mut filled: usize = 0;
        while position != head {
            let words = self.size_at(position);
            let end = filled.wrapping_add((words as usize).wrapping_mul(4));
            let Some(room) = target.get_mut(filled..end).filter(|room| !room.is_empty()) else {
                break;
            };
            for place in room.as_chunks_mut().0 {
                *place = self.get(position).to_ne_bytes();
                position = position.wrapping_add(1);
            }
            filled = end;
        }
        Copied {
            bytes: filled,
            position: tail,
        }
    }

    /// Gives the room of copied records back to the writer; nothing when that is done already,
    /// as where two threads of a consumer drained at once.
    pub fn release(&self, copied: Copied) {
        if self.tail.load(Ordering::Relaxed) == copied.position {
            let words = (copied.bytes / 4) as u32;
            let tail = copied.position.wrapping_add(words);
            self.tail.store(tail, Ordering::Release);
        }
    }

    /// Records dropped since the last call.
    pub fn take_drops(&self) -> u32 {
        self.drops.swap(0, Ordering::Relaxed)
    }

    /// Words of the record that begins at `position`.
    fn size_at(&self, position: u32) -> u32 {
        self.get(position.wrapping_add(1)) / 4
    }

    fn slot(&self, position: u32) -> Option<&AtomicU32> {
        self.words
            .get(position as usize & self.words.len().wrapping_sub(1))
    }

    fn get(&self, position: u32) -> u32 {
        self.slot(position)
            .map_or(0, |slot| slot.load(Ordering::Relaxed))
    }

    fn put(&self, position: u32, word: u32) {
        if let Some(slot) = self.slot(position) {
            slot.store(word, Ordering::Relaxed);
        }
    }
}

#[cfg(test)]
mod tests {
    use engine_abi::Records;

    use super::*;

    fn drain(ring: &Ring, target: &mut [u8]) -> usize {
        let copied = ring.copy(target);
        ring.release(copied);
        copied.bytes
    }

    fn epids(bytes: &[u8]) -> Vec<u32> {
        let mut records = Records::new(bytes);
        let epids = records.by_ref().map(|record| record.header.epid).collect();
        assert!(records.rest().is_empty());
        epids
    }

    #[test]
    fn records_come_out_in_order_and_once() {
        let ring = Ring::new(64).unwrap();
        let mut target = [0; 256];
        for round in 0..100 {
            ring.record(round, 1);
            ring.record(round + 1000, 2);
            let filled = drain(&ring, &mut target);
            assert_eq!(epids(&target[..filled]), [round, round + 1000]);
        }
        assert_eq!(drain(&ring, &mut target), 0);
    }

    #[test]
    fn a_full_ring_drops_and_counts() {
        let ring = Ring::new(64).unwrap();
        for epid in 0..20 {
            ring.record(epid, 0);
        }
        assert_eq!(ring.take_drops(), 4);
        assert_eq!(ring.take_drops(), 0);
        let mut target = [0; 256];
        assert_eq!(drain(&ring, &mut target), 256);
        assert_eq!(epids(&target), (0..16).collect::<Vec<_>>());
    }

    #[test]
    fn a_small_target_takes_whole_records_only() {
        let ring = Ring::new(64).unwrap();
        ring.record(1, 0);
        ring.record(2, 0);
        let mut target = [0; 31];
        assert_eq!(drain(&ring, &mut target), 16);
        assert_eq!(drain(&ring, &mut target[..15]), 0);
        assert_eq!(drain(&ring, &mut target), 16);
    }

    #[test]
    fn what_is_not_released_comes_again() {
        let ring = Ring::new(64).unwrap();
        ring.record(1, 0);
        let mut target = [0; 64];
        assert_eq!(ring.copy(&mut target).bytes, 16);
        assert_eq!(drain(&ring, &mut target), 16);
        assert_eq!(drain(&ring, &mut target), 0);
    }

    #[test]
    fn what_two_copied_is_released_once() {
        let ring = Ring::new(64).unwrap();
        ring.record(1, 0);
        let mut target = [0; 64];
        let (one, two) = (ring.copy(&mut target), ring.copy(&mut target));
        ring.release(one);
        ring.record(2, 0);
        ring.release(two);
        assert_eq!(drain(&ring, &mut target), 16);
        assert_eq!(epids(&target[..16]), [2]);
    }

    #[test]
    fn positions_wrap() {
        let ring = Ring::new(64).unwrap();
        let near_the_end = u32::MAX - 5;
        ring.head.store(near_the_end, Ordering::Relaxed);
        ring.tail.store(near_the_end, Ordering::Relaxed);
        for epid in 0..17 {
            ring.record(epid, 0);
        }
        let mut target = [0; 256];
        assert_eq!(drain(&ring, &mut target), 256);
        assert_eq!(epids(&target), (0..16).collect::<Vec<_>>());
        assert_eq!(ring.take_drops(), 1);
    }

    #[test]
    fn a_reader_beside_a_writer_loses_nothing_uncounted() {
        let ring = Ring::new(1024).unwrap();
        let (mut seen, mut drops) = (0, 0);
        std::thread::scope(|scope| {
            let writer = scope.spawn(|| (0..200_000).for_each(|epid| ring.record(epid, 0)));
            let (mut last, mut target) = (None, [0; 512]);
            loop {
                let finished = writer.is_finished();
                let filled = drain(&ring, &mut target);
                for epid in epids(&target[..filled]) {
                    assert!(last < Some(epid));
                    last = Some(epid);
                    seen += 1;
                }
                drops += ring.take_drops();
                if finished && filled == 0 {
                    break;
                }
            }
        });
        assert_eq!(seen + drops, 200_000);
    }
}
