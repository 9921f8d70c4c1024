//! Overwrites windows.

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
    /// What is to be there.
    pub bytes: [u8; JUMP],
}

impl Change {
    /// Whether the window's jump is there.
    pub fn is_in_place(&self) -> bool {
        let mut there = [0; JUMP];
        let is_read = code::read(self.address, &mut there).is_ok();
        is_read && there == windows::jump(self.address, self.detour)
    }
}

/// How many windows are written at a time.
pub const BATCH: usize = 512;

/// The windows that are being written, and their detours.
static WRITTEN: [[AtomicUsize; 2]; BATCH] = [const { [const { AtomicUsize::new(0) }; 2] }; BATCH];

/// Writes windows, at most [`BATCH`]. Unless the process is stopped threads run, and no thread executes a
/// part of one: a trap is at the first byte while the others are written, and who hits it takes the
/// detour.
///
/// # Errors
/// Some windows may be as they were.
pub fn replace(changes: &[Change], is_stopped: bool) -> Result<(), OutOfMemory> {
    if is_stopped {
        let near = changes.chunk_by(are_near).map(put_all);
        return near.fold(Ok(()), Result::and);
    }
    let mut put_those = Ok(());
    let mut put = |address: usize, bytes: &[u8]| {
        put_those = put_those.and(code::write(address, bytes));
    };
    // The detours were written just now.
    sys::serialize();
    // Threads see one instruction or the other.
    if JUMP == TRAP.len() {
        for change in changes {
            put(change.address, &change.bytes);
        }
        sys::serialize();
        return put_those;
    }
    for ([address, detour], change) in WRITTEN.iter().zip(changes) {
        detour.store(change.detour, Ordering::Relaxed);
        address.store(change.address, Ordering::Release);
    }
    for change in changes {
        put(change.address, TRAP);
    }
    sys::serialize();
    for change in changes {
        let rest = change.bytes.get(TRAP.len()..).unwrap_or_default();
        put(change.address.wrapping_add(TRAP.len()), rest);
    }
    sys::serialize();
    for change in changes {
        let first = change.bytes.get(..TRAP.len()).unwrap_or_default();
        put(change.address, first);
    }
    sys::serialize();
    for [address, _] in WRITTEN.iter().take(changes.len()) {
        address.store(0, Ordering::Release);
    }
    put_those
}

/// Whether two changes can be written as one: they are in order, and in the same page or in neighbors.
fn are_near(one: &Change, next: &Change) -> bool {
    let last = one.address.wrapping_add(JUMP - 1);
    let page = |address: usize| address / PAGE;
    last < next.address && page(next.address) <= page(last).wrapping_add(1)
}

/// Writes changes that are near one another: a system call for each would take most of the time.
fn put_all(changes: &[Change]) -> Result<(), OutOfMemory> {
    put_together(changes).or_else(|_| {
        let each = changes.iter();
        let each = each.map(|change| code::write(change.address, &change.bytes));
        each.fold(Ok(()), Result::and)
    })
}

fn put_together(changes: &[Change]) -> Result<(), OutOfMemory> {
    let (Some(first), Some(last)) = (changes.first(), changes.last()) else {
        return Ok(());
    };
    let size = last.address.wrapping_add(JUMP).wrapping_sub(first.address);
    let mut text = filled(size, || 0)?;
    code::read(first.address, &mut text).map_err(|_| OutOfMemory)?;
    for change in changes {
        let place = change.address.wrapping_sub(first.address);
        let there = text.iter_mut().skip(place);
        there.zip(change.bytes).for_each(|(to, byte)| *to = byte);
    }
    code::write(first.address, &text)
}

/// The detour of a window that is being written. Callable in probe context.
pub fn detour_at(pc: usize) -> Option<usize> {
    let mut all = WRITTEN.iter();
    let [_, detour] = all.find(|[address, _]| address.load(Ordering::Acquire) == pc)?;
    Some(detour.load(Ordering::Relaxed))
}
