//! One CPU's aggregations: two banks, of which firings use one while the control side takes what is in
//! the other.
//!
//! To take it all, the control side turns firings to the other bank, waits until those that had begun
//! are over, and then has the first for itself, until it is empty and can be turned to again. So every
//! value that was given is taken once, and a firing never waits.

use core::sync::atomic::{AtomicU32, AtomicU64, Ordering};

use engine_abi::RecordHeader;
use engine_dvm::aggregate::{Aggregate, Words};

use crate::grow::OutOfMemory;
use crate::session::arena::Arena;
use crate::session::bank::{Bank, HEAD};
use crate::session::outlet::{Outlet, Unwritten};

// What an entry takes in a bank is what its record takes on its way out.
const _: () = assert!(HEAD == size_of::<RecordHeader>());

/// What an aggregation does with a value, and how much it keeps for each key.
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

/// Why a bank was not taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kept {
    /// There is not room for all of it.
    NoRoom,
    /// It did not arrive.
    Unwritten,
}

impl From<Unwritten> for Kept {
    fn from(_: Unwritten) -> Self {
        Self::Unwritten
    }
}

/// One CPU's aggregations.
#[derive(Debug)]
pub struct Aggregations {
    banks: [Bank; 2],
    /// The one that firings use, in its lowest bit.
    turn: AtomicU32,
    drops: AtomicU64,
}

impl Aggregations {
    /// None yet, with room for so many bytes of them, and a `seed` that nobody foresees.
    pub fn new(bytes: usize, seed: u64) -> Result<Self, OutOfMemory> {
        Ok(Self {
            banks: [Bank::new(bytes, seed)?, Bank::new(bytes, seed)?],
            turn: AtomicU32::new(0),
            drops: AtomicU64::new(0),
        })
    }

    /// Gives a value to an aggregation under a key; `increment` is by how much its bucket counts. Only
    /// firings of this CPU call it, one at a time.
    pub fn update(&self, number: u32, kind: Kind, key: &[u8], (value, increment): (u64, u64)) {
        let bank = self.bank(self.turn.load(Ordering::Acquire));
        let Some((at, is_new)) = bank.data(number, key, kind.bytes) else {
            self.drops.fetch_add(1, Ordering::Relaxed);
            return;
        };
        let mut cells = Cells {
            memory: bank.memory(),
            at,
        };
        if is_new && kind.aggregate.initial() != 0 {
            cells.set_word(0, kind.aggregate.initial());
        }
        kind.aggregate.update(&mut cells, value, increment);
    }

    /// Counts one, as [`Aggregations::update`] would without a key, and at a fraction of its cost.
    #[inline]
    pub fn count(&self, number: u32) {
        let bank = self.bank(self.turn.load(Ordering::Acquire));
        match bank.first(number) {
            Some(at) => bank.memory().count(at),
            None => self.update(number, Aggregate::Count.into(), &[], (0, 0)),
        }
    }

    /// Sends all that was given since it was taken last, with that time, or nothing; what was sent is
    /// kept until [`Aggregations::release`]. `synchronize` waits until every firing that has begun is
    /// over. Control side only, one at a time.
    ///
    /// What there was no room for, or did not arrive, comes the next time before anything else.
    pub fn copy(
        &self,
        time: u64,
        synchronize: impl FnOnce(),
        outlet: &mut Outlet<'_>,
    ) -> Result<(), Kept> {
        let turn = self.turn.load(Ordering::Relaxed);
        if self.resting().used() == 0 && self.bank(turn).used() > 0 {
            self.turn.store(turn ^ 1, Ordering::Release);
            synchronize();
        }
        let bank = self.resting();
        if bank.used() > outlet.room() {
            return Err(Kept::NoRoom);
        }
        for entry in bank.entries() {
            outlet.header(RecordHeader {
                epid: entry.aggregation,
                size: entry.bytes.wrapping_add(HEAD) as u32,
                timestamp: time,
            })?;
            outlet.copy(bank.memory(), entry.at, entry.bytes)?;
        }
        Ok(())
    }

    /// Forgets what was sent last.
    pub fn release(&self) {
        let bank = self.resting();
        if bank.used() > 0 {
            bank.empty();
        }
    }

    /// Values since the last call for which there was no room.
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

/// The words of an entry.
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
    ) -> Result<Taken, Kept> {
        let (mut chunk, mut got) = ([0; 64], Vec::new());
        let mut put = |part: &[u8]| {
            got.extend_from_slice(part);
            Ok(())
        };
        let mut outlet = Outlet::new(room, &mut chunk, &mut put);
        aggregations.copy(5, synchronize, &mut outlet)?;
        outlet.flush()?;
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
    fn what_is_taken_is_what_was_given_since() {
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
    fn what_is_counted_is_as_if_it_were_given() {
        let aggregations = Aggregations::new(1024, 5).unwrap();
        for _ in 0..3 {
            aggregations.count(1);
            aggregations.update(1, count(), &[], (0, 0));
            // In the same bucket, and before the other.
            aggregations.count(1025);
        }
        let taken = take(&aggregations, 1024, || {}).unwrap();
        assert_eq!(taken, [(1, words(&[6])), (1025, words(&[3]))]);
    }

    #[test]
    fn where_there_is_not_room_for_all_nothing_is_lost() {
        let aggregations = Aggregations::new(1024, 5).unwrap();
        aggregations.update(0, count(), &[], (0, 0));
        aggregations.update(1, count(), &[], (0, 0));
        assert_eq!(take(&aggregations, 47, || {}), Err(Kept::NoRoom));
        aggregations.update(0, count(), &[], (0, 0));
        let first = take(&aggregations, 48, || {}).unwrap();
        assert_eq!(first, [(0, words(&[1])), (1, words(&[1]))]);
        assert_eq!(take(&aggregations, 48, || {}).unwrap(), [(0, words(&[1]))]);
    }

    #[test]
    fn a_full_bank_counts_what_it_has_no_room_for() {
        let aggregations = Aggregations::new(48, 5).unwrap();
        (0..4).for_each(|number| aggregations.update(number, count(), &[], (0, 0)));
        assert_eq!(
            (aggregations.take_drops(), aggregations.take_drops()),
            (2, 0)
        );
        assert_eq!(take(&aggregations, 48, || {}).unwrap().len(), 2);
        aggregations.update(3, count(), &[], (0, 0));
        assert_eq!(aggregations.take_drops(), 0, "there is room again");
    }

    #[test]
    fn every_value_arrives_once_whenever_it_is_taken() {
        let aggregations = Aggregations::new(4096, 5).unwrap();
        // A firing holds it to read, and who waits for firings to write.
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
