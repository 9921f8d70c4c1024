//! Threads in flight in a system call that their registers will not identify at its return, each
//! with that call.
//!
//! Each thread inserts and removes its own entry only, so the table needs no lock; if there is no
//! room, a lost return is counted. Threads are admitted only while every return is subscribed to, so
//! each removes its entry when the call returns, whichever number that return has. None is left
//! behind for the thread's next return, or for another thread at the same address.

use alloc::vec::Vec;
use core::sync::atomic::{AtomicBool, AtomicU32, AtomicUsize, Ordering};

use crate::grow::{OutOfMemory, filled};
use crate::platform::Key;

/// Capacity of the table. The calls recorded here are short.
const PLACES: usize = 1024;
/// Slots probed for a thread.
const STEPS: usize = 32;

#[derive(Debug, Default)]
struct Place {
    /// The thread's key, or 0 if the slot is free.
    thread: AtomicUsize,
    key: AtomicU32,
}

/// The threads in flight: a hash table of atomic slots.
#[derive(Debug)]
pub struct InFlight {
    places: Vec<Place>,
    is_open: AtomicBool,
    /// Number of entries.
    count: AtomicUsize,
    /// Returns that will not be reported, most of them for lack of room.
    lost: AtomicUsize,
}

impl InFlight {
    /// An empty table that admits no thread.
    pub fn new() -> Result<Self, OutOfMemory> {
        Ok(Self {
            places: filled(PLACES, Place::default)?,
            is_open: AtomicBool::new(false),
            count: AtomicUsize::new(0),
            lost: AtomicUsize::new(0),
        })
    }

    /// Returns that will not be reported, most of them for lack of room.
    pub fn lost(&self) -> u64 {
        self.lost.load(Ordering::Relaxed) as u64
    }

    /// Counts a lost return.
    pub fn count_lost(&self) {
        self.lost.fetch_add(1, Ordering::Relaxed);
    }

    /// Starts or stops admitting threads: admits them only while every return is reported.
    pub fn admit(&self, is_open: bool) {
        self.is_open.store(is_open, Ordering::Release);
    }

    /// Inserts a thread that has no entry, if threads are admitted.
    pub fn put(&self, thread: usize, key: Key) {
        if !self.is_open.load(Ordering::Acquire) {
            return;
        }
        let is_free = |place: &&Place| {
            let taken =
                place
                    .thread
                    .compare_exchange(0, thread, Ordering::Relaxed, Ordering::Relaxed);
            taken.is_ok()
        };
        match self.probe_sequence(thread).find(is_free) {
            Some(place) => {
                place.key.store(key.to_bits(), Ordering::Relaxed);
                self.count.fetch_add(1, Ordering::Relaxed);
            }
            None => self.count_lost(),
        }
    }

    /// Removes this thread's entry, if it has one, and returns its call.
    pub fn take(&self, thread: usize) -> Option<Key> {
        if self.count.load(Ordering::Relaxed) == 0 {
            return None;
        }
        let is_its = |place: &&Place| place.thread.load(Ordering::Relaxed) == thread;
        let place = self.probe_sequence(thread).find(is_its)?;
        let key = place.key.load(Ordering::Relaxed);
        place.thread.store(0, Ordering::Relaxed);
        self.count.fetch_sub(1, Ordering::Relaxed);
        Some(Key::from_bits(key))
    }

    /// Removes all entries. No thread may be admitted or remove its own meanwhile.
    pub fn clear(&self) {
        for place in &self.places {
            place.thread.store(0, Ordering::Relaxed);
        }
        self.count.store(0, Ordering::Relaxed);
    }

    /// The probe sequence of a thread.
    fn probe_sequence(&self, thread: usize) -> impl Iterator<Item = &Place> {
        // Fibonacci hashing, as in `site::live`.
        const MIX: u32 = 0x9e37_79b1;
        let first = (thread as u32).wrapping_mul(MIX) >> (u32::BITS - PLACES.trailing_zeros());
        let steps = (first as usize..).take(STEPS);
        steps.filter_map(|step| self.places.get(step % PLACES))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(number: usize) -> Key {
        Key::new(1, number as i64).unwrap()
    }

    #[test]
    fn an_entry_is_removed_once() {
        let in_flight = InFlight::new().unwrap();
        in_flight.put(64, key(9));
        assert_eq!(in_flight.take(64), None, "no thread is admitted yet");
        in_flight.admit(true);
        let threads = || (1..500).map(|n| 0xc000_0000 + n * 64);
        threads().for_each(|thread| in_flight.put(thread, key(thread % 1000)));
        assert_eq!(in_flight.lost(), 0);
        for thread in threads().rev() {
            assert_eq!(in_flight.take(thread), Some(key(thread % 1000)));
            assert_eq!(in_flight.take(thread), None);
        }
    }

    #[test]
    fn without_room_a_lost_return_is_counted() {
        let in_flight = InFlight::new().unwrap();
        in_flight.admit(true);
        let threads = || (1..5000).map(|n| 0xc000_0000 + n * 64);
        threads().for_each(|thread| in_flight.put(thread, key(7)));
        let found = threads().filter_map(|thread| in_flight.take(thread));
        assert_eq!(found.count() as u64 + in_flight.lost(), 4999);
        in_flight.put(64, key(8));
        in_flight.clear();
        assert_eq!(in_flight.take(64), None);
    }
}
