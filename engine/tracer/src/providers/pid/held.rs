//! Threads of processes that wait until consumers have enabled probes in what the process has just
//! opened.
//!
//! A thread that has executed the watched instruction takes a ticket, greater than all before, and
//! waits until each consumer that watches its address space has answered that ticket or a later
//! one. Each pair of a consumer and an address space has a fixed place here, whose numbers only
//! grow: a place that is freed releases those who wait for it, and nothing is lost if a thread gives
//! up before a consumer has read of it.
//!
//! A consumer can also have each process held that executes a program, or is forked by one with
//! probes. That has no place before: its
//! thread takes one for each such consumer, and frees them when it continues, unless the consumer watches
//! the process by then.
//!
//! Threads and readers use only atomics, in any context. A consumer has its places until it stops.

use alloc::vec::Vec;
use core::sync::atomic::{AtomicU32, AtomicUsize, Ordering};

use engine_abi::Opened;

use super::process::bit;
use crate::grow::{OutOfMemory, filled};
use crate::session::consumer::CONSUMERS_MAX;

/// The most pairs of a consumer and an address space that it watches.
pub const WATCHES_MAX: usize = 1024;

/// Until when a place is used.
mod lasts {
    /// Until the consumer stops.
    pub const WATCHED: u32 = 0;
    /// Until the thread of a process continues that has just begun.
    pub const BEGINS: u32 = 1;
    /// It is being freed.
    pub const FREED: u32 = 2;
}

/// In [`Watch::space`]: the place is being filled. No address space has this key.
const FILLING: usize = usize::MAX;

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
    /// Of [`lasts`].
    lasts: AtomicU32,
}

impl Watch {
    /// Keeps the place until the consumer stops; not if it is being freed.
    fn keep(&self) -> bool {
        let (order, failed) = (Ordering::AcqRel, Ordering::Acquire);
        let lasts = &self.lasts;
        let kept = lasts.compare_exchange(lasts::BEGINS, lasts::WATCHED, order, failed);
        kept != Err(lasts::FREED)
    }

    /// Its thread may free it at the same time.
    fn free(&self, space: usize) {
        let (order, failed) = (Ordering::AcqRel, Ordering::Relaxed);
        let _ = self.space.compare_exchange(space, 0, order, failed);
    }
}

/// All watches.
#[derive(Debug)]
pub struct Held {
    last: AtomicU32,
    watches: Vec<Watch>,
    /// The consumers that have all processes held which execute programs, one bit each.
    execs: AtomicU32,
    /// Those of these that have not answered in time: nothing waits for them until they read again.
    silent: AtomicU32,
    /// Those of these for which a process has not waited, until they are told.
    missed: AtomicU32,
    /// The processes of these, whose children are not held.
    parents: Vec<AtomicU32>,
}

impl Held {
    /// Nobody watches anything.
    pub fn new() -> Result<Self, OutOfMemory> {
        Ok(Self {
            last: AtomicU32::new(0),
            watches: filled(WATCHES_MAX, Watch::default)?,
            execs: AtomicU32::new(0),
            silent: AtomicU32::new(0),
            missed: AtomicU32::new(0),
            parents: filled(CONSUMERS_MAX, AtomicU32::default)?,
        })
    }

    /// The consumer watches an address space from now on, if it does not already. Returns whether there
    /// was a free place.
    pub fn add(&self, consumer: usize, space: usize, pid: u32) -> bool {
        let its_space = |watch: &&Watch| watch.space.load(Ordering::Relaxed) == space;
        let mut watches = self.of(consumer).filter(its_space);
        watches.any(Watch::keep) || self.fill(consumer, space, pid, lasts::WATCHED)
    }

    /// Takes a free place; whether there was one.
    fn fill(&self, consumer: usize, space: usize, pid: u32, lasts: u32) -> bool {
        let free = self.watches.iter().find(|watch| {
            let order = Ordering::AcqRel;
            let taken = watch
                .space
                .compare_exchange(0, FILLING, order, Ordering::Relaxed);
            taken.is_ok()
        });
        let Some(watch) = free else { return false };
        let last = self.last.load(Ordering::Relaxed);
        for number in [&watch.hit, &watch.read, &watch.answered, &watch.late] {
            number.store(last, Ordering::Relaxed);
        }
        watch.consumer.store(consumer, Ordering::Relaxed);
        watch.pid.store(pid, Ordering::Relaxed);
        watch.lasts.store(lasts, Ordering::Relaxed);
        watch.space.store(space, Ordering::Release);
        true
    }

    /// The consumer has each process held that executes a program, but children of its own process.
    pub fn hold_execs(&self, consumer: usize, parent: u32) {
        if let Some(place) = self.parents.get(consumer) {
            place.store(parent, Ordering::Relaxed);
            self.silent.fetch_and(!bit(consumer), Ordering::Relaxed);
            self.missed.fetch_and(!bit(consumer), Ordering::Relaxed);
            self.execs.fetch_or(bit(consumer), Ordering::Release);
        }
    }

    /// The consumer does not any more. Returns whether it did, and none does now.
    pub fn let_execs_go(&self, consumer: usize) -> bool {
        let before = self.execs.fetch_and(!bit(consumer), Ordering::AcqRel);
        before != 0 && before == bit(consumer)
    }

    /// Whether any consumer has processes held that execute programs.
    pub fn holds_execs(&self) -> bool {
        self.execs.load(Ordering::Acquire) != 0
    }

    /// A process has executed a program or been forked: returns its thread's ticket, or 0 if it need not wait.
    pub fn begin(&self, space: usize, pid: u32, ppid: u32) -> u32 {
        let silent = self.silent.load(Ordering::Relaxed);
        let execs = self.execs.load(Ordering::Acquire) & !silent;
        let mut any = false;
        for (consumer, parent) in self.parents.iter().enumerate() {
            if execs & bit(consumer) != 0 && parent.load(Ordering::Relaxed) != ppid {
                match self.fill(consumer, space, pid, lasts::BEGINS) {
                    true => any = true,
                    false => drop(self.missed.fetch_or(bit(consumer), Ordering::Relaxed)),
                }
            }
        }
        if any { self.take_ticket(space) } else { 0 }
    }

    /// The thread of that process continues.
    pub fn end_begin(&self, space: usize) {
        for watch in self.watching(space) {
            let order = Ordering::AcqRel;
            let freed =
                watch
                    .lasts
                    .compare_exchange(lasts::BEGINS, lasts::FREED, order, Ordering::Relaxed);
            if freed.is_ok() {
                watch.space.store(0, Ordering::Release);
            }
        }
    }

    /// Frees the places of watched address spaces that `keep` does not accept.
    pub fn retain_watched(&self, keep: impl Fn(usize) -> bool) {
        for watch in &self.watches {
            let space = watch.space.load(Ordering::Acquire);
            let is_watched = watch.lasts.load(Ordering::Acquire) == lasts::WATCHED;
            if is_watched && !matches!(space, 0 | FILLING) && !keep(space) {
                watch.free(space);
            }
        }
    }

    /// Frees the places whose consumer and address space `keep` does not accept.
    pub fn retain(&self, keep: impl Fn(usize, usize) -> bool) {
        for watch in &self.watches {
            let space = watch.space.load(Ordering::Acquire);
            let is_filled = space != 0 && space != FILLING;
            if is_filled && !keep(watch.consumer.load(Ordering::Relaxed), space) {
                watch.free(space);
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
        watches.for_each(|watch| {
            raise(&watch.late, ticket);
            if watch.lasts.load(Ordering::Relaxed) == lasts::BEGINS {
                let own = bit(watch.consumer.load(Ordering::Relaxed));
                self.silent.fetch_or(own, Ordering::Relaxed);
                self.missed.fetch_or(own, Ordering::Relaxed);
            }
        });
    }

    /// A thread that the consumer has not read of yet.
    pub fn read(&self, consumer: usize) -> Option<Opened> {
        self.silent.fetch_and(!bit(consumer), Ordering::Relaxed);
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
            let begins = watch.lasts.load(Ordering::Relaxed) == lasts::BEGINS;
            is_taken.then_some(Opened {
                pid,
                ticket,
                begins: begins.into(),
                reserved: 0,
            })
        })
    }

    /// The consumer answers a ticket, and so all before; returns whether the thread of one of them
    /// has not waited for that, or one of a process that begins has not waited for an answer.
    pub fn answer(&self, consumer: usize, opened: Opened) -> bool {
        let is_its = |watch: &&Watch| watch.pid.load(Ordering::Relaxed) == opened.pid;
        let missed = self.missed.fetch_and(!bit(consumer), Ordering::Relaxed);
        let mut is_late = missed & bit(consumer) != 0;
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
        let is_key = space != 0 && space != FILLING;
        watches.filter(move |watch| is_key && watch.space.load(Ordering::Acquire) == space)
    }

    fn of(&self, consumer: usize) -> impl Iterator<Item = &Watch> {
        let watches = self.watches.iter();
        watches.filter(move |watch| {
            !matches!(watch.space.load(Ordering::Acquire), 0 | FILLING)
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
        let opened = |ticket| Opened {
            pid: 7,
            ticket,
            ..Opened::default()
        };
        for ticket in [u32::MAX, 0, 1] {
            assert_eq!(held.take_ticket(64), ticket);
            assert!(!held.is_released(64, ticket));
            assert_eq!(held.read(3), Some(opened(ticket)));
            assert!(!held.answer(3, opened(ticket)));
            assert!(held.is_released(64, ticket));
        }
    }

    /// A process that traces itself has the key 1.
    #[test]
    fn any_small_number_is_a_key() {
        for key in 1..8 {
            let held = Held::new().unwrap();
            held.add(0, key, 7);
            assert_ne!(held.take_ticket(key), 0);
        }
    }

    #[test]
    fn an_invented_ticket_answers_nothing() {
        let held = Held::new().unwrap();
        held.add(3, 64, 7);
        held.answer(
            3,
            Opened {
                pid: 7,
                ticket: 9,
                ..Opened::default()
            },
        );
        let ticket = held.take_ticket(64);
        held.answer(
            2,
            Opened {
                pid: 7,
                ticket,
                ..Opened::default()
            },
        );
        assert!(!held.is_released(64, ticket));
        assert_eq!((held.take_ticket(128), held.take_ticket(0)), (0, 0));
    }
}
