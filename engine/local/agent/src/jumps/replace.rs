//! Overwrites windows.

use core::sync::atomic::{AtomicUsize, Ordering};

use crate::arch::frame::TRAP;
use crate::arch::windows::{self, JUMP};
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
pub fn replace(changes: &[Change], is_stopped: bool) {
    let put = |address: usize, bytes: &[u8]| {
        let _ = code::write(address, bytes);
    };
    if is_stopped {
        for change in changes {
            put(change.address, &change.bytes);
        }
        return;
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
}

/// The detour of a window that is being written. Callable in probe context.
pub fn detour_at(pc: usize) -> Option<usize> {
    let mut all = WRITTEN.iter();
    let [_, detour] = all.find(|[address, _]| address.load(Ordering::Acquire) == pc)?;
    Some(detour.load(Ordering::Relaxed))
}
