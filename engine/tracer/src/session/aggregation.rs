//! One CPU's aggregations: two banks, one in use by firings, the other drained by the control side.
//!
//! To take a snapshot, the control side switches firings to the other bank, waits for a grace
//! period so that no firing still uses the first, and then owns that one until it is emptied. Each
//! value is reported exactly once, and a firing never waits.

use core::sync::atomic::{AtomicU32, AtomicU64, Ordering};

use engine_abi::RecordHeader;
use engine_dvm::aggregate::{Aggregate, Words};

use crate::grow::OutOfMemory;
use crate::session::arena::Arena;
use crate::session::bank::{Bank, HEAD};
use crate::session::sink::{Sink, Unwritten};

// An entry's header in a bank and a record's header have one size, so a bank's use is its output
// size.
const _: () = assert!(HEAD == size_of::<RecordHeader>());

/// An aggregation's function, and its data bytes for each key.
#[derive(Debug, Clone, Copy)]
pub struct Kind {
    aggregate: Aggregate,
    bytes: usize,
}

impl From<Aggregate> for Kind {
    fn from(aggregate: Aggregate) -> Self {
        Self {
            aggregate,
            bytes: aggregate.words() as usize * 8,
        }
    }
}

/// Why a snapshot was not taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NotTaken {
    /// The consumer's buffer is too small for all of it.
    NoRoom,
    /// The copy to the consumer failed.
    Unwritten,
}

impl From<Unwritten> for NotTaken {
    fn from(_: Unwritten) -> Self {
        Self::Unwritten
    }
}

/// One CPU's aggregations.
#[derive(Debug)]
pub struct Aggregations {
    banks: [Bank; 2],
    /// The bank that firings use, in the lowest bit.
    turn: AtomicU32,
    drops: AtomicU64,
}

impl Aggregations {
    /// Two empty banks of `bytes` bytes each. `seed` keys their hashes and must be unpredictable.
    pub fn new(bytes: usize, seed: u64) -> Result<Self, OutOfMemory> {
        Ok(Self {
            banks: [Bank::new(bytes, seed)?, Bank::new(bytes, seed)?],
            turn: AtomicU32::new(0),
            drops: AtomicU64::new(0),
        })
    }

    /// Aggregates `value` under `key`; `increment` is what a histogram's bucket grows by. Returns
    /// the bytes of data that a new entry has. Only this CPU's firings call it, one at a time.
    pub fn update(
        &self,
        number: u32,
        kind: Kind,
        key: &[u8],
        (value, increment): (u64, u64),
    ) -> usize {
        let Some((mut cells, is_new)) = self.cells(number, kind, key) else {
            self.drops.fetch_add(1, Ordering::Relaxed);
            return 0;
        };
        if is_new && kind.aggregate.initial() != 0 {
            cells.set_word(0, kind.aggregate.initial());
        }
        kind.aggregate.update(&mut cells, value, increment);
        if is_new { kind.bytes } else { 0 }
    }

    /// Adds `times` to a `count()` under `key`, as that many calls of [`Aggregations::update`] would.
    pub fn tally(&self, number: u32, key: &[u8], times: u64) {
        match self.cells(number, Aggregate::Count.into(), key) {
            Some((mut cells, _)) => Aggregate::Count.merge(&mut cells, &[times][..]),
            None => {
                self.drops.fetch_add(times, Ordering::Relaxed);
            }
        }
    }

    /// The data under `key`, and whether they are new, all zeros.
    fn cells(&self, number: u32, kind: Kind, key: &[u8]) -> Option<(Cells<'_>, bool)> {
        let bank = self.bank(self.turn.load(Ordering::Acquire));
        let (at, is_new) = bank.data(number, key, kind.bytes)?;
        let memory = bank.memory();
        Some((Cells { memory, at }, is_new))
    }

    /// Increments a `count()` without a key, as [`Aggregations::update`] would but cheaper.
    #[inline]
    pub fn count(&self, number: u32) {
        let bank = self.bank(self.turn.load(Ordering::Acquire));
        match bank.first(number) {
            Some(at) => bank.memory().count(at),
            None => {
                self.update(number, Aggregate::Count.into(), &[], (0, 0));
            }
        }
    }

    /// Copies out all entries since the last snapshot, stamped with `time`, or none. They are kept
    /// until [`Aggregations::release`]. `synchronize` waits for a grace period: until each firing
    /// in flight is over. Control side only, under the control lock.
    ///
    /// If the room was too small or the copy failed, the same bank is sent again by the next call,
    /// before firings switch banks.
    pub fn copy(
        &self,
        time: u64,
        synchronize: impl FnOnce(),
        sink: &mut Sink<'_>,
    ) -> Result<(), NotTaken> {
        let turn = self.turn.load(Ordering::Relaxed);
        if self.resting().used() == 0 && self.bank(turn).used() > 0 {
            self.turn.store(turn ^ 1, Ordering::Release);
            synchronize();
        }
        let bank = self.resting();
        if bank.used() > sink.room() {
            return Err(NotTaken::NoRoom);
        }
        for entry in bank.entries() {
            sink.header(RecordHeader {
                epid: entry.aggregation,
                size: entry.bytes.wrapping_add(HEAD) as u32,
                timestamp: time,
            })?;
            sink.copy(bank.memory(), entry.at, entry.bytes)?;
        }
        Ok(())
    }

    /// Empties the bank that was copied last.
    pub fn release(&self) {
        let bank = self.resting();
        if bank.used() > 0 {
            bank.empty();
        }
    }

    /// Values dropped for lack of room since the last call.
    pub fn take_drops(&self) -> u64 {
        self.drops.swap(0, Ordering::Relaxed)
    }

    /// The bank that firings do not use.
    fn resting(&self) -> &Bank {
        self.bank(self.turn.load(Ordering::Relaxed) ^ 1)
    }

    fn bank(&self, turn: u32) -> &Bank {
        let [one, other] = &self.banks;
        if turn & 1 == 0 { one } else { other }
    }
}

/// The data words of an entry.
struct Cells<'a> {
    memory: &'a Arena,
    at: usize,
}

impl Cells<'_> {
    fn place(&self, index: u32) -> usize {
        self.at.wrapping_add((index as usize).wrapping_mul(8))
    }
}

impl Words for Cells<'_> {
    fn word(&self, index: u32) -> u64 {
        self.memory.load(self.place(index))
    }

    fn set_word(&mut self, index: u32, word: u64) {
        self.memory.store(self.place(index), word);
    }
}

#[cfg(test)]
mod tests {
    use engine_abi::Records;
    use std::collections::BTreeMap;
    use std::sync::RwLock;
    use std::vec::Vec;

    use super::*;

    fn count() -> Kind {
        Kind::from(Aggregate::Count)
    }

    type Taken = Vec<(u32, Vec<u8>)>;

    fn take(
        aggregations: &Aggregations,
        room: usize,
        synchronize: impl FnOnce(),
    ) -> Result<Taken, NotTaken> {
        let (mut chunk, mut got) = ([0; 64], Vec::new());
        let mut put = |part: &[u8]| {
            got.extend_from_slice(part);
            Ok(())
        };
        let mut sink = Sink::new(room, &mut chunk, &mut put);
        aggregations.copy(5, synchronize, &mut sink)?;
        sink.flush()?;
        aggregations.release();
        let mut records = Records::new(&got);
        let taken = records
            .by_ref()
            .map(|record| {
                assert_eq!(record.header.timestamp, 5);
                (record.header.epid, record.data.to_vec())
            })
            .collect();
        assert!(records.rest().is_empty());
        Ok(taken)
    }

    fn words(words: &[u64]) -> Vec<u8> {
        words.iter().flat_map(|word| word.to_ne_bytes()).collect()
    }

    #[test]
    fn a_snapshot_has_the_values_since_the_last_one() {
        let aggregations = Aggregations::new(1024, 5).unwrap();
        let min = Kind::from(Aggregate::Min);
        for value in [7, 3, 5] {
            aggregations.update(0, count(), &[], (0, 0));
            aggregations.update(1, min, &[1; 8], (value, 0));
        }
        let key = u64::from_ne_bytes([1; 8]);
        let taken = take(&aggregations, 1024, || {}).unwrap();
        assert_eq!(taken, [(0, words(&[3])), (1, words(&[key, 3]))]);
        assert_eq!(take(&aggregations, 1024, || {}).unwrap(), []);
        aggregations.update(1, min, &[1; 8], (9, 0));
        assert_eq!(
            take(&aggregations, 1024, || {}).unwrap(),
            [(1, words(&[key, 9]))]
        );
    }

    #[test]
    fn only_a_new_entry_is_work() {
        let aggregations = Aggregations::new(2000, 5).unwrap();
        let quantize = Kind::from(Aggregate::Quantize);
        let update = |key: u64| aggregations.update(0, quantize, &key.to_ne_bytes(), (1, 1));
        assert_eq!([1, 1].map(update), [quantize.bytes, 0]);
        assert_eq!(update(2), 0, "there is no room");
    }

    #[test]
    fn count_equals_update() {
        let aggregations = Aggregations::new(1024, 5).unwrap();
        for _ in 0..3 {
            aggregations.count(1);
            aggregations.update(1, count(), &[], (0, 0));
            // Shares the bucket of aggregation 1, and comes before it in the chain.
            aggregations.count(1025);
        }
        let taken = take(&aggregations, 1024, || {}).unwrap();
        assert_eq!(taken, [(1, words(&[6])), (1025, words(&[3]))]);
    }

    #[test]
    fn a_snapshot_without_room_loses_nothing() {
        let aggregations = Aggregations::new(1024, 5).unwrap();
        aggregations.update(0, count(), &[], (0, 0));
        aggregations.update(1, count(), &[], (0, 0));
        assert_eq!(take(&aggregations, 47, || {}), Err(NotTaken::NoRoom));
        aggregations.update(0, count(), &[], (0, 0));
        let first = take(&aggregations, 48, || {}).unwrap();
        assert_eq!(first, [(0, words(&[1])), (1, words(&[1]))]);
        assert_eq!(take(&aggregations, 48, || {}).unwrap(), [(0, words(&[1]))]);
    }

    #[test]
    fn a_full_bank_counts_drops() {
        let aggregations = Aggregations::new(48, 5).unwrap();
        for number in 0..4 {
            aggregations.update(number, count(), &[], (0, 0));
        }
        assert_eq!(
            (aggregations.take_drops(), aggregations.take_drops()),
            (2, 0)
        );
        assert_eq!(take(&aggregations, 48, || {}).unwrap().len(), 2);
        aggregations.update(3, count(), &[], (0, 0));
        assert_eq!(aggregations.take_drops(), 0, "an emptied bank has room");
    }

    #[test]
    fn each_value_is_reported_once_under_concurrent_snapshots() {
        let aggregations = Aggregations::new(4096, 5).unwrap();
        // A firing holds it shared; the grace period takes it exclusively.
        let firings = RwLock::new(());
        let mut sums = BTreeMap::new();
        std::thread::scope(|scope| {
            let fire = scope.spawn(|| {
                for round in 0..100_000u64 {
                    let _firing = firings.read().unwrap();
                    aggregations.update(0, count(), &(round % 7).to_ne_bytes(), (0, 0));
                }
            });
            loop {
                let finished = fire.is_finished();
                let taken = take(&aggregations, 4096, || drop(firings.write().unwrap())).unwrap();
                for (_, data) in &taken {
                    let (key, count) = data.split_at(8);
                    let sum = sums.entry(key.to_vec()).or_insert(0);
                    *sum += u64::from_ne_bytes(count.try_into().unwrap());
                }
                if finished && taken.is_empty() {
                    break;
                }
            }
        });
        assert_eq!(sums.len(), 7);
        assert_eq!(sums.values().sum::<u64>(), 100_000);
        assert_eq!(aggregations.take_drops(), 0);
    }
}
