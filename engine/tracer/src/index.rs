//! Numbers of items, hashed by a key that the items hold.
//!
//! An open-addressed table with linear probing, at least a quarter of it empty. Nothing is removed.

use alloc::vec::Vec;
#[cfg(test)]
use core::cell::Cell;

use crate::grow::{OutOfMemory, filled};

/// The number of no item.
const NONE: u32 = u32::MAX;

/// The size of the first allocation, a power of two.
const FIRST: usize = 8;

/// The numbers, each with its item's hash.
#[derive(Debug, Default)]
pub struct Index {
    places: Vec<(u32, u32)>,
    used: usize,
    /// How many places were looked at.
    #[cfg(test)]
    pub steps: Cell<usize>,
}

impl Index {
    /// The number with this hash whose item `is_it` accepts.
    pub fn find(&self, hash: u32, is_it: impl Fn(u32) -> bool) -> Option<u32> {
        for place in self.probe(hash) {
            #[cfg(test)]
            self.steps.set(self.steps.get() + 1);
            let (of, number) = *self.places.get(place)?;
            if number == NONE {
                return None;
            }
            if of == hash && is_it(number) {
                return Some(number);
            }
        }
        None
    }

    /// Makes room for one more number.
    pub fn reserve(&mut self) -> Result<(), OutOfMemory> {
        let needed = self.used.saturating_add(1).saturating_mul(4);
        if needed <= self.places.len().saturating_mul(3) {
            return Ok(());
        }
        let size = self.places.len().saturating_mul(2).max(FIRST);
        let grown = filled(size, || (0, NONE))?;
        let old = core::mem::replace(&mut self.places, grown);
        self.used = 0;
        for (hash, number) in old.into_iter().filter(|(_, number)| *number != NONE) {
            self.add(hash, number);
        }
        Ok(())
    }

    /// Adds a number, for which there is room.
    pub fn add(&mut self, hash: u32, number: u32) {
        let is_free = |place: &usize| {
            let there = self.places.get(*place);
            there.is_some_and(|(_, number)| *number == NONE)
        };
        let free = self.probe(hash).find(is_free);
        if let Some(place) = free.and_then(|place| self.places.get_mut(place)) {
            *place = (hash, number);
            self.used = self.used.wrapping_add(1);
        }
    }

    fn probe(&self, hash: u32) -> impl Iterator<Item = usize> + use<> {
        let mask = self.places.len().wrapping_sub(1);
        (0..self.places.len()).map(move |further| (hash as usize).wrapping_add(further) & mask)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hash::hash;

    #[test]
    fn each_number_is_found_by_its_key_and_nothing_else() {
        let keys: Vec<u64> = (0..5000).map(|number| number * 4096).collect();
        let hash_of = |key: u64| hash(1, [key], &[]);
        let mut index = Index::default();
        for (number, key) in (0..).zip(&keys) {
            let is_it = |number: u32| keys[number as usize] == *key;
            assert_eq!(index.find(hash_of(*key), is_it), None);
            index.reserve().unwrap();
            index.add(hash_of(*key), number);
            assert_eq!(index.find(hash_of(*key), is_it), Some(number));
        }
        assert_eq!(index.find(hash_of(1), |_| false), None);
        assert!(index.places.len() * 3 <= keys.len() * 8);
    }

    #[test]
    fn equal_hashes_are_told_apart() {
        let mut index = Index::default();
        for number in 0..100 {
            index.reserve().unwrap();
            index.add(7, number);
        }
        for number in 0..100 {
            assert_eq!(index.find(7, |other| other == number), Some(number));
        }
        assert_eq!(index.find(7, |_| false), None);
    }
}
