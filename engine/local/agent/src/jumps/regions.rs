//! Memory for detours, near what they are for.

use alloc::vec::Vec;
use core::ops::Range;

use engine_tracer::OutOfMemory;

use crate::arch::windows;
use crate::code;

/// Memory for detours.
pub struct Regions(Vec<Region>);

/// A part of it, which is near what it is for.
struct Region {
    start: usize,
    used: usize,
    /// The last of what is used, not written yet.
    pending: Vec<u8>,
}

/// Size of a region.
const REGION: usize = 256 << 10;

impl Regions {
    /// Without any.
    pub const NONE: Self = Self(Vec::new());

    /// Where they are.
    pub fn ranges(&self) -> impl Iterator<Item = Range<usize>> {
        let extent = |region: &Region| region.start..region.start.wrapping_add(REGION);
        self.0.iter().map(extent)
    }

    /// Uses all of them anew.
    pub fn recycle(&mut self) {
        for region in &mut self.0 {
            region.used = windows::GATE;
        }
    }

    /// Writes the code for an address and a region to a region near `near`; returns where it is to be
    /// entered. The code comes with the offset of that.
    pub fn put(
        &mut self,
        near: usize,
        code: impl Fn(usize, usize) -> Option<(Vec<u8>, usize)>,
    ) -> Option<usize> {
        let has_room = |region: &&mut Region| {
            region.start.abs_diff(near) < windows::REACH
                && region.used.saturating_add(windows::DETOUR_MAX) <= REGION
        };
        if !self.0.iter_mut().any(|region| has_room(&region)) {
            let start = map_region(near).ok()?;
            self.0.push(Region {
                start,
                used: windows::GATE,
                pending: Vec::new(),
            });
        }
        let region = self.0.iter_mut().find(has_room)?;
        let at = region.start.wrapping_add(region.used);
        let (mut code, entry) = code(at, region.start)?;
        code.resize(code.len().next_multiple_of(16), 0);
        region.used = region.used.wrapping_add(code.len());
        region.pending.append(&mut code);
        Some(at.wrapping_add(entry))
    }

    /// Writes what is pending.
    pub fn flush(&mut self) {
        for region in &mut self.0 {
            let end = region.start.wrapping_add(region.used);
            let pending = core::mem::take(&mut region.pending);
            let _ = code::write(end.wrapping_sub(pending.len()), &pending);
        }
    }
}

/// Maps a region, and writes its gate: the code by which all its detours get to the agent's.
fn map_region(near: usize) -> Result<usize, OutOfMemory> {
    let start = code::map_near(near, REGION)?;
    code::write(start, &windows::gate())?;
    Ok(start)
}
