//! The process's text, and pages for slots.
//!
//! Text is written through `/proc/self/mem`: into private copies of its pages, as a debugger does it,
//! whatever access they have. So no page is ever writable and executable, and none changes its access
//! while other threads run.

use alloc::collections::BTreeMap;
use alloc::vec::Vec;
use core::sync::atomic::{AtomicI32, Ordering};

use engine_isa::Unreadable;
use engine_tracer::{InSlot, Lock, OutOfMemory, Patched, UserPatch, filled};

use crate::maps::PAGE;
use crate::sync::Control;
use crate::sys::{self, Fd};
use crate::{arch, jumps, maps};

/// The length of a trap.
const TRAP: usize = arch::TRAP.len();

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

/// Reads text as it is without our jumps.
pub fn read(address: usize, bytes: &mut [u8]) -> Result<(), Unreadable> {
    read_as_it_is(address, bytes)?;
    jumps::overlay(address, bytes);
    Ok(())
}

/// Reads memory.
pub fn read_as_it_is(address: usize, bytes: &mut [u8]) -> Result<(), Unreadable> {
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

/// Writes patches: all of them traps, or what traps have displaced. Where a jump can take the place of
/// a trap, it does; of the others, each is as long as a trap, so that no thread sees a part of one.
pub fn patch(patches: &mut [UserPatch]) {
    let are_traps = |patch: &UserPatch| patch.word.to_le_bytes().starts_with(arch::TRAP);
    let is_arming = patches.first().is_some_and(are_traps);
    let rest = match is_arming {
        true => jumps::arm(patches),
        false => jumps::disarm(patches),
    };
    if rest.is_empty() {
        return;
    }
    if is_arming {
        jumps::guard();
    }
    for patch in rest {
        patch.outcome = patched(patch);
    }
    sys::serialize();
}

fn patched(patch: &UserPatch) -> Patched {
    let (expected, word) = (patch.expected.to_le_bytes(), patch.word.to_le_bytes());
    let mut there = [0; TRAP];
    if read_as_it_is(patch.address, &mut there).is_err() || !expected.starts_with(&there) {
        return Patched::Different;
    }
    let slot = SLOTS.with(|slots| slots.remove(&patch.address));
    if slot.is_some_and(|(slot, code)| write(slot, &code).is_err()) {
        return Patched::Unwritable;
    }
    let word = word.get(..TRAP).unwrap_or_default();
    match write(patch.address, word) {
        Ok(()) => Patched::Written,
        Err(OutOfMemory) => Patched::Unwritable,
    }
}

/// Memory for pages of slots.
struct Arena {
    next: usize,
    end: usize,
}

static ARENAS: Control<Vec<Arena>> = Control::of(Vec::new());

/// Slots that no trap needs yet: by the address of their site, where they are and their code.
static SLOTS: Control<BTreeMap<usize, (usize, Vec<u8>)>> = Control::of(BTreeMap::new());

/// A page for slots as near as there is room. It is one of many that are mapped at a time.
pub fn page_near(near: usize) -> Result<usize, OutOfMemory> {
    const PAGES: usize = 64;
    ARENAS.with(|arenas| {
        let has_room =
            |arena: &&mut Arena| arena.next < arena.end && arena.next.abs_diff(near) < arch::REACH;
        if let Some(arena) = arenas.iter_mut().find(has_room) {
            let page = arena.next;
            arena.next = page.wrapping_add(PAGE);
            return Ok(page);
        }
        let page = map_near(near, PAGES * PAGE)?;
        arenas.push(Arena {
            next: page.wrapping_add(PAGE),
            end: page.wrapping_add(PAGES * PAGE),
        });
        Ok(page)
    })
}

/// Keeps a slot until a trap needs it: not if a jump takes the place of the trap.
pub fn keep_slot(slot: &InSlot, code: &[u8]) -> Result<(), OutOfMemory> {
    let mut copy = filled(code.len(), || 0)?;
    copy.iter_mut().zip(code).for_each(|(to, from)| *to = *from);
    SLOTS.with(|slots| slots.insert(slot.site, (slot.slot, copy)));
    Ok(())
}

/// Maps memory for code as near as there is room.
pub fn map_near(near: usize, size: usize) -> Result<usize, OutOfMemory> {
    /// Another thread may map what was free.
    const TRIES: usize = 8;
    for _ in 0..TRIES {
        let start = maps::free_range(near, size).ok_or(OutOfMemory)?;
        if sys::map_code(start, size).is_ok() {
            return Ok(start);
        }
    }
    Err(OutOfMemory)
}
