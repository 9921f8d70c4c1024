//! Overwrites windows.

use alloc::vec::Vec;
use core::sync::atomic::{AtomicUsize, Ordering};

use engine_tracer::{OutOfMemory, filled};

use crate::arch::frame::TRAP;
use crate::arch::windows::{self, JUMP};
use crate::maps::PAGE;
use crate::{code, sys};

/// A window that is written.
pub struct Change {
    /// Its address.
    pub address: usize,
    /// Where who hits it meanwhile goes.
    pub detour: usize,
    /// What is there: anything else is of another mapping, which has taken the place.
    pub before: [u8; JUMP],
    /// What is to be there.
    pub bytes: [u8; JUMP],
    /// Whether it is one instruction, before and after.
    pub is_one: bool,
}

impl Change {
    /// Whether the window's jump is there.
    pub fn is_in_place(&self) -> bool {
        let mut there = [0; JUMP];
        let is_read = code::read(self.address, &mut there).is_ok();
        is_read && there == windows::jump(self.address, self.detour)
    }

    /// Writes it by one store, if that is possible; returns whether it is there.
    fn is_put_at_once(&self) -> bool {
        /// What a processor fetches of text at a time, as has been measured on a Zen 4: of an instruction in two such blocks
        /// it executes one part as it was before.
        const BLOCK: usize = 32;
        const WORD: usize = size_of::<u64>();
        let block = self.address & !(BLOCK - 1);
        let place = self.address.min(block.wrapping_add(BLOCK - WORD));
        let offset = self.address.wrapping_sub(place);
        let mut word = [0; WORD];
        if code::read(place, &mut word).is_err() {
            return false;
        }
        // Not of one in two blocks.
        let there = word.get_mut(offset..).and_then(|it| it.first_chunk_mut());
        let Some(there) = there else {
            return false;
        };
        if *there != self.before {
            return false;
        }
        *there = self.bytes;
        code::is_stored(place, u64::from_ne_bytes(word))
    }

    /// Whether the jump may be there, in memory that cannot be read.
    pub fn is_hidden(&self) -> bool {
        code::is_hidden(self.address)
    }
}

/// How many windows are written at a time.
pub const BATCH: usize = 512;

/// How many traps can stay, as neither what they were for nor what was there could be written. If more
/// would, nothing is written.
const STAYING: usize = 64;

/// A window's address, or 0, and its detour.
type Place = [AtomicUsize; 2];

/// The windows that are being written, and those in which a trap stays.
static WRITTEN: [Place; BATCH + STAYING] =
    [const { [const { AtomicUsize::new(0) }; 2] }; BATCH + STAYING];

/// The writing of a window, while threads run.
struct Writing<'a> {
    change: &'a Change,
    place: &'static Place,
}

impl<'a> Writing<'a> {
    fn begin(change: &'a Change, place: &'static Place) -> Option<Self> {
        let mut before = [0; JUMP];
        code::read(change.address, &mut before).ok()?;
        if before != change.before {
            return None;
        }
        let [address, detour] = place;
        // Who reads this sees as well that the place was free.
        detour.store(change.detour, Ordering::Release);
        address.store(change.address, Ordering::Release);
        Some(Self { change, place })
    }

    fn put_first(&self, bytes: &[u8]) -> bool {
        let first = bytes.get(..TRAP.len()).unwrap_or_default();
        code::write(self.change.address, first).is_ok()
    }

    fn put_rest(&self, bytes: &[u8; JUMP]) -> bool {
        let rest = bytes.get(TRAP.len()..).unwrap_or_default();
        code::write(self.change.address.wrapping_add(TRAP.len()), rest).is_ok()
    }

    /// Begins with the trap. If it cannot be written, the window is as it was.
    fn puts_trap(&self) -> bool {
        code::expect_hits();
        let is_put = self.put_first(TRAP);
        if !is_put {
            self.end();
        }
        is_put
    }

    /// Writes what is behind the trap. If that fails, some of it may have been written.
    fn puts_rest(&self) -> bool {
        if self.put_rest(&self.change.bytes) {
            return true;
        }
        if self.put_rest(&self.change.before) && self.put_first(&self.change.before) {
            self.end();
        } else {
            self.keep();
        }
        false
    }

    /// Puts the first byte in the trap's place. If that fails, the trap stays, and leads to the detour.
    fn puts_first(&self) -> bool {
        let is_put = self.put_first(&self.change.bytes);
        if !is_put {
            self.keep();
        }
        is_put
    }

    /// The trap stays, unless it has gone away with its mapping.
    fn keep(&self) {
        let mut there = [0; TRAP.len()];
        let stays = match code::read(self.change.address, &mut there) {
            Ok(()) => there == TRAP,
            Err(_) => self.change.is_hidden(),
        };
        if stays {
            code::keep();
        }
    }

    fn end(&self) {
        let [address, _] = self.place;
        address.store(0, Ordering::Release);
    }
}

/// Writes windows, at most [`BATCH`]. Unless the process is stopped threads run, and no thread executes a
/// part of one: a trap is at the first byte while the others are written, and who hits it takes the
/// detour.
///
/// # Errors
/// Some windows may be as they were, or [kept](code::keep) with a trap.
pub fn replace(changes: &[Change], is_stopped: bool) -> Result<(), OutOfMemory> {
    if is_stopped {
        let near = changes.chunk_by(are_near).map(put_all);
        return near.fold(Ok(()), Result::and);
    }
    // The detours were written just now.
    sys::serialize();
    // Threads see one instruction or the other.
    if JUMP == TRAP.len() {
        let each = changes.iter();
        let each = each.map(|change| code::write(change.address, &change.bytes));
        let all = each.fold(Ok(()), Result::and);
        sys::serialize();
        return all;
    }
    let is_free = |place: &&Place| place[0].load(Ordering::Relaxed) == 0;
    // No thread comes to a trap of these, which would end it if it blocks the signal.
    let others = changes
        .iter()
        .filter(|it| !(it.is_one && it.is_put_at_once()));
    let others: Vec<&Change> = others.collect();
    let pairs = others.iter().zip(WRITTEN.iter().filter(is_free));
    let begun = pairs.filter_map(|(change, place)| Writing::begin(change, place));
    let mut begun: Vec<Writing> = begun.collect();
    begun.retain(Writing::puts_trap);
    sys::serialize();
    begun.retain(Writing::puts_rest);
    sys::serialize();
    begun.retain(Writing::puts_first);
    sys::serialize();
    begun.iter().for_each(Writing::end);
    let are_all = begun.len() == others.len();
    are_all.then_some(()).ok_or(OutOfMemory)
}

/// Whether two changes can be written as one: they are in order, and in the same page or in neighbors.
fn are_near(one: &Change, next: &Change) -> bool {
    let last = one.address.wrapping_add(JUMP - 1);
    let page = |address: usize| address / PAGE;
    last < next.address && page(next.address) <= page(last).wrapping_add(1)
}

/// Writes changes that are near one another: a system call for each would take most of the time.
fn put_all(changes: &[Change]) -> Result<(), OutOfMemory> {
    let (Some(first), Some(last)) = (changes.first(), changes.last()) else {
        return Ok(());
    };
    let size = last.address.wrapping_add(JUMP).wrapping_sub(first.address);
    let mut before = filled(size, || 0)?;
    code::read(first.address, &mut before).map_err(|_| OutOfMemory)?;
    let part = |change: &Change| {
        let place = change.address.wrapping_sub(first.address);
        place..place.wrapping_add(JUMP)
    };
    let mut text = before.clone();
    for change in changes {
        let there = text.get_mut(part(change)).unwrap_or_default();
        there
            .iter_mut()
            .zip(change.bytes)
            .for_each(|(to, byte)| *to = byte);
    }
    code::write(first.address, &text).or_else(|_| {
        let before = |change: &Change| before.get(part(change)).unwrap_or_default();
        let each = changes.iter().map(|change| put(change, before(change)));
        each.fold(Ok(()), Result::and)
    })
}

/// Writes a change, or what was there before: some of it may have been written.
fn put(change: &Change, before: &[u8]) -> Result<(), OutOfMemory> {
    code::write(change.address, &change.bytes).inspect_err(|_| {
        for (address, byte) in (change.address..).zip(before) {
            // One that cannot be written was not.
            let _ = code::write(address, &[*byte]);
        }
    })
}

/// The detour of a window that is being written, or that a trap stays in. Callable in probe context.
pub fn detour_at(pc: usize) -> Option<usize> {
    let mut all = WRITTEN.iter();
    let [address, detour] = all.find(|[address, _]| address.load(Ordering::Acquire) == pc)?;
    let detour = detour.load(Ordering::Acquire);
    // By now the place may be another window's.
    (address.load(Ordering::Relaxed) == pc).then_some(detour)
}
