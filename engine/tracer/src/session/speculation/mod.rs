//! Speculations: records that are kept aside until it is known whether they matter.
//!
//! A speculation has a part for each CPU, which only firings of that CPU write. So `commit` moves what
//! its own CPU has at once, and leaves the rest to whoever drains: once every firing that could have
//! taken the speculation for an active one is over, nobody writes its parts, and the control side hands
//! each to the consumer behind its CPU's principal buffer. Only then is the speculation free again; who
//! asks for one meanwhile finds it busy.

mod part;
mod state;

use alloc::vec::Vec;
use core::sync::atomic::{AtomicU32, AtomicU64, Ordering};

use engine_abi::RecordHeader;
use part::{Part, Place};
use state::State;

use crate::grow::{OutOfMemory, push};
use crate::session::outlet::{Outlet, Unwritten};
use crate::session::ring::Ring;

/// A speculation.
#[derive(Debug)]
struct Speculation {
    state: AtomicU32,
    /// When it was committed: the time that its records then carry.
    committed: AtomicU64,
    parts: Vec<Part>,
}

/// Room for a record in a speculation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Aside {
    /// The speculation.
    pub number: u64,
    place: Place,
}

/// All speculations of a consumer. They are numbered from 1.
#[derive(Debug)]
pub struct Speculations {
    all: Vec<Speculation>,
    drops: AtomicU64,
    busy: AtomicU64,
    unavailable: AtomicU64,
}

/// What was counted of speculations.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Counts {
    /// Records that found a part full.
    pub drops: u64,
    /// Requests for a speculation when none was free, but one will be.
    pub busy: u64,
    /// Requests for a speculation when none was free.
    pub unavailable: u64,
}

impl Speculations {
    /// So many, whose parts for each CPU have `bytes` bytes.
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

    /// One that is free, which it is no more; or 0.
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

    /// Makes room for a record with this header; none where the speculation is not active, or is full,
    /// which is counted.
    pub fn open(&self, number: u64, cpu: u32, header: RecordHeader) -> Option<Aside> {
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
        Some(Aside { number, place })
    }

    /// Writes `bytes` into a record, so many bytes behind its begin. What does not fit is cut.
    pub fn write(&self, aside: Aside, cpu: u32, offset: u32, bytes: &[u8]) {
        if let Some(part) = self.part(aside.number, cpu) {
            part.write(aside.place, offset, bytes);
        }
    }

    /// The record is whole.
    pub fn close(&self, aside: Aside, cpu: u32) {
        if let Some(part) = self.part(aside.number, cpu) {
            part.close(aside.place);
        }
    }

    /// Moves what `cpu` has of it to that CPU's principal buffer, and leaves the rest to be drained.
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

    /// Empties it.
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

    /// Readies what was committed to be drained, and frees what was discarded. `synchronize` waits
    /// until every firing that has begun is over; it is called only if there is something to do. Control
    /// side only, one at a time, as all that follows.
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

    /// Sends whole records that `cpu` has of those to be drained, as many as there is room for. They
    /// stay until [`Speculations::release`].
    pub fn copy(&self, cpu: usize, outlet: &mut Outlet<'_>) -> Result<(), Unwritten> {
        for one in self.draining() {
            if let Some(part) = one.parts.get(cpu) {
                part.copy(one.committed.load(Ordering::Relaxed), outlet)?;
            }
        }
        Ok(())
    }

    /// Forgets the records that were sent last, and frees what was drained whole.
    pub fn release(&self, cpu: usize) {
        for one in self.draining() {
            if let Some(part) = one.parts.get(cpu) {
                part.release();
            }
            one.free_if_drained();
        }
    }

    /// What was counted.
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

    /// Changes the state as `turn` says, in one step; what it is then, or nothing where `turn` says
    /// nothing.
    fn turn(&self, turn: impl Fn(State) -> Option<State>) -> Option<State> {
        let turn = |code| turn(State::from_code(code)).map(State::code);
        let before = self
            .state
            .fetch_update(Ordering::AcqRel, Ordering::Acquire, turn)
            .ok()?;
        turn(before).map(State::from_code)
    }

    /// Forgets all records.
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
