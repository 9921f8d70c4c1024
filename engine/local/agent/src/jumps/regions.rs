//! Memory for detours, near what they are for.

use alloc::vec::Vec;
use core::ops::Range;

use engine_tracer::OutOfMemory;

use crate::arch::windows::{self, REGION, TALLIES};
use crate::code;
use crate::detour::Detour;
use crate::maps;
use crate::tally::{Tallies, Tally};

/// Memory for detours.
pub struct Regions(Vec<Region>);

/// A part of it, which is near what it is for.
struct Region {
    start: usize,
    used: usize,
    /// What is behind it.
    tallies: Tallies,
    /// The last of what is used, not written yet.
    pending: Vec<u8>,
}

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

    /// Writes the detour that is made for an address and a region to a region near `near`; returns where it
    /// is to be entered, and its tallies.
    pub fn put(
        &mut self,
        near: usize,
        detour: impl Fn(usize, usize) -> Option<Detour>,
    ) -> Option<(usize, Vec<(usize, Tally)>)> {
        let has_room = |region: &&mut Region| {
            region.start.abs_diff(near) < windows::REACH
                && region.used.saturating_add(windows::DETOUR_MAX) <= REGION
        };
        if !self.0.iter_mut().any(|region| has_room(&region)) {
            self.0.push(map_region(near).ok()?);
        }
        let region = self.0.iter_mut().find(has_room)?;
        let at = region.start.wrapping_add(region.used);
        let Detour {
            mut code,
            entry,
            tallies,
        } = detour(at, region.start)?;
        code.resize(code.len().next_multiple_of(16), 0);
        region.used = region.used.wrapping_add(code.len());
        region.pending.append(&mut code);
        let tallies = tallies.into_iter();
        let tallies = tallies.map(|(site, number)| Some((site, region.tallies.begin(number)?)));
        Some((at.wrapping_add(entry), tallies.collect::<Option<_>>()?))
    }

    /// Writes what is pending. If that fails, no jump may lead to it.
    pub fn flush(&mut self) -> Result<(), OutOfMemory> {
        let mut flushed = Ok(());
        for region in &mut self.0 {
            let end = region.start.wrapping_add(region.used);
            let pending = core::mem::take(&mut region.pending);
            if !pending.is_empty() {
                flushed = flushed.and(code::write(end.wrapping_sub(pending.len()), &pending));
            }
        }
        flushed
    }
}

/// Maps a region, and writes its gate: the code by which all its detours get to the agent's.
fn map_region(near: usize) -> Result<Region, OutOfMemory> {
    let place = maps::free_range(near, REGION + TALLIES).ok_or(OutOfMemory)?;
    if place.abs_diff(near) >= windows::REACH {
        return Err(OutOfMemory);
    }
    let start = code::map_near(near, REGION, TALLIES)?;
    let tallies = Tallies::map(start.wrapping_add(REGION), TALLIES).map_err(|_| OutOfMemory)?;
    code::write(start, &windows::gate())?;
    Ok(Region {
        start,
        used: windows::GATE,
        tallies,
        pending: Vec::new(),
    })
}
