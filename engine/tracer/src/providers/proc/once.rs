//! What the kernel tells of by each thread of a process, and the engine once.
//!
//! The first thread marks its process, unless no other is left that could tell of it again. The mark remains until the
//! kernel lets go of the process, so that no process is taken for an earlier one at the same address. Where there is no
//! place for a mark the process may be told of again, which is counted: nobody can keep another's end from being told by
//! leaving many processes that have ended.

use alloc::vec::Vec;
use core::sync::atomic::{AtomicUsize, Ordering};

use crate::grow::{OutOfMemory, filled};
use crate::platform::Event;
use crate::spin::Spin;

/// How many marks there is room for.
const PLACES: usize = 1024;
/// How many places a mark may be at.
const STEPS: usize = 32;

/// The marks.
#[derive(Debug)]
pub struct Once {
    lock: Spin,
    /// Each a process and an event, or 0.
    places: Vec<AtomicUsize>,
    unmarked: AtomicUsize,
}

impl Once {
    /// No process is marked.
    pub fn new() -> Result<Self, OutOfMemory> {
        Ok(Self {
            lock: Spin::default(),
            places: filled(PLACES, || AtomicUsize::new(0))?,
            unmarked: AtomicUsize::new(0),
        })
    }

    /// How often a process could not be marked.
    pub fn unmarked(&self) -> u64 {
        self.unmarked.load(Ordering::Relaxed) as u64
    }

    /// Whether no thread of this process has told of the event before. To be called with interrupts off, as the next.
    pub fn is_first(&self, event: Event, process: usize, is_alone: bool) -> bool {
        let mark = mark(event, process);
        let is_first = self.lock.with(|| {
            if self.has(mark) {
                return Some(false);
            }
            (is_alone || self.replace(mark, 0, mark)).then_some(true)
        });
        is_first.flatten().unwrap_or_else(|| {
            self.unmarked.fetch_add(1, Ordering::Relaxed);
            true
        })
    }

    /// The process is gone.
    pub fn forget(&self, process: usize) {
        // Who holds the lock for so long is on a CPU that is stopped for good.
        let _ = self.lock.with(|| {
            for mark in Event::ONCE.map(|event| mark(event, process)) {
                self.replace(mark, mark, 0);
            }
        });
    }

    /// Forgets all, while nobody tells of any.
    pub fn clear(&self) {
        for place in &self.places {
            place.store(0, Ordering::Relaxed);
        }
    }

    fn has(&self, mark: usize) -> bool {
        let mut places = self.places_of(mark);
        places.any(|place| place.load(Ordering::Relaxed) == mark)
    }

    /// Replaces one value by another where that mark may be; whether it was there.
    fn replace(&self, mark: usize, from: usize, to: usize) -> bool {
        let mut places = self.places_of(mark);
        let found = places.find(|place| place.load(Ordering::Relaxed) == from);
        found
            .map(|place| place.store(to, Ordering::Relaxed))
            .is_some()
    }

    /// Where a mark may be.
    fn places_of(&self, mark: usize) -> impl Iterator<Item = &AtomicUsize> {
        // The golden ratio's bits, as in `Live`.
        const MIX: u32 = 0x9e37_79b1;
        let first = (mark as u32).wrapping_mul(MIX) >> (u32::BITS - PLACES.trailing_zeros());
        let steps = (first as usize..).take(STEPS);
        steps.filter_map(|step| self.places.get(step % PLACES))
    }
}

/// No process has an address whose lowest bits are used here.
fn mark(event: Event, process: usize) -> usize {
    let bit = Event::ONCE.iter().position(|it| *it == event);
    process | bit.map_or(0, |bit| bit + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    const EXIT: Event = Event::ProcessExited;
    const SIGNAL: Event = Event::SignalHandled;

    fn process(number: usize) -> usize {
        0xc000_0000 + number * 0x440
    }

    #[test]
    fn each_event_has_one_first_until_its_process_is_gone() {
        let once = Once::new().unwrap();
        for event in Event::ONCE {
            let firsts = [false, false, true].map(|alone| once.is_first(event, 64, alone));
            assert_eq!(firsts, [true, false, false], "{event:?}");
        }
        once.forget(64);
        assert!(once.is_first(EXIT, 64, false));
        assert!(once.is_first(SIGNAL, 64, false));
        once.clear();
        assert!(once.is_first(EXIT, 64, false));
    }

    #[test]
    fn who_is_alone_takes_no_place() {
        let once = Once::new().unwrap();
        assert!((1..5000).all(|number| once.is_first(EXIT, process(number), true)));
        assert!(once.is_first(EXIT, process(1), false));
        assert_eq!(once.unmarked(), 0);
    }

    #[test]
    fn who_finds_no_place_is_told_of_and_counted() {
        let once = Once::new().unwrap();
        assert!((1..5000).all(|number| once.is_first(EXIT, process(number), false)));
        let again = (1..5000).filter(|number| once.is_first(EXIT, process(*number), false));
        assert_eq!(2 * again.count() as u64, once.unmarked());
        assert!(once.unmarked() > 0);
        (1..5000).for_each(|number| once.forget(process(number)));
        assert!(once.places.iter().all(|it| it.load(Ordering::Relaxed) == 0));
    }
}
