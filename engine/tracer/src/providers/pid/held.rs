//! Threads of processes that wait until consumers have enabled probes in what the process has just
//! opened.
//!
//! A thread that has executed the watched instruction takes a ticket, greater than all before, and
//! waits until each consumer that watches its address space has answered that ticket or a later
//! one. Each pair of a consumer and an address space has a fixed place here, whose numbers only
//! grow: a place that is freed releases those who wait for it, and nothing is lost if a thread gives
//! up before a consumer has read of it.
//!
//! Threads and readers use only atomics, in any context. Places are assigned and freed under the
//! control lock; a consumer has one until it stops.

use alloc::vec::Vec;
use core::sync::atomic::{AtomicU32, AtomicUsize, Ordering};

use engine_abi::Opened;

use crate::grow::{OutOfMemory, filled};

/// The most pairs of a consumer and an address space that it watches.
pub const WATCHES_MAX: usize = 256;

/// A consumer that watches an address space.
#[derive(Debug, Default)]
struct Watch {
    /// The key of the address space; 0 if the place is free.
    space: AtomicUsize,
    consumer: AtomicUsize,
    /// What the consumer calls the process.
    pid: AtomicU32,
    /// The last ticket of a thread of the address space.
    hit: AtomicU32,
    /// The last ticket that the consumer has read.
    read: AtomicU32,
    /// The last ticket that it has answered.
    answered: AtomicU32,
    /// The last ticket whose thread has not waited for the answer.
    late: AtomicU32,
}

/// All watches.
#[derive(Debug)]
pub struct Held {
    last: AtomicU32,
    watches: Vec<Watch>,
}

impl Held {
    /// Nobody watches anything.
    pub fn new() -> Result<Self, OutOfMemory> {
        Ok(Self {
            last: AtomicU32::new(0),
            watches: filled(WATCHES_MAX, Watch::default)?,
        })
    }

    /// The consumer watches an address space from now on, if it does not already. Does nothing if no
    /// place is free, which the caller has seen to.
    pub fn add(&self, consumer: usize, space: usize, pid: u32) {
        let is_its = |watch: &Watch| watch.space.load(Ordering::Relaxed) == space;
        if self.of(consumer).any(is_its) {
            return;
        }
        let mut watches = self.watches.iter();
        let free = watches.find(|watch| watch.space.load(Ordering::Relaxed) == 0);
        if let Some(watch) = free {
            let last = self.last.load(Ordering::Relaxed);
            for number in [&watch.hit, &watch.read, &watch.answered, &watch.late] {
                number.store(last, Ordering::Relaxed);
            }
            watch.consumer.store(consumer, Ordering::Relaxed);
            watch.pid.store(pid, Ordering::Relaxed);
            watch.space.store(space, Ordering::Release);
        }
    }

    /// Frees the places whose consumer and address space `keep` does not accept.
    pub fn retain(&self, keep: impl Fn(usize, usize) -> bool) {
        for watch in &self.watches {
            let space = watch.space.load(Ordering::Relaxed);
            if space != 0 && !keep(watch.consumer.load(Ordering::Relaxed), space) {
                watch.space.store(0, Ordering::Release);
            }
        }
    }

    /// A thread of this address space has something to wait for: returns its ticket, or 0 if
    /// nobody watches.
    #[cold]
    #[inline(never)]
    pub fn take_ticket(&self, space: usize) -> u32 {
        if self.watching(space).next().is_none() {
            return 0;
        }
        let ticket = self.last.fetch_add(1, Ordering::AcqRel).wrapping_add(1);
        self.watching(space)
            .for_each(|watch| raise(&watch.hit, ticket));
        ticket
    }

    /// Whether everybody who watches this address space has answered the ticket.
    pub fn is_released(&self, space: usize, ticket: u32) -> bool {
        self.watching(space)
            .all(|watch| is_reached(&watch.answered, ticket))
    }

    /// The thread with this ticket waits no longer.
    pub fn give_up(&self, space: usize, ticket: u32) {
        let waited_for = |watch: &&Watch| !is_reached(&watch.answered, ticket);
        let watches = self.watching(space).filter(waited_for);
        watches.for_each(|watch| raise(&watch.late, ticket));
    }

    /// A thread that the consumer has not read of yet.
    pub fn read(&self, consumer: usize) -> Option<Opened> {
        self.of(consumer).find_map(|watch| {
            let read = watch.read.load(Ordering::Relaxed);
            let ticket = watch.hit.load(Ordering::Acquire);
            let pid = watch.pid.load(Ordering::Relaxed);
            let order = Ordering::Relaxed;
            let is_new = read != ticket;
            let is_taken = is_new
                && watch
                    .read
                    .compare_exchange(read, ticket, order, order)
                    .is_ok();
            is_taken.then_some(Opened { pid, ticket })
        })
    }

    /// The consumer answers a ticket, and so all before; returns whether the thread of one of them
    /// has not waited for that.
    pub fn answer(&self, consumer: usize, opened: Opened) -> bool {
        let is_its = |watch: &&Watch| watch.pid.load(Ordering::Relaxed) == opened.pid;
        let mut is_late = false;
        for watch in self.of(consumer).filter(is_its) {
            // An invented ticket must not answer those to come.
            if is_reached(&watch.hit, opened.ticket) {
                let late = watch.late.load(Ordering::Acquire);
                is_late |= !is_reached(&watch.answered, late) && is_since(opened.ticket, late);
                raise(&watch.answered, opened.ticket);
            }
        }
        is_late
    }

    fn watching(&self, space: usize) -> impl Iterator<Item = &Watch> {
        let watches = self.watches.iter();
        watches.filter(move |watch| watch.space.load(Ordering::Acquire) == space && space != 0)
    }

    fn of(&self, consumer: usize) -> impl Iterator<Item = &Watch> {
        let watches = self.watches.iter();
        watches.filter(move |watch| {
            watch.space.load(Ordering::Acquire) != 0
                && watch.consumer.load(Ordering::Relaxed) == consumer
        })
    }
}

/// Whether a number is at least `ticket`; tickets wrap around.
fn is_reached(number: &AtomicU32, ticket: u32) -> bool {
    is_since(number.load(Ordering::Acquire), ticket)
}

fn is_since(number: u32, ticket: u32) -> bool {
    number.wrapping_sub(ticket) <= u32::MAX / 2
}

/// Raises a number to `ticket`.
fn raise(number: &AtomicU32, ticket: u32) {
    let raised = |number| (!is_since(number, ticket)).then_some(ticket);
    let _ = number.fetch_update(Ordering::AcqRel, Ordering::Acquire, raised);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tickets_wrap_around() {
        let held = Held::new().unwrap();
        held.last.store(u32::MAX - 1, Ordering::Relaxed);
        held.add(3, 64, 7);
        let opened = |ticket| Opened { pid: 7, ticket };
        for ticket in [u32::MAX, 0, 1] {
            assert_eq!(held.take_ticket(64), ticket);
            assert!(!held.is_released(64, ticket));
            assert_eq!(held.read(3), Some(opened(ticket)));
            assert!(!held.answer(3, opened(ticket)));
            assert!(held.is_released(64, ticket));
        }
    }

    #[test]
    fn an_invented_ticket_answers_nothing() {
        let held = Held::new().unwrap();
        held.add(3, 64, 7);
        held.answer(3, Opened { pid: 7, ticket: 9 });
        let ticket = held.take_ticket(64);
        held.answer(2, Opened { pid: 7, ticket });
        assert!(!held.is_released(64, ticket));
        assert_eq!((held.take_ticket(128), held.take_ticket(0)), (0, 0));
    }
}
