//! The process's text, as the engine sees it: with its traps, and without our jumps; and slots.

use alloc::collections::BTreeMap;
use alloc::vec::Vec;
use core::ops::Range;

use engine_isa::Unreadable;
use engine_tracer::{InSlot, Lock, OutOfMemory, Patched, UserPatch, filled};

use crate::arch::windows;
use crate::maps::PAGE;
use crate::sync::Control;
use crate::{code, jumps, sys};

/// Reads text as it is without our jumps.
pub fn read(address: usize, bytes: &mut [u8]) -> Result<(), Unreadable> {
    code::read(address, bytes)?;
    jumps::overlay(address, bytes);
    Ok(())
}

/// Writes patches: all of them traps, or what traps have displaced. Where a jump can take the place of
/// a trap, it does; of the others, each is as long as a trap, so that no thread sees a part of one.
pub fn patch(patches: &mut [UserPatch], are_traps: bool) {
    let rest = match are_traps {
        true => jumps::arm(patches),
        // Until the live table is published anew, a thread that has hit a window's trap may be sent to a slot.
        false => jumps::disarm(patches.iter_mut().filter_map(with_slot)),
    };
    // Before guards are written, as theirs are traps at first.
    let rest: Vec<&mut UserPatch> = rest.into_iter().filter_map(with_slot).collect();
    if !rest.is_empty() {
        put(rest, are_traps);
    }
    if !are_traps && !patches.iter().all(is_restored) {
        code::keep();
    }
}

/// Writes patches where no jump is.
fn put(patches: Vec<&mut UserPatch>, are_traps: bool) {
    // A thread that blocks the signal of a trap would be killed by it.
    let may_put = !are_traps || jumps::guard().is_ok();
    for patch in patches {
        // A trap that nobody hits would not be told from one that nobody has hit.
        let may_put = may_put && !(are_traps && jumps::is_guarded(patch.address));
        if are_traps && may_put {
            code::expect_hits();
        }
        patch.outcome = match may_put {
            true => patched(patch),
            false => Patched::Unwritable,
        };
    }
    sys::serialize();
}

/// Whether there is no trap of ours any more.
fn is_restored(patch: &UserPatch) -> bool {
    match patch.outcome {
        Patched::Unwritable => false,
        Patched::Different => !code::is_hidden(patch.address),
        _ => true,
    }
}

fn patched(patch: &UserPatch) -> Patched {
    let (expected, word) = (patch.expected.to_le_bytes(), patch.word.to_le_bytes());
    let length = patch.length as usize;
    let mut there = [0; size_of::<u32>()];
    let there = there.get_mut(..length).unwrap_or_default();
    if code::read(patch.address, there).is_err() || !expected.starts_with(there) {
        return Patched::Different;
    }
    let word = word.get(..length).unwrap_or_default();
    match code::write(patch.address, word) {
        Ok(()) => Patched::Written,
        Err(OutOfMemory) => Patched::Unwritable,
    }
}

/// Writes the slot of a patch's site, unless it was. If that fails, the text stays as it is.
fn with_slot(patch: &mut UserPatch) -> Option<&mut UserPatch> {
    let is_written = SLOTS.with(|slots| {
        let slot = slots.get(&patch.address);
        let is_written = slot.is_none_or(|(at, code)| code::write(*at, code).is_ok());
        if is_written {
            slots.remove(&patch.address);
        }
        is_written
    });
    if is_written {
        return Some(patch);
    }
    patch.outcome = Patched::Unwritable;
    None
}

/// Memory for pages of slots.
struct Arena {
    range: Range<usize>,
    next: usize,
}

static ARENAS: Control<Vec<Arena>> = Control::of(Vec::new());

/// Slots that no trap needs yet: by the address of their site, where they are and their code.
static SLOTS: Control<BTreeMap<usize, (usize, Vec<u8>)>> = Control::of(BTreeMap::new());

/// A page for slots as near as there is room. It is one of many that are mapped at a time.
pub fn page_near(near: usize) -> Result<usize, OutOfMemory> {
    const PAGES: usize = 64;
    ARENAS.with(|arenas| {
        let has_room = |arena: &&mut Arena| {
            arena.next < arena.range.end && arena.next.abs_diff(near) < windows::REACH
        };
        if let Some(arena) = arenas.iter_mut().find(has_room) {
            let page = arena.next;
            arena.next = page.wrapping_add(PAGE);
            return Ok(page);
        }
        let page = code::map_near(near, PAGES * PAGE, 0)?;
        arenas.push(Arena {
            range: page..page.wrapping_add(PAGES * PAGE),
            next: page.wrapping_add(PAGE),
        });
        Ok(page)
    })
}

/// Where slots are.
pub fn arenas() -> Vec<Range<usize>> {
    ARENAS.with(|arenas| arenas.iter().map(|arena| arena.range.clone()).collect())
}

/// Uses the memory of slots anew: none is in use, and no thread is in one.
pub fn recycle() {
    SLOTS.with(BTreeMap::clear);
    ARENAS.with(|arenas| {
        for arena in arenas {
            arena.next = arena.range.start;
        }
    });
}

/// Keeps a slot until a trap needs it: not if a jump takes the place of the trap.
pub fn keep_slot(slot: &InSlot, slot_code: &[u8]) -> Result<(), OutOfMemory> {
    let mut copy = filled(slot_code.len(), || 0)?;
    copy.iter_mut()
        .zip(slot_code)
        .for_each(|(to, from)| *to = *from);
    SLOTS.with(|slots| slots.insert(slot.site, (slot.slot, copy)));
    Ok(())
}
