//! Filters events that each thread of a process reports, so that they fire once per process.
//!
//! The first thread marks its process, unless no other thread is left that could report the event
//! again. The mark remains until the kernel frees the process, so a later process at the same
//! address is not mistaken for it. If there is no room for a mark, the event may fire again and is
//! counted: a process cannot suppress another's exit by leaving many dead processes behind.

use alloc::vec::Vec;
use core::sync::atomic::{AtomicUsize, Ordering};

use crate::grow::{OutOfMemory, filled};
use crate::platform::Event;
use crate::spin::Spin;

/// Capacity of the table of marks.
const PLACES: usize = 1024;
/// Slots probed for a mark.
const STEPS: usize = 32;

/// The marks: a hash table under a spinlock, updated from the fire path.
#[derive(Debug)]
pub struct Once {
    lock: Spin,
    /// A process's address tagged with an event, or 0.
    places: Vec<AtomicUsize>,
    unmarked: AtomicUsize,
}

impl Once {
    /// An empty table.
    pub fn new() -> Result<Self, OutOfMemory> {
        Ok(Self {
            lock: Spin::default(),
            places: filled(PLACES, || AtomicUsize::new(0))?,
            unmarked: AtomicUsize::new(0),
        })
    }

    /// Number of reports whose process could not be marked.
    pub fn unmarked(&self) -> u64 {
        self.unmarked.load(Ordering::Relaxed) as u64
    }

    /// Whether this is the process's first report of `event`. Called with interrupts disabled, like
    /// [`Once::forget`].
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

    /// Removes the marks of a process that is gone.
    pub fn forget(&self, process: usize) {
        // A timeout means that the holder's CPU has stopped for good.
        let _ = self.lock.with(|| {
            for mark in Event::ONCE.map(|event| mark(event, process)) {
                self.replace(mark, mark, 0);
            }
        });
    }

    /// Removes all marks. The events must be unsubscribed.
    pub fn clear(&self) {
        for place in &self.places {
            place.store(0, Ordering::Relaxed);
        }
    }

    fn has(&self, mark: usize) -> bool {
        let mut places = self.probe_sequence(mark);
        places.any(|place| place.load(Ordering::Relaxed) == mark)
    }

    /// Replaces the first `from` in the probe sequence of `mark` by `to`; returns whether there was
    /// one.
    fn replace(&self, mark: usize, from: usize, to: usize) -> bool {
        let mut places = self.probe_sequence(mark);
        let found = places.find(|place| place.load(Ordering::Relaxed) == from);
        found
            .map(|place| place.store(to, Ordering::Relaxed))
            .is_some()
    }

    /// The probe sequence of a mark.
    fn probe_sequence(&self, mark: usize) -> impl Iterator<Item = &AtomicUsize> {
        // Fibonacci hashing, as in `site::live`.
        const MIX: u32 = 0x9e37_79b1;
        let first = (mark as u32).wrapping_mul(MIX) >> (u32::BITS - PLACES.trailing_zeros());
        let steps = (first as usize..).take(STEPS);
        steps.filter_map(|step| self.places.get(step % PLACES))
    }
}

/// Tags the address with the event, in low bits that alignment leaves clear.
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
    fn a_lone_thread_needs_no_mark() {
        let once = Once::new().unwrap();
        assert!((1..5000).all(|number| once.is_first(EXIT, process(number), true)));
        assert!(once.is_first(EXIT, process(1), false));
        assert_eq!(once.unmarked(), 0);
    }

    #[test]
    fn without_room_the_event_fires_and_is_counted() {
        let once = Once::new().unwrap();
        assert!((1..5000).all(|number| once.is_first(EXIT, process(number), false)));
        let again = (1..5000).filter(|number| once.is_first(EXIT, process(*number), false));
        assert_eq!(2 * again.count() as u64, once.unmarked());
        assert!(once.unmarked() > 0);
        (1..5000).for_each(|number| once.forget(process(number)));
        assert!(once.places.iter().all(|it| it.load(Ordering::Relaxed) == 0));
    }
}
