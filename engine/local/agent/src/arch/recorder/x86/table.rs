//! The table in which indirect branches are looked up: an entry is an address of the program, or 0, and
//! the address of its translation. The routine that looks up goes from the hash to the next empty entry.

#![expect(unsafe_code, reason = "routines read it")]

use core::sync::atomic::{AtomicU64, Ordering};

use super::kernel;
use crate::sys;

/// Number of hashes: the low bits of an address.
pub const HASHES: usize = 1 << 18;
/// Entries behind those of the last hash, of which the last is always empty.
const SPARE: usize = 4096;
const ENTRIES: usize = HASHES + SPARE;
/// The most that are taken: searches stay short.
const MOST: usize = HASHES / 4 * 3;
/// Bytes of an entry.
const ENTRY: usize = 16;

/// A table, which stays mapped.
#[derive(Debug)]
pub struct Table {
    address: usize,
    count: usize,
}

impl Table {
    /// An empty one.
    pub fn map() -> Option<Self> {
        let address = sys::map(ENTRIES * ENTRY).ok()?;
        Some(Self { address, count: 0 })
    }

    /// Its address.
    pub fn address(&self) -> u64 {
        self.address as u64
    }

    /// Whether there is room for more.
    pub fn has_room(&self) -> bool {
        self.count < MOST
    }

    fn entry(&self, index: usize) -> Option<&[AtomicU64; 2]> {
        if index >= ENTRIES {
            return None;
        }
        let place: *const [AtomicU64; 2] = core::ptr::with_exposed_provenance(
            self.address.wrapping_add(index.wrapping_mul(ENTRY)),
        );
        // SAFETY: in the mapping, which stays; its parts are atomic.
        unsafe { place.as_ref() }
    }

    /// The index of an address's entry, or of the empty one where it would be.
    fn find(&self, pc: u64) -> Option<&[AtomicU64; 2]> {
        let first = pc as usize % HASHES;
        // The last stays empty.
        let mut places = first..ENTRIES.wrapping_sub(1);
        places.find_map(|index| {
            let entry = self.entry(index)?;
            let [key, _] = entry;
            [0, pc]
                .contains(&key.load(Ordering::Relaxed))
                .then_some(entry)
        })
    }

    /// The translation of what is at an address.
    pub fn get(&self, pc: u64) -> Option<u64> {
        let [key, value] = self.find(pc)?;
        (key.load(Ordering::Relaxed) == pc).then(|| value.load(Ordering::Relaxed))
    }

    /// Adds a translation; threads look it up meanwhile.
    pub fn add(&mut self, pc: u64, translation: u64) {
        if let Some([key, value]) = self.find(pc) {
            value.store(translation, Ordering::Relaxed);
            key.store(pc, Ordering::Release);
            self.count = self.count.wrapping_add(1);
        }
    }

    /// Has all that look up here find nothing.
    pub fn empty(&self) {
        kernel::empty(self.address, ENTRIES * ENTRY);
    }
}
