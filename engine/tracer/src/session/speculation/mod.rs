//! Speculations: records held back until the program commits or discards them.
//!
//! A speculation has a part for each CPU, written only by firings of that CPU. `commit` moves its
//! own CPU's part to the principal buffer at once and leaves the others to the control side: after
//! a grace period no firing writes to them any more, and each is copied out after its CPU's
//! principal buffer. Only then is the speculation free again; until then a request for one reports
//! it busy.
//!
//! The state is one atomic, changed by compare-and-exchange in any context; see [`state`].

mod part;
mod state;

use alloc::vec::Vec;
use core::sync::atomic::{AtomicU32, AtomicU64, Ordering};

use engine_abi::RecordHeader;
use part::{Part, Place};
use state::State;

use crate::grow::{OutOfMemory, push};
use crate::session::ring::Ring;
use crate::session::sink::{Sink, Unwritten};

/// A speculation.
#[derive(Debug)]
struct Speculation {
    state: AtomicU32,
    /// The time of its commit, which its records carry once drained.
    committed: AtomicU64,
    parts: Vec<Part>,
}

/// Space reserved for a record in a speculation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SpeculationReservation {
    /// The speculation's number.
    pub number: u64,
    place: Place,
}

/// All speculations of a consumer, numbered from 1.
#[derive(Debug)]
pub struct Speculations {
    all: Vec<Speculation>,
    drops: AtomicU64,
    busy: AtomicU64,
    unavailable: AtomicU64,
}

/// Counters of failures.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Counts {
    /// Records dropped because a part was full.
    pub drops: u64,
    /// Requests that found none free, but at least one about to be.
    pub busy: u64,
    /// Requests that found none free nor about to be.
    pub unavailable: u64,
}

impl Speculations {
    /// `count` speculations with parts of `bytes` bytes for each CPU.
    pub fn new(count: usize, cpus: usize, bytes: usize) -> Result<Self, OutOfMemory> {
        let mut all = Vec::new();
        for _ in 0..count {
            let mut parts = Vec::new();
            for _ in 0..cpus {
                push(&mut parts, Part::new(bytes)?)?;
            }
            let free = Speculation {
                state: AtomicU32::new(State::Free.code()),
                committed: AtomicU64::new(0),
                parts,
            };
            push(&mut all, free)?;
        }
        Ok(Self {
            all,
            drops: AtomicU64::new(0),
            busy: AtomicU64::new(0),
            unavailable: AtomicU64::new(0),
        })
    }

    /// Takes a free speculation and returns its number; 0 if there is none.
    pub fn speculation(&self) -> u64 {
        let mut busy = false;
        for (number, one) in (1..).zip(&self.all) {
            if one
                .turn(|state| (state == State::Free).then_some(State::Active))
                .is_some()
            {
                return number;
            }
            busy |= one.state().is_busy();
        }
        let counter = if busy { &self.busy } else { &self.unavailable };
        counter.fetch_add(1, Ordering::Relaxed);
        0
    }

    /// Reserves space for a record. None where the speculation is not active, or its part is full;
    /// the latter is counted.
    pub fn open(
        &self,
        number: u64,
        cpu: u32,
        header: RecordHeader,
    ) -> Option<SpeculationReservation> {
        let one = self.one(number)?;
        let part = one.parts.get(cpu as usize)?;
        one.turn(|state| match state {
            State::Active => Some(State::One(cpu)),
            State::One(other) if other != cpu => Some(State::Many),
            State::One(_) | State::Many => Some(state),
            _ => None,
        })?;
        let Some(place) = part.open(header) else {
            self.drops.fetch_add(1, Ordering::Relaxed);
            return None;
        };
        Some(SpeculationReservation { number, place })
    }

    /// Writes `bytes` at this byte offset of a record, truncated at the record's end.
    pub fn write(&self, reservation: SpeculationReservation, cpu: u32, offset: u32, bytes: &[u8]) {
        if let Some(part) = self.part(reservation.number, cpu) {
            part.write(reservation.place, offset, bytes);
        }
    }

    /// Completes a record; a commit copies only complete ones.
    pub fn close(&self, reservation: SpeculationReservation, cpu: u32) {
        if let Some(part) = self.part(reservation.number, cpu) {
            part.close(reservation.place);
        }
    }

    /// Commits: moves the part of `cpu` to that CPU's principal buffer, and leaves the others to
    /// the control side.
    pub fn commit(&self, number: u64, cpu: u32, now: u64, ring: &Ring) {
        let Some(one) = self.one(number) else {
            return;
        };
        let turned = one.turn(|state| match state {
            State::Active => Some(State::Free),
            State::One(only) if only == cpu => Some(State::Moving),
            State::One(_) | State::Many => Some(State::Committed),
            _ => None,
        });
        let Some(state @ (State::Moving | State::Committed)) = turned else {
            return;
        };
        one.committed.store(now, Ordering::Relaxed);
        if let Some(part) = one.parts.get(cpu as usize) {
            part.move_to(ring, now);
        }
        if state == State::Moving {
            one.state.store(State::Free.code(), Ordering::Release);
        }
    }

    /// Whether there is a speculation of this number, free or not.
    pub fn has(&self, number: u64) -> bool {
        self.one(number).is_some()
    }

    /// Discards its records: at once if only `cpu` wrote to it, else by the control side.
    pub fn discard(&self, number: u64, cpu: u32) {
        let Some(one) = self.one(number) else {
            return;
        };
        let turned = one.turn(|state| match state {
            State::Active => Some(State::Free),
            State::One(only) if only == cpu => Some(State::Moving),
            State::One(_) | State::Many => Some(State::Discarded),
            _ => None,
        });
        if turned == Some(State::Moving) {
            one.empty();
        }
    }

    /// Readies committed speculations for draining and frees discarded ones. `synchronize` waits
    /// for a grace period; it is called only if a state changed. This and the methods below are for
    /// the control side only, under the control lock.
    pub fn settle(&self, synchronize: impl FnOnce()) {
        let mut wait = false;
        for one in &self.all {
            let turned = one.turn(|state| match state {
                State::Committed => Some(State::Draining),
                State::Discarded => Some(State::Emptying),
                _ => None,
            });
            wait |= turned.is_some();
        }
        if !wait {
            return;
        }
        synchronize();
        for one in &self.all {
            match one.state() {
                State::Emptying => one.empty(),
                State::Draining => one.free_if_drained(),
                _ => {}
            }
        }
    }

    /// Copies out whole records of `cpu` that are ready, as many as fit. They stay until
    /// [`Speculations::release`].
    pub fn copy(&self, cpu: usize, sink: &mut Sink<'_>) -> Result<(), Unwritten> {
        for one in self.draining() {
            if let Some(part) = one.parts.get(cpu) {
                part.copy(one.committed.load(Ordering::Relaxed), sink)?;
            }
        }
        Ok(())
    }

    /// Releases the records that were copied last, and frees speculations that are drained.
    pub fn release(&self, cpu: usize) {
        for one in self.draining() {
            if let Some(part) = one.parts.get(cpu) {
                part.release();
            }
            one.free_if_drained();
        }
    }

    /// The failure counters.
    pub fn counts(&self) -> Counts {
        Counts {
            drops: self.drops.load(Ordering::Relaxed),
            busy: self.busy.load(Ordering::Relaxed),
            unavailable: self.unavailable.load(Ordering::Relaxed),
        }
    }

    fn draining(&self) -> impl Iterator<Item = &Speculation> {
        self.all.iter().filter(|one| one.state() == State::Draining)
    }

    fn one(&self, number: u64) -> Option<&Speculation> {
        self.all.get(usize::try_from(number).ok()?.checked_sub(1)?)
    }

    fn part(&self, number: u64, cpu: u32) -> Option<&Part> {
        self.one(number)?.parts.get(cpu as usize)
    }
}

impl Speculation {
    fn state(&self) -> State {
        State::from_code(self.state.load(Ordering::Acquire))
    }

    /// Atomically replaces the state by what `turn` returns for it; returns the new state, or None
    /// where `turn` refused.
    fn turn(&self, turn: impl Fn(State) -> Option<State>) -> Option<State> {
        let turn = |code| turn(State::from_code(code)).map(State::code);
        let before = self
            .state
            .fetch_update(Ordering::AcqRel, Ordering::Acquire, turn)
            .ok()?;
        turn(before).map(State::from_code)
    }

    /// Drops all records and frees the speculation.
    fn empty(&self) {
        self.parts.iter().for_each(Part::empty);
        self.state.store(State::Free.code(), Ordering::Release);
    }

    fn free_if_drained(&self) {
        if self.parts.iter().all(Part::is_empty) {
            self.empty();
        }
    }
}

#[cfg(test)]
mod tests;
