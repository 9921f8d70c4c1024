//! The process's code: text, and memory for code of ours.
//!
//! Text is written through `/proc/self/mem`: into private copies of its pages, as a debugger does it,
//! whatever access they have. So no page is ever writable and executable, and none changes its access
//! while other threads run.

use core::sync::atomic::{AtomicI32, Ordering};

use engine_isa::Unreadable;
use engine_tracer::OutOfMemory;

use crate::maps;
use crate::sys::{self, Fd};

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

/// Reads memory.
pub fn read(address: usize, bytes: &mut [u8]) -> Result<(), Unreadable> {
    match sys::read_at(memory(), bytes, address) {
        Ok(length) if length == bytes.len() => Ok(()),
        _ => Err(Unreadable),
    }
}

/// Writes memory, whatever access it has.
pub fn write(address: usize, bytes: &[u8]) -> Result<(), OutOfMemory> {
    match sys::write_at(memory(), bytes, address) {
        Ok(length) if length == bytes.len() => Ok(()),
        _ => Err(OutOfMemory),
    }
}

/// Maps memory for code as near as there is room, where `behind` it so many bytes are free.
pub fn map_near(near: usize, size: usize, behind: usize) -> Result<usize, OutOfMemory> {
    /// Another thread may map what was free.
    const TRIES: usize = 8;
    for _ in 0..TRIES {
        let start = maps::free_range(near, size.wrapping_add(behind)).ok_or(OutOfMemory)?;
        if sys::map_code(start, size).is_ok() {
            return Ok(start);
        }
    }
    Err(OutOfMemory)
}
