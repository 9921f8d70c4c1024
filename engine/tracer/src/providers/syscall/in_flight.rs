//! Threads in a call that their registers will not tell of any more when it is over, each with that call.
//!
//! Each thread puts in and takes out what is its own; where there is no place for it, that is counted. None is let in
//! but while its return will be told of, so none is left here to be taken for another that comes to have its address.

use alloc::vec::Vec;
use core::sync::atomic::{AtomicBool, AtomicU32, AtomicUsize, Ordering};

use crate::grow::{OutOfMemory, filled};
use crate::platform::Key;

/// How many threads there is room for: a call of these is over soon.
const PLACES: usize = 1024;
/// How many places a thread may be at.
const STEPS: usize = 32;

#[derive(Debug, Default)]
struct Place {
    /// The thread, or 0.
    thread: AtomicUsize,
    key: AtomicU32,
}

/// The threads.
#[derive(Debug)]
pub struct InFlight {
    places: Vec<Place>,
    is_open: AtomicBool,
    /// How many there are.
    count: AtomicUsize,
    /// How many there was no place for.
    lost: AtomicUsize,
}

impl InFlight {
    /// None yet, and none is let in.
    pub fn new() -> Result<Self, OutOfMemory> {
        Ok(Self {
            places: filled(PLACES, Place::default)?,
            is_open: AtomicBool::new(false),
            count: AtomicUsize::new(0),
            lost: AtomicUsize::new(0),
        })
    }

    /// How many there was no place for.
    pub fn lost(&self) -> u64 {
        self.lost.load(Ordering::Relaxed) as u64
    }

    /// Counts one more.
    pub fn lose(&self) {
        self.lost.fetch_add(1, Ordering::Relaxed);
    }

    /// Lets threads in, or no more.
    pub fn open(&self, is_open: bool) {
        self.is_open.store(is_open, Ordering::Release);
    }

    /// Puts a thread in, which is not there, if it is let in.
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
        match self.places_of(thread).find(is_free) {
            Some(place) => {
                place.key.store(key.to_bits(), Ordering::Relaxed);
                self.count.fetch_add(1, Ordering::Relaxed);
            }
            None => self.lose(),
        }
    }

    /// Takes a thread out, if it is there.
    pub fn take(&self, thread: usize) -> Option<Key> {
        if self.count.load(Ordering::Relaxed) == 0 {
            return None;
        }
        let is_its = |place: &&Place| place.thread.load(Ordering::Relaxed) == thread;
        let place = self.places_of(thread).find(is_its)?;
        let key = place.key.load(Ordering::Relaxed);
        place.thread.store(0, Ordering::Relaxed);
        self.count.fetch_sub(1, Ordering::Relaxed);
        Some(Key::from_bits(key))
    }

    /// Forgets all, while none is let in, and none takes itself out.
    pub fn clear(&self) {
        for place in &self.places {
            place.thread.store(0, Ordering::Relaxed);
        }
        self.count.store(0, Ordering::Relaxed);
    }

    /// Where a thread may be.
    fn places_of(&self, thread: usize) -> impl Iterator<Item = &Place> {
        // The golden ratio's bits, as in `Live`.
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
    fn each_takes_out_what_it_put_in_once() {
        let in_flight = InFlight::new().unwrap();
        in_flight.put(64, key(9));
        assert_eq!(in_flight.take(64), None, "it was not let in");
        in_flight.open(true);
        let threads = || (1..500).map(|n| 0xc000_0000 + n * 64);
        threads().for_each(|thread| in_flight.put(thread, key(thread % 1000)));
        assert_eq!(in_flight.lost(), 0);
        for thread in threads().rev() {
            assert_eq!(in_flight.take(thread), Some(key(thread % 1000)));
            assert_eq!(in_flight.take(thread), None);
        }
    }

    #[test]
    fn who_finds_no_place_is_counted() {
        let in_flight = InFlight::new().unwrap();
        in_flight.open(true);
        let threads = || (1..5000).map(|n| 0xc000_0000 + n * 64);
        threads().for_each(|thread| in_flight.put(thread, key(7)));
        let found = threads().filter_map(|thread| in_flight.take(thread));
        assert_eq!(found.count() as u64 + in_flight.lost(), 4999);
        in_flight.put(64, key(8));
        in_flight.clear();
        assert_eq!(in_flight.take(64), None);
    }
}
