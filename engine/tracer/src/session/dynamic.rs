//! Dynamic variables: thread-locals and associative arrays, hashed by variable, owner and key.
//!
//! Their memory is allocated by `GO` and divided into chunks of the size of the largest variable. A
//! chunk in use is in the chain of its hash bucket; a freed chunk goes to the free list and can be
//! reused at once. Each chain has a spin lock, and a chunk is accessed only under the lock of its
//! chain. Lock order: a bucket, then the free list.
//!
//! An assignment is lost, and counted, if no chunk is free, its chain is full, or the lock's holder
//! does not release it (its CPU was stopped).

use alloc::vec::Vec;
use core::sync::atomic::{AtomicU32, AtomicU64, Ordering};

use crate::grow::{OutOfMemory, filled};
use crate::hash::{CHAIN_MAX, hash};
use crate::session::arena::{Arena, BYTES_MAX, padded};
use crate::spin::Spin;

/// Bytes of a chunk's header: next chunk (8), variable and key length (8), owner (8).
const HEAD: usize = 24;
const NEXT: usize = 0;
const VARIABLE: usize = 8;
const OWNER: usize = 16;

/// The most buckets: a quarter of the most chunks, which have at least 32 bytes.
const BUCKETS_MAX: usize = BYTES_MAX / 32 / 4;

/// What identifies a dynamic variable.
#[derive(Debug, Clone, Copy)]
pub struct Name<'a> {
    /// The variable's number.
    pub variable: u32,
    /// The identity of the owning thread; 0 for an array that is not thread-local.
    pub owner: u64,
    /// The key, empty for none. Its length is a multiple of 8.
    pub key: &'a [u8],
}

impl Name<'_> {
    fn head(self) -> u64 {
        u64::from(self.variable) | (self.key.len() as u64) << 32
    }

    fn hash(self, seed: u64) -> u32 {
        hash(seed, [self.head(), self.owner], self.key)
    }
}

/// A chain of chunks. Chunks are numbered from 1; 0 ends the chain.
#[derive(Debug, Default)]
struct Chain {
    lock: Spin,
    first: AtomicU32,
}

/// All dynamic variables of one consumer.
#[derive(Debug)]
pub struct Dynamic {
    memory: Arena,
    seed: u64,
    chunk: usize,
    buckets: Vec<Chain>,
    free: Chain,
    /// Chunks with a higher number were never used, and are in no chain.
    touched: AtomicU32,
    used: AtomicU32,
    drops: AtomicU64,
}

impl Dynamic {
    /// Allocates `bytes` bytes for variables of at most `largest` bytes in key and value, 0 if the
    /// program has none. `seed` keys the hash and must be unpredictable, lest a traced process
    /// choose keys that collide.
    pub fn new(bytes: usize, largest: usize, seed: u64) -> Result<Self, OutOfMemory> {
        let chunk = padded(HEAD.saturating_add(largest));
        let chunks = match largest {
            0 => 0,
            _ => bytes.min(BYTES_MAX).checked_div(chunk).unwrap_or_default(),
        };
        let buckets = chunks.next_power_of_two().min(BUCKETS_MAX);
        Ok(Self {
            memory: Arena::new(chunks.wrapping_mul(chunk))?,
            seed,
            chunk,
            buckets: filled(buckets, Chain::default)?,
            free: Chain::default(),
            touched: AtomicU32::new(0),
            used: AtomicU32::new(0),
            drops: AtomicU64::new(0),
        })
    }

    /// Reads a variable into `value`; false if it is not set.
    pub fn get(&self, name: Name<'_>, value: &mut [u8]) -> bool {
        self.in_bucket(name, |bucket| {
            let Ok((chunk, _)) = self.find(bucket, name) else {
                return false;
            };
            self.memory.read(self.value(chunk, name), value);
            true
        })
        .unwrap_or_default()
    }

    /// Reads a part of a variable into `bytes`; zeros if it is not set.
    pub fn get_part(&self, name: Name<'_>, offset: usize, bytes: &mut [u8]) {
        let read = self.in_bucket(name, |bucket| {
            let Ok((chunk, _)) = self.find(bucket, name) else {
                return false;
            };
            let at = self.value(chunk, name).wrapping_add(offset);
            self.memory.read(at, bytes);
            true
        });
        if read != Some(true) {
            bytes.iter_mut().for_each(|byte| *byte = 0);
        }
    }

    /// Sets a variable.
    pub fn set(&self, name: Name<'_>, value: &[u8]) {
        self.set_part(name, value.len(), 0, value);
    }

    /// Sets a part of a variable of `size` bytes; the rest is zero if it was not set. Returns the
    /// bytes that were zeroed for it.
    pub fn set_part(&self, name: Name<'_>, size: usize, offset: usize, value: &[u8]) -> usize {
        let set = self.in_bucket(name, |bucket| {
            let (chunk, zeroed) = match self.find(bucket, name) {
                Ok((chunk, _)) => (chunk, 0),
                Err(length) if length < CHAIN_MAX => (self.add(bucket, name, size)?, size),
                Err(_) => return None,
            };
            let at = self.value(chunk, name).wrapping_add(offset);
            self.memory.write(at, value);
            Some(zeroed)
        });
        set.flatten().unwrap_or_else(|| {
            self.lost();
            0
        })
    }

    /// Unsets a variable and frees its chunk.
    pub fn remove(&self, name: Name<'_>) {
        let removed = self.in_bucket(name, |bucket| {
            if let Ok((chunk, before)) = self.find(bucket, name) {
                let next = self.next(chunk);
                match before {
                    0 => bucket.first.store(next, Ordering::Relaxed),
                    _ => self.link(before, next),
                }
                self.give_back(chunk);
            }
        });
        if removed.is_none() {
            self.lost();
        }
    }

    /// Counts a lost assignment.
    pub fn lost(&self) {
        self.drops.fetch_add(1, Ordering::Relaxed);
    }

    /// How many chunks are in use.
    pub fn used(&self) -> u32 {
        self.used.load(Ordering::Relaxed)
    }

    /// Assignments lost so far.
    pub fn drops(&self) -> u64 {
        self.drops.load(Ordering::Relaxed)
    }

    fn in_bucket<R>(&self, name: Name<'_>, work: impl FnOnce(&Chain) -> R) -> Option<R> {
        let mask = self.buckets.len().wrapping_sub(1);
        let bucket = self.buckets.get(name.hash(self.seed) as usize & mask)?;
        bucket.lock.with(|| work(bucket))
    }

    /// The variable's chunk and its predecessor in the chain (0 for none), or the chain's length.
    /// Under the bucket's lock.
    fn find(&self, bucket: &Chain, name: Name<'_>) -> Result<(u32, u32), u32> {
        let (mut before, mut length) = (0, 0u32);
        let mut chunk = bucket.first.load(Ordering::Relaxed);
        while chunk != 0 {
            if self.is(chunk, name) {
                return Ok((chunk, before));
            }
            before = chunk;
            chunk = self.next(chunk);
            length = length.wrapping_add(1);
        }
        Err(length)
    }

    fn is(&self, chunk: u32, name: Name<'_>) -> bool {
        let at = self.place(chunk);
        self.memory.load(at.wrapping_add(VARIABLE)) == name.head()
            && self.memory.load(at.wrapping_add(OWNER)) == name.owner
            && self.memory.holds(at.wrapping_add(HEAD), name.key)
    }

    /// Adds a chunk with `size` zeroed bytes of value at the head of the bucket's chain, and no more:
    /// the chunk has room for the largest variable. Under the bucket's lock.
    fn add(&self, bucket: &Chain, name: Name<'_>, size: usize) -> Option<u32> {
        let chunk = self.take()?;
        let at = self.place(chunk);
        let used = HEAD.saturating_add(name.key.len()).saturating_add(size);
        self.memory.clear(at, padded(used).min(self.chunk));
        self.link(chunk, bucket.first.load(Ordering::Relaxed));
        self.memory.store(at.wrapping_add(VARIABLE), name.head());
        self.memory.store(at.wrapping_add(OWNER), name.owner);
        self.memory.write(at.wrapping_add(HEAD), name.key);
        bucket.first.store(chunk, Ordering::Relaxed);
        Some(chunk)
    }

    /// Takes a chunk off the free list, or a fresh one.
    fn take(&self) -> Option<u32> {
        let taken = self.free.lock.with(|| {
            let first = self.free.first.load(Ordering::Relaxed);
            let chunk = match first {
                0 => self.take_fresh()?,
                _ => first,
            };
            if first != 0 {
                self.free.first.store(self.next(first), Ordering::Relaxed);
            }
            let used = self.used.load(Ordering::Relaxed);
            self.used.store(used.wrapping_add(1), Ordering::Relaxed);
            Some(chunk)
        });
        taken.flatten()
    }

    /// The first chunk never used. Under the free list's lock.
    fn take_fresh(&self) -> Option<u32> {
        let chunk = self.touched.load(Ordering::Relaxed).wrapping_add(1);
        let end = (chunk as usize).wrapping_mul(self.chunk);
        if end > self.memory.bytes() {
            return None;
        }
        self.touched.store(chunk, Ordering::Relaxed);
        Some(chunk)
    }

    fn give_back(&self, chunk: u32) {
        self.free.lock.with(|| {
            self.link(chunk, self.free.first.load(Ordering::Relaxed));
            self.free.first.store(chunk, Ordering::Relaxed);
            let used = self.used.load(Ordering::Relaxed);
            self.used.store(used.wrapping_sub(1), Ordering::Relaxed);
        });
    }

    fn next(&self, chunk: u32) -> u32 {
        self.memory.load(self.place(chunk).wrapping_add(NEXT)) as u32
    }

    fn link(&self, chunk: u32, next: u32) {
        self.memory
            .store(self.place(chunk).wrapping_add(NEXT), next.into());
    }

    fn place(&self, chunk: u32) -> usize {
        (chunk.wrapping_sub(1) as usize).wrapping_mul(self.chunk)
    }

    fn value(&self, chunk: u32, name: Name<'_>) -> usize {
        self.place(chunk)
            .wrapping_add(HEAD)
            .wrapping_add(name.key.len())
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use proptest::prelude::*;

    use super::*;

    fn name(variable: u32, owner: u64, key: &[u8]) -> Name<'_> {
        Name {
            variable,
            owner,
            key,
        }
    }

    fn get(dynamic: &Dynamic, name: Name<'_>) -> Option<u64> {
        let mut value = [0; 8];
        dynamic
            .get(name, &mut value)
            .then(|| u64::from_ne_bytes(value))
    }

    #[test]
    fn variable_owner_and_key_identify_a_dynamic_variable() {
        let dynamic = Dynamic::new(4096, 24, 5).unwrap();
        let names = [
            name(1, 0, &[]),
            name(2, 0, &[]),
            name(1, 7, &[]),
            name(1, 0, &[0; 8]),
            name(1, 0, &[0; 16]),
        ];
        for (value, name) in (1u64..).zip(names) {
            assert_eq!(get(&dynamic, name), None);
            dynamic.set(name, &value.to_ne_bytes());
        }
        for (value, name) in (1..).zip(names) {
            assert_eq!(get(&dynamic, name), Some(value));
        }
    }

    #[test]
    fn a_variable_in_a_chunk_that_was_used_is_zeroed_as_far_as_it_goes() {
        let dynamic = Dynamic::new(200, 64, 5).unwrap();
        dynamic.set(name(1, 0, &[]), &[7; 64]);
        dynamic.remove(name(1, 0, &[]));
        assert_eq!(dynamic.set_part(name(2, 0, &[]), 16, 8, &[9; 4]), 16);
        assert_eq!(dynamic.set_part(name(2, 0, &[]), 16, 12, &[9; 2]), 0);
        let mut value = [5; 16];
        assert!(dynamic.get(name(2, 0, &[]), &mut value));
        assert_eq!(value, [0, 0, 0, 0, 0, 0, 0, 0, 9, 9, 9, 9, 9, 9, 0, 0]);
    }

    #[test]
    fn an_assignment_without_a_chunk_is_counted_and_freed_chunks_are_reused() {
        let dynamic = Dynamic::new(100, 8, 5).unwrap();
        for variable in 0..4 {
            dynamic.set(name(variable, 0, &[]), &[1; 8]);
        }
        assert_eq!((dynamic.used(), dynamic.drops()), (3, 1));
        dynamic.set(name(0, 0, &[]), &[2; 8]);
        dynamic.remove(name(1, 0, &[]));
        dynamic.remove(name(1, 0, &[]));
        dynamic.set(name(3, 0, &[]), &[3; 8]);
        assert_eq!((dynamic.used(), dynamic.drops()), (3, 1));
        assert_eq!(
            get(&dynamic, name(3, 0, &[])),
            Some(u64::from_ne_bytes([3; 8]))
        );
    }

    #[test]
    fn chain_length_is_bounded_and_further_assignments_are_counted() {
        let mut dynamic = Dynamic::new(1 << 14, 8, 5).unwrap();
        dynamic.buckets.truncate(1);
        for variable in 0..=CHAIN_MAX {
            dynamic.set(name(variable, 0, &[]), &[1; 8]);
        }
        assert_eq!((dynamic.used(), dynamic.drops()), (CHAIN_MAX, 1));
        dynamic.remove(name(0, 0, &[]));
        dynamic.set(name(CHAIN_MAX, 0, &[]), &[1; 8]);
        assert_eq!((dynamic.used(), dynamic.drops()), (CHAIN_MAX, 1));
    }

    #[test]
    fn no_memory_without_dynamic_variables() {
        for dynamic in [Dynamic::new(1 << 20, 0, 5), Dynamic::new(16, 8, 5)] {
            let dynamic = dynamic.unwrap();
            assert_eq!(dynamic.memory.bytes(), 0);
            dynamic.set(name(0, 0, &[]), &[1]);
            dynamic.remove(name(0, 0, &[]));
            assert_eq!((get(&dynamic, name(0, 0, &[])), dynamic.drops()), (None, 1));
        }
    }

    #[test]
    fn concurrent_set_and_remove_lose_nothing() {
        let dynamic = Dynamic::new(32 * 64, 8, 5).unwrap();
        std::thread::scope(|scope| {
            for owner in 0..4 {
                let dynamic = &dynamic;
                scope.spawn(move || {
                    for round in 0..20_000u64 {
                        let mine = name(round as u32 % 16, owner, &[]);
                        dynamic.set(mine, &round.to_ne_bytes());
                        assert_eq!(get(dynamic, mine), Some(round));
                        if round % 3 == 0 {
                            dynamic.remove(mine);
                            assert_eq!(get(dynamic, mine), None);
                        }
                    }
                });
            }
        });
        assert_eq!(dynamic.drops(), 0, "room for all");
        for owner in 0..4 {
            (0..16).for_each(|variable| dynamic.remove(name(variable, owner, &[])));
        }
        assert_eq!(dynamic.used(), 0);
    }

    proptest! {
        #[test]
        fn dynamic_variables_behave_as_a_map(
            steps in proptest::collection::vec((0u32..3, 0u64..2, 0u64..4, 0u64..3), 0..200),
        ) {
            let dynamic = Dynamic::new(40 * 5, 16, 5).unwrap();
            let mut map = BTreeMap::new();
            let mut drops = 0;
            for (variable, owner, key, value) in steps {
                let bytes = key.to_ne_bytes();
                let name = name(variable, owner, &bytes);
                let entry = (variable, owner, key);
                if value == 0 {
                    dynamic.remove(name);
                    map.remove(&entry);
                } else {
                    dynamic.set(name, &value.to_ne_bytes());
                    if map.contains_key(&entry) || map.len() < 5 {
                        map.insert(entry, value);
                    } else {
                        drops += 1;
                    }
                }
                prop_assert_eq!(get(&dynamic, name), map.get(&entry).copied());
                prop_assert_eq!(dynamic.used() as usize, map.len());
            }
            prop_assert_eq!(dynamic.drops(), drops);
        }
    }
}
