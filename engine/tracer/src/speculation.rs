//! Speculations: records that are kept aside until it is known whether they matter.
//!
//! A speculation has a part for each CPU, which only firings of that CPU write. So `commit` moves what
//! its own CPU has at once, and leaves the rest to whoever drains: once every firing that could have
//! taken the speculation for an active one is over, nobody writes its parts, and the control side hands
//! each to the consumer behind its CPU's principal buffer. Only then is the speculation free again; who
//! asks for one meanwhile finds it busy.
//!
//! ```text
//!            speculation()        open            open on another CPU
//!      Free ---------------> Active -----> One(cpu) -------------> Many
//!       ^                      |           |  |                    |  |
//!       |<--commit, discard----+           |  |                    |  |
//!       |<--commit (by way of Moving), discard on that CPU         |  |
//!       |                                     +--commit elsewhere--+--> Committed --> Draining --+
//!       |                                     +--discard elsewhere-+--> Discarded --> Emptying --+
//!       +<---------------------------------------------------------------------------------------+
//! ```

use alloc::vec::Vec;
use core::sync::atomic::{AtomicU32, AtomicU64, Ordering};

use engine_abi::RecordHeader;
use zerocopy::{FromBytes, IntoBytes};

use crate::arena::Arena;
use crate::grow::{OutOfMemory, push};
use crate::outlet::{Outlet, Unwritten};
use crate::ring::Ring;

/// What a speculation is at the moment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    /// Nobody's.
    Free,
    /// Somebody's, and empty.
    Active,
    /// Only this CPU has written to it.
    One(u32),
    /// Several CPUs may have written to it.
    Many,
    /// The CPU that committed it moves its records; there are no others.
    Moving,
    /// It is to be drained, but firings that have not noticed may still write to it.
    Committed,
    /// What is left of it is for the consumer.
    Draining,
    /// It is to be emptied, but firings that have not noticed may still write to it.
    Discarded,
    /// It is being emptied.
    Emptying,
}

/// Bytes of a record's head.
const HEAD: u32 = size_of::<RecordHeader>() as u32;

/// [`State::One`] of CPU 0.
const ONE: u32 = 8;

impl State {
    fn code(self) -> u32 {
        match self {
            Self::Free => 0,
            Self::Active => 1,
            Self::Many => 2,
            Self::Moving => 3,
            Self::Committed => 4,
            Self::Draining => 5,
            Self::Discarded => 6,
            Self::Emptying => 7,
            Self::One(cpu) => ONE.saturating_add(cpu),
        }
    }

    fn from_code(code: u32) -> Self {
        match code {
            0 => Self::Free,
            1 => Self::Active,
            2 => Self::Many,
            3 => Self::Moving,
            4 => Self::Committed,
            5 => Self::Draining,
            6 => Self::Discarded,
            7 => Self::Emptying,
            one => Self::One(one.wrapping_sub(ONE)),
        }
    }

    /// Whether it will be free without anybody's asking.
    fn is_busy(self) -> bool {
        !matches!(self, Self::Free | Self::Active | Self::One(_) | Self::Many)
    }
}

/// One CPU's part of a speculation.
#[derive(Debug)]
struct Part {
    memory: Arena,
    /// Bytes of whole records.
    used: AtomicU32,
    /// How much of them the consumer has, and how much it will have if what was sent last arrives.
    begin: AtomicU32,
    sent: AtomicU32,
}

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
    at: u32,
    bytes: u32,
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
            if one.turn(|state| (state == State::Free).then_some(State::Active)).is_some() {
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
        let at = part.used.load(Ordering::Relaxed);
        let end = at.checked_add(header.size);
        if end.is_none_or(|end| end as usize > part.memory.bytes()) {
            self.drops.fetch_add(1, Ordering::Relaxed);
            return None;
        }
        part.memory.clear(at as usize, header.size as usize);
        part.memory.write(at as usize, header.as_bytes());
        Some(Aside { number, at, bytes: header.size })
    }

    /// Writes `bytes` into a record, so many bytes behind its begin. What does not fit is cut.
    pub fn write(&self, aside: Aside, cpu: u32, offset: u32, bytes: &[u8]) {
        let Some(part) = self.part(aside.number, cpu) else {
            return;
        };
        let fits = (aside.bytes.saturating_sub(offset) as usize).min(bytes.len());
        let at = (aside.at as usize).wrapping_add(offset as usize);
        part.memory.write(at, bytes.get(..fits).unwrap_or_default());
    }

    /// The record is whole.
    pub fn close(&self, aside: Aside, cpu: u32) {
        if let Some(part) = self.part(aside.number, cpu) {
            part.used.store(aside.at.wrapping_add(aside.bytes), Ordering::Release);
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
        let Some(state) = turned else {
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
                part.begin.store(part.sent.load(Ordering::Relaxed), Ordering::Relaxed);
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
        let before = self.state.fetch_update(Ordering::AcqRel, Ordering::Acquire, turn).ok()?;
        turn(before).map(State::from_code)
    }

    /// Forgets all records.
    fn empty(&self) {
        for part in &self.parts {
            part.used.store(0, Ordering::Relaxed);
            part.begin.store(0, Ordering::Relaxed);
        }
        self.state.store(State::Free.code(), Ordering::Release);
    }

    fn free_if_drained(&self) {
        if self.parts.iter().all(Part::is_empty) {
            self.empty();
        }
    }
}

impl Part {
    fn new(bytes: usize) -> Result<Self, OutOfMemory> {
        Ok(Self {
            memory: Arena::new(bytes & !7)?,
            used: AtomicU32::new(0),
            begin: AtomicU32::new(0),
            sent: AtomicU32::new(0),
        })
    }

    fn is_empty(&self) -> bool {
        self.begin.load(Ordering::Relaxed) == self.used.load(Ordering::Acquire)
    }

    /// Each record from `from` on: where it begins, and its head, which carries that time. It ends where
    /// `see` says so.
    fn each<E>(
        &self,
        from: u32,
        time: u64,
        mut see: impl FnMut(usize, RecordHeader) -> Result<bool, E>,
    ) -> Result<u32, E> {
        let end = self.used.load(Ordering::Acquire);
        let mut at = from;
        while at < end {
            let mut head = [0; size_of::<RecordHeader>()];
            self.memory.read(at as usize, &mut head);
            let Ok(head) = RecordHeader::read_from_bytes(&head) else {
                break;
            };
            if !see(at as usize, RecordHeader { timestamp: time, ..head })? {
                break;
            }
            at = at.saturating_add(head.size.max(HEAD));
        }
        Ok(at)
    }

    /// Moves all records to a principal buffer; that counts those that it has no room for.
    fn move_to(&self, ring: &Ring, now: u64) {
        let _ = self.each(0, now, |at, head| {
            if let Some(room) = ring.open(head, false) {
                for word in 0..head.size.saturating_sub(HEAD) / 8 {
                    let offset = word.wrapping_mul(8).wrapping_add(HEAD);
                    let word = self.memory.load(at.wrapping_add(offset as usize));
                    ring.write(room, offset, &word.to_ne_bytes());
                }
                ring.close(room);
            }
            Ok::<_, core::convert::Infallible>(true)
        });
        self.used.store(0, Ordering::Relaxed);
    }

    fn copy(&self, committed: u64, outlet: &mut Outlet<'_>) -> Result<(), Unwritten> {
        let begin = self.begin.load(Ordering::Relaxed);
        let sent = self.each(begin, committed, |at, head| {
            if head.size as usize > outlet.room() {
                return Ok(false);
            }
            outlet.header(head)?;
            let data = (head.size.saturating_sub(HEAD)) as usize;
            outlet.copy(&self.memory, at.wrapping_add(HEAD as usize), data)?;
            Ok(true)
        })?;
        self.sent.store(sent, Ordering::Relaxed);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use engine_abi::{BufferPolicy, Records};
    use std::vec::Vec;

    use super::*;
    use crate::ring::Rings;

    struct Fixture {
        speculations: Speculations,
        rings: Rings,
    }

    fn fixture(count: usize, bytes: usize) -> Fixture {
        Fixture {
            speculations: Speculations::new(count, 2, bytes).unwrap(),
            rings: Rings::new(2, 256, BufferPolicy::Switch, 0).unwrap(),
        }
    }

    impl Fixture {
        fn record(&self, number: u64, cpu: u32, epid: u32) -> bool {
            let header = RecordHeader { epid, size: 24, timestamp: 1 };
            let Some(aside) = self.speculations.open(number, cpu, header) else {
                return false;
            };
            self.speculations.write(aside, cpu, 16, &epid.to_ne_bytes());
            self.speculations.close(aside, cpu);
            true
        }

        fn commit(&self, number: u64, cpu: u32, now: u64) {
            let ring = self.rings.of(cpu as usize).unwrap();
            self.speculations.commit(number, cpu, now, ring);
        }

        /// What arrives of a CPU: each record's epid and time.
        fn drain(&self, cpu: usize, room: usize) -> Vec<(u32, u64)> {
            let (mut chunk, mut got) = ([0; 16], Vec::new());
            let mut put = |part: &[u8]| {
                got.extend_from_slice(part);
                Ok(())
            };
            let mut outlet = Outlet::new(room, &mut chunk, &mut put);
            self.speculations.settle(|| {});
            let ring = self.rings.of(cpu).unwrap();
            let end = ring.copy(&mut outlet).unwrap();
            self.speculations.copy(cpu, &mut outlet).unwrap();
            outlet.flush().unwrap();
            ring.release(end);
            self.speculations.release(cpu);
            Records::new(&got)
                .map(|record| {
                    assert_eq!(record.data[..4], record.header.epid.to_ne_bytes());
                    (record.header.epid, record.header.timestamp)
                })
                .collect()
        }
    }

    #[test]
    fn what_one_cpu_committed_is_in_its_buffer_at_once() {
        let it = fixture(1, 256);
        let number = it.speculations.speculation();
        assert_eq!(number, 1);
        assert!(it.record(1, 0, 5) && it.record(1, 0, 6));
        assert_eq!(it.drain(0, 256), [], "nobody knows yet whether it matters");
        it.commit(1, 0, 9);
        assert_eq!(it.speculations.speculation(), 1, "it is free again at once");
        assert_eq!(it.drain(0, 256), [(5, 9), (6, 9)]);
    }

    #[test]
    fn what_several_cpus_speculated_arrives_once_and_then_it_is_free() {
        let it = fixture(1, 256);
        it.speculations.speculation();
        assert!(it.record(1, 0, 5) && it.record(1, 1, 6));
        it.commit(1, 0, 9);
        it.commit(1, 1, 10);
        assert!(!it.record(1, 1, 7), "it is not active any more");
        assert_eq!(it.drain(0, 256), [(5, 9)]);
        assert_eq!(it.speculations.speculation(), 0);
        assert_eq!(it.speculations.counts().busy, 1);
        assert_eq!(it.drain(1, 256), [(6, 9)]);
        assert_eq!(it.drain(1, 256), []);
        assert_eq!(it.speculations.speculation(), 1);
    }

    #[test]
    fn who_commits_need_not_have_speculated() {
        let it = fixture(1, 256);
        it.speculations.speculation();
        it.record(1, 1, 6);
        it.commit(1, 0, 9);
        assert_eq!((it.drain(0, 256), it.drain(1, 256)), (Vec::new(), Vec::from([(6, 9)])));
    }

    #[test]
    fn a_consumer_with_little_room_gets_it_bit_by_bit() {
        let it = fixture(1, 256);
        it.speculations.speculation();
        (1..6).for_each(|epid| assert!(it.record(1, 1, epid)));
        it.commit(1, 0, 9);
        let parts: Vec<_> = (0..4).map(|_| it.drain(1, 50)).collect();
        assert_eq!(parts.concat(), (1..6).map(|epid| (epid, 9)).collect::<Vec<_>>());
        assert_eq!(parts[3], []);
    }

    #[test]
    fn what_is_discarded_never_arrives() {
        let it = fixture(2, 256);
        let (one, other) = (it.speculations.speculation(), it.speculations.speculation());
        assert!(it.record(one, 0, 1) && it.record(other, 0, 2) && it.record(other, 1, 3));
        it.speculations.discard(one, 0);
        assert_eq!(it.speculations.speculation(), one, "only this CPU had it");
        it.speculations.discard(other, 0);
        assert_eq!(it.speculations.speculation(), 0);
        assert_eq!((it.drain(0, 256), it.drain(1, 256)), (Vec::new(), Vec::new()));
        assert_eq!(it.speculations.speculation(), other);
        it.commit(other, 0, 9);
        assert_eq!(it.drain(0, 256), [], "it began empty");
        assert_eq!(it.speculations.counts(), Counts { busy: 1, ..Counts::default() });
    }

    #[test]
    fn all_taken_is_not_busy() {
        let it = fixture(1, 256);
        assert_eq!((it.speculations.speculation(), it.speculations.speculation()), (1, 0));
        assert_eq!(it.speculations.counts(), Counts { unavailable: 1, ..Counts::default() });
    }

    #[test]
    fn a_full_part_drops_and_counts_and_what_is_no_speculation_takes_nothing() {
        let it = fixture(1, 55);
        it.speculations.speculation();
        let kept = (0..4).filter(|&epid| it.record(1, 0, epid)).count();
        assert_eq!((kept, it.speculations.counts().drops), (2, 2));
        for number in [0, 2, u64::MAX] {
            assert!(!it.record(number, 0, 1));
            it.commit(number, 0, 1);
            it.speculations.discard(number, 0);
        }
        assert!(!it.record(1, 2, 1), "nor is there such a CPU");
        assert_eq!(it.speculations.counts().drops, 2);
    }

    #[test]
    fn what_the_principal_buffer_has_no_room_for_is_its_drop() {
        let it = fixture(1, 1024);
        it.speculations.speculation();
        (0..12).for_each(|epid| assert!(it.record(1, 0, epid)));
        it.commit(1, 0, 9);
        assert_eq!(it.rings.of(0).unwrap().take_drops(), 2);
        assert_eq!(it.drain(0, 256).len(), 10);
    }
}
