//! The process's text, and pages for slots.
//!
//! Text is written through `/proc/self/mem`: into private copies of its pages, as a debugger does it,
//! whatever access they have. So no page is ever writable and executable, and none changes its access
//! while other threads run.

use core::sync::atomic::{AtomicI32, Ordering};

use engine_isa::{Arch, Unreadable};
use engine_tracer::{OutOfMemory, Patched, UserPatch};

use crate::arch::Native;
use crate::maps::{self, PAGE};
use crate::sys::{self, Fd};

/// The length of a trap.
const TRAP: usize = <Native as Arch>::TRAP.len();

/// The agent's `/proc/self/mem`.
static MEMORY: AtomicI32 = AtomicI32::new(-1);

/// Opens the memory. Called once, by the agent.
pub fn open() -> bool {
    sys::prepare_to_serialize();
    let opened = sys::open(c"/proc/self/mem", true);
    let opened = opened.map(|Fd(number)| MEMORY.store(number, Ordering::Relaxed));
    opened.is_ok()
}

fn memory() -> Fd {
    Fd(MEMORY.load(Ordering::Relaxed))
}

/// Reads memory as it is.
pub fn read(address: usize, bytes: &mut [u8]) -> Result<(), Unreadable> {
    match sys::read_at(memory(), bytes, address) {
        Ok(length) if length == bytes.len() => Ok(()),
        _ => Err(Unreadable),
    }
}

fn write(address: usize, bytes: &[u8]) -> Result<(), OutOfMemory> {
    match sys::write_at(memory(), bytes, address) {
        Ok(length) if length == bytes.len() => Ok(()),
        _ => Err(OutOfMemory),
    }
}

/// Writes patches, each of which is as long as a trap: no thread sees a part of one.
pub fn patch(patches: &mut [UserPatch]) {
    for patch in patches.iter_mut() {
        patch.outcome = patched(patch);
    }
    sys::serialize();
}

fn patched(patch: &UserPatch) -> Patched {
    let (expected, word) = (patch.expected.to_le_bytes(), patch.word.to_le_bytes());
    let mut there = [0; TRAP];
    if read(patch.address, &mut there).is_err() || !expected.starts_with(&there) {
        return Patched::Different;
    }
    let word = word.get(..TRAP).unwrap_or_default();
    match write(patch.address, word) {
        Ok(()) => Patched::Written,
        Err(OutOfMemory) => Patched::Unwritable,
    }
}

/// Maps a page for slots as near as there is room.
pub fn map_slots(near: usize) -> Result<usize, OutOfMemory> {
    /// Another thread may map what was free.
    const TRIES: usize = 8;
    for _ in 0..TRIES {
        let page = maps::free_page(near).ok_or(OutOfMemory)?;
        if sys::map_code(page, PAGE).is_ok() {
            return Ok(page);
        }
    }
    Err(OutOfMemory)
}

/// Writes a slot that no thread is in yet.
pub fn write_slot(address: usize, code: &[u8]) -> Result<(), OutOfMemory> {
    write(address, code)
}
