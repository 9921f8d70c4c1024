//! One of a CPU's two aggregation banks: entries packed in fixed memory, looked up through chained
//! hash buckets. The hash covers aggregation and key; an aggregation without a key is placed by its
//! number.
//!
//! Entries are only ever added; [`Bank::empty`] drops all of them at once.

use alloc::vec::Vec;
use core::sync::atomic::{AtomicU32, Ordering};

use crate::grow::{OutOfMemory, filled};
use crate::hash::{CHAIN_MAX, hash};
use crate::session::arena::Arena;

/// Bytes of an entry's header: next entry in the chain (32 bits), entry size (32), aggregation (32)
/// and key size (32).
pub const HEAD: usize = 16;
const IDENTITY: usize = 8;

/// Bytes of memory for each bucket; an entry with a key takes at least 32.
const SHARE: usize = 128;

/// Where one entry of a bank is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Entry {
    /// The aggregation's number.
    pub aggregation: u32,
    /// Offset of its key in the bank's memory; its data follow.
    pub at: usize,
    /// Bytes of key and data.
    pub bytes: usize,
}

/// A bank. A reference to an entry is its offset in units of 8 bytes, plus 1; 0 ends a chain.
#[derive(Debug)]
pub struct Bank {
    memory: Arena,
    seed: u64,
    buckets: Vec<AtomicU32>,
    used: AtomicU32,
}

impl Bank {
    /// An empty bank of `bytes` bytes. `seed` keys the hash and must be unpredictable.
    pub fn new(bytes: usize, seed: u64) -> Result<Self, OutOfMemory> {
        let memory = Arena::new(bytes & !7)?;
        let buckets = (memory.bytes() / SHARE).next_power_of_two();
        Ok(Self {
            memory,
            seed,
            buckets: filled(buckets, || AtomicU32::new(0))?,
            used: AtomicU32::new(0),
        })
    }

    /// The memory that entries' offsets refer to.
    pub fn memory(&self) -> &Arena {
        &self.memory
    }

    /// Bytes in use, entry headers included.
    pub fn used(&self) -> usize {
        self.used.load(Ordering::Relaxed) as usize * 8
    }

    /// Finds or adds the entry of this aggregation and key. Returns the offset of its data, and
    /// whether it is new and so zeroed. None where the memory, or a chain of [`CHAIN_MAX`] entries,
    /// is full. Called only by the firing that owns the bank.
    #[inline]
    pub fn data(&self, aggregation: u32, key: &[u8], bytes: usize) -> Option<(usize, bool)> {
        let identity = u64::from(aggregation) | (key.len() as u64) << 32;
        let mask = self.buckets.len().wrapping_sub(1);
        let place = if key.is_empty() {
            aggregation
        } else {
            hash(self.seed, [identity], key)
        };
        let bucket = self.buckets.get(place as usize & mask)?;
        let first = bucket.load(Ordering::Relaxed);
        let mut next = first;
        let mut length = 0u32;
        while let Some(entry) = next.checked_sub(1) {
            let at = entry as usize * 8;
            let key_at = at.wrapping_add(HEAD);
            if self.memory.load(at.wrapping_add(IDENTITY)) == identity
                && self.memory.holds(key_at, key)
            {
                return Some((key_at.wrapping_add(key.len()), false));
            }
            next = self.memory.load(at) as u32;
            length = length.wrapping_add(1);
        }
        if length >= CHAIN_MAX {
            return None;
        }
        let entry = self.add(first, identity, key, bytes)?;
        bucket.store(entry.wrapping_add(1), Ordering::Relaxed);
        let at = entry as usize * 8;
        Some((at.wrapping_add(HEAD).wrapping_add(key.len()), true))
    }

    /// The data's offset for an aggregation without a key, if its entry is the first in its chain.
    #[inline]
    pub fn first(&self, aggregation: u32) -> Option<usize> {
        let mask = self.buckets.len().wrapping_sub(1);
        let bucket = self.buckets.get(aggregation as usize & mask)?;
        let entry = bucket.load(Ordering::Relaxed).checked_sub(1)?;
        let at = entry as usize * 8;
        let identity = self.memory.load(at.wrapping_add(IDENTITY));
        (identity == u64::from(aggregation)).then_some(at.wrapping_add(HEAD))
    }

    /// Appends an entry; the caller links it into its bucket.
    #[cold]
    fn add(&self, next: u32, identity: u64, key: &[u8], bytes: usize) -> Option<u32> {
        let entry = self.used.load(Ordering::Relaxed);
        let at = entry as usize * 8;
        let size = HEAD.checked_add(key.len())?.checked_add(bytes)?;
        let end = at.checked_add(size)?;
        if end > self.memory.bytes() {
            return None;
        }
        self.memory.clear(at, size);
        self.memory.store(at, u64::from(next) | (size as u64) << 32);
        self.memory.store(at.wrapping_add(IDENTITY), identity);
        self.memory.write(at.wrapping_add(HEAD), key);
        self.used.store((end / 8) as u32, Ordering::Relaxed);
        Some(entry)
    }

    /// The entries in the order of their insertion.
    pub fn entries(&self) -> impl Iterator<Item = Entry> {
        let end = self.used();
        let mut at = 0;
        core::iter::from_fn(move || {
            if at >= end {
                return None;
            }
            let size = ((self.memory.load(at) >> 32) as usize).max(HEAD);
            let entry = Entry {
                aggregation: self.memory.load(at.wrapping_add(IDENTITY)) as u32,
                at: at.wrapping_add(HEAD),
                bytes: size.wrapping_sub(HEAD),
            };
            at = at.wrapping_add(size);
            Some(entry)
        })
    }

    /// Drops all entries.
    pub fn empty(&self) {
        for bucket in &self.buckets {
            bucket.store(0, Ordering::Relaxed);
        }
        self.used.store(0, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_entry_is_found_by_its_aggregation_and_its_key() {
        let bank = Bank::new(1024, 5).unwrap();
        let names: [(u32, &[u8]); 5] = [
            (0, &[]),
            (1, &[]),
            (0, &[0; 8]),
            (0, &[1; 8]),
            (0, &[0; 16]),
        ];
        let places: Vec<_> = names
            .iter()
            .map(|(row, key)| bank.data(*row, key, 8).unwrap())
            .collect();
        assert!(places.iter().all(|place| place.1));
        for ((row, key), (at, _)) in names.iter().zip(&places) {
            assert_eq!(bank.data(*row, key, 8), Some((*at, false)));
        }
        let entries: Vec<_> = bank
            .entries()
            .map(|entry| (entry.aggregation, entry.bytes))
            .collect();
        assert_eq!(entries, [(0, 8), (1, 8), (0, 16), (0, 16), (0, 24)]);
    }

    #[test]
    fn a_full_bank_still_finds_its_entries_and_adds_none_until_emptied() {
        let bank = Bank::new(56, 5).unwrap();
        let (one, other) = (bank.data(0, &[], 8).unwrap(), bank.data(1, &[], 8).unwrap());
        assert_eq!(bank.data(2, &[], 8), None);
        assert_eq!(bank.data(0, &[], 8), Some((one.0, false)));
        assert_eq!(bank.data(1, &[], 8), Some((other.0, false)));
        bank.memory().store(one.0, 7);
        bank.empty();
        assert_eq!(bank.entries().count(), 0);
        assert_eq!(bank.data(2, &[], 8), Some((one.0, true)));
        assert_eq!(bank.memory().load(one.0), 0, "a new entry is zeroed");
    }

    #[test]
    fn chain_length_is_bounded() {
        let mut bank = Bank::new(1 << 14, 5).unwrap();
        bank.buckets.truncate(1);
        let add = |n: u64| bank.data(0, &n.to_ne_bytes(), 8);
        assert!((0..u64::from(CHAIN_MAX)).all(|n| add(n).is_some_and(|(_, added)| added)));
        assert_eq!(add(CHAIN_MAX.into()), None, "though memory is left");
        assert!((0..u64::from(CHAIN_MAX)).all(|n| add(n).is_some_and(|(_, added)| !added)));
    }

    #[test]
    fn oversized_entries_are_refused() {
        let bank = Bank::new(64, 5).unwrap();
        assert_eq!(bank.data(0, &[], usize::MAX), None);
        assert_eq!(bank.data(0, &[0; 8], 48), None);
        assert_eq!(Bank::new(0, 5).unwrap().data(0, &[], 8), None);
    }
}
