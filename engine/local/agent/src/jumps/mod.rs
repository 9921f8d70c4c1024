//! Jumps in place of traps: a **window** of a function's instructions is overwritten by a jump to a
//! **detour**, which fires the sites in the window and executes its instructions out of line.
//!
//! The engine knows nothing of this. It asks for traps, and reads text in which there are none but
//! those that are traps ([`overlay`]). A site that no jump can be placed for gets its trap: which
//! these are, `arch` says, as it makes the detours.
//!
//! Where a site's clauses do nothing but to count, the detour itself counts its hits, and the agent fires
//! them together, before anyone asks for what was counted ([`take_tallies`]).
//!
//! Only the agent gets here, but for [`detour_at`], which threads ask that have hit a trap while a
//! window is written.

mod regions;
mod replace;

use alloc::collections::BTreeMap;
use alloc::vec::Vec;
use core::ops::Range;
use core::sync::atomic::{AtomicBool, Ordering};

use engine_tracer::{Lock, OutOfMemory, Patched, UserPatch, filled};

use crate::arch::windows::{self, BEFORE, Body, JUMP};
use crate::code;
use crate::detour::{Form, Site};
use crate::mapping::Mapping;
use crate::maps;
use crate::sync::Control;
use crate::tally::Tally;
use regions::Regions;
pub use replace::detour_at;
use replace::{BATCH, Change, replace};

/// What is known of the process's text.
struct Known {
    /// The functions that the command has named: address and size.
    functions: BTreeMap<usize, usize>,
    /// The windows in place, by address.
    windows: BTreeMap<usize, Window>,
    regions: Regions,
    mappings: Vec<Mapping>,
    /// The mappings whose guards are in place.
    guarded: Vec<Range<usize>>,
    /// The detours of all guards that there have been, by address and what they have copies of: a thread can
    /// wait in one for long, so their memory is not used again.
    guards: BTreeMap<(usize, Vec<u8>), usize>,
    guard_regions: Regions,
    forms: Forms,
}

/// Tells what is done at the hits of sites, in order.
pub type Forms = fn(&[UserPatch]) -> Vec<Form>;

/// A window.
struct Window {
    /// Bytes of the instructions that it displaces.
    length: usize,
    /// What the jump overwrites.
    original: [u8; JUMP],
    detour: usize,
    sites: Vec<Place>,
    is_guard: bool,
}

/// A site in a window.
struct Place {
    address: usize,
    is_armed: bool,
    /// What its hits are counted in, if they are only counted.
    tally: Option<Tally>,
}

impl Window {
    fn site(&mut self, address: usize) -> Option<&mut Place> {
        self.sites.iter_mut().find(|it| it.address == address)
    }

    fn has(&self, address: usize) -> bool {
        self.sites.iter().any(|it| it.address == address)
    }
}

static KNOWN: Control<Known> = Control::of(Known {
    functions: BTreeMap::new(),
    windows: BTreeMap::new(),
    regions: Regions::NONE,
    mappings: Vec::new(),
    guarded: Vec::new(),
    guards: BTreeMap::new(),
    guard_regions: Regions::NONE,
    forms: |_| Vec::new(),
});

static ARE_WANTED: AtomicBool = AtomicBool::new(false);

/// Whether no thread of the process runs.
static IS_STOPPED: AtomicBool = AtomicBool::new(false);

/// Chooses between jumps and traps.
pub fn want(are_wanted: bool) {
    ARE_WANTED.store(are_wanted, Ordering::Relaxed);
}

/// Whether jumps are chosen, where they can be.
pub fn are_wanted() -> bool {
    ARE_WANTED.load(Ordering::Relaxed)
}

/// Does `work` while no thread of the process runs, if jumps are wanted: the command has stopped it.
/// `forms` tells what is done at the hits of sites that are armed meanwhile.
pub fn while_stopped<R>(forms: Forms, work: impl FnOnce() -> R) -> R {
    KNOWN.with(|known| known.forms = forms);
    IS_STOPPED.store(are_wanted(), Ordering::Relaxed);
    let done = work();
    IS_STOPPED.store(false, Ordering::Relaxed);
    done
}

/// The process has unmapped this range: something else may be there by now.
pub fn forget(range: &Range<usize>) {
    let is_apart = |it: &Range<usize>| it.end <= range.start || range.end <= it.start;
    KNOWN.with(|known| {
        known.functions.retain(|start, _| !range.contains(start));
        known.windows.retain(|start, _| !range.contains(start));
        known.mappings.retain(|mapping| is_apart(&mapping.range));
        known.guarded.retain(is_apart);
    });
}

/// The command has named a function.
pub fn add_function(address: u64, size: u64) {
    let (address, size) = (address as usize, size as usize);
    KNOWN.with(|known| known.functions.insert(address, size));
}

/// Puts what jumps have overwritten into a copy of text that was read at `address`.
pub fn overlay(address: usize, bytes: &mut [u8]) {
    KNOWN.with(|known| put_original(&known.windows, address, bytes));
}

fn put_original(windows: &BTreeMap<usize, Window>, address: usize, bytes: &mut [u8]) {
    let first = address.saturating_sub(JUMP);
    let end = address.saturating_add(bytes.len());
    for (start, window) in windows.range(first..end) {
        for (place, byte) in (*start..).zip(window.original) {
            let to = place.checked_sub(address).and_then(|at| bytes.get_mut(at));
            if let Some(to) = to {
                *to = byte;
            }
        }
    }
}

/// Takes what the tallies have counted: sites, and their hits.
pub fn take_tallies() -> Vec<(usize, u64)> {
    KNOWN.with(|known| {
        let sites = known.windows.values().flat_map(|window| &window.sites);
        let tallies = sites.filter_map(|site| Some((site.address, site.tally?.take())));
        tallies.filter(|(_, hits)| *hits != 0).collect()
    })
}

/// Arms sites by jumps, as far as they can be; returns those that are left for traps.
pub fn arm<'a>(patches: &'a mut [UserPatch]) -> Vec<&'a mut UserPatch> {
    let mut rest = Vec::new();
    // A thread could be in the middle of what a jump overwrites.
    if !IS_STOPPED.load(Ordering::Relaxed) {
        rest.extend(patches.iter_mut());
        return rest;
    }
    KNOWN.with(|known| {
        let (mut placed, mut jumped) = (Vec::new(), Vec::new());
        let mut forms = (known.forms)(patches).into_iter();
        let mut patches = patches.iter_mut().peekable();
        while let Some(first) = patches.next() {
            let form = forms.next().unwrap_or(Form::Fired);
            let Some(function) = known.function_of(first.address) else {
                rest.push(first);
                continue;
            };
            let mut own: Vec<(&'a mut UserPatch, Form)> = alloc::vec![(first, form)];
            while let Some(next) = patches.next_if(|it| function.contains(&it.address)) {
                own.push((next, forms.next().unwrap_or(Form::Fired)));
            }
            known.arm_function(&function, own, &mut placed, [&mut jumped, &mut rest]);
        }
        // What could not be written is gone from the windows.
        let _ = known.write(&placed);
        for patch in jumped {
            match known.window_of(patch.address) {
                Some(_) => patch.outcome = Patched::Written,
                None => rest.push(patch),
            }
        }
    });
    rest
}

/// Has the process never block the signal of traps.
///
/// # Errors
/// It may, as some of its text could not be changed.
pub fn guard() -> Result<(), OutOfMemory> {
    KNOWN.with(Known::guard)
}

/// Whether control does not come to this address, as a guard's detour has a copy of what is there.
pub fn is_guarded(address: usize) -> bool {
    KNOWN.with(|known| {
        let mut mappings = known.mappings.iter();
        let there = mappings.find(|it| it.range.contains(&address));
        there.is_some_and(|it| it.has_guard(&(address..address.saturating_add(1))))
    })
}

/// Takes the guards away. No trap is left.
pub fn unguard() {
    KNOWN.with(|known| {
        let idle = known
            .windows
            .iter()
            .filter(|(_, window)| window.sites.is_empty());
        let idle: Vec<usize> = idle.map(|(start, _)| *start).collect();
        known.remove(&idle);
        known.functions.clear();
        known.mappings.clear();
        known.guarded.clear();
    });
}

/// Where detours are.
pub fn regions() -> Vec<Range<usize>> {
    KNOWN.with(|known| known.regions.ranges().collect())
}

/// Uses the memory of detours anew: none is in use, and no thread is in one.
pub fn recycle() {
    KNOWN.with(|known| {
        known.regions.recycle();
    });
}

/// Disarms sites that are armed by jumps; returns the others.
pub fn disarm<'a>(patches: impl Iterator<Item = &'a mut UserPatch>) -> Vec<&'a mut UserPatch> {
    KNOWN.with(|known| {
        let mut rest = Vec::new();
        let mut idle = Vec::new();
        for patch in patches {
            let Some((start, window)) = known.window_of(patch.address) else {
                rest.push(patch);
                continue;
            };
            if let Some(site) = window.site(patch.address) {
                site.is_armed = false;
            }
            if window.sites.iter().all(|site| !site.is_armed) {
                idle.push(start);
            }
            patch.outcome = Patched::Written;
        }
        known.remove(&idle);
        rest
    })
}

impl Known {
    /// The function that a site is in, if that is known.
    fn function_of(&self, address: usize) -> Option<Range<usize>> {
        let before = self.functions.range(..=address).next_back();
        let extent = before.map(|(start, size)| *start..start.saturating_add(*size));
        extent.filter(|extent| extent.contains(&address))
    }

    /// The window that fires this instruction.
    fn window_of(&mut self, address: usize) -> Option<(usize, &mut Window)> {
        let last = address.saturating_add(BEFORE);
        let mut near = self
            .windows
            .range_mut(..=last)
            .rev()
            .take(1 + BEFORE / JUMP);
        let own = near.find(|(_, window)| window.has(address));
        own.map(|(start, window)| (*start, window))
    }

    /// Makes windows for the sites of a function, and adds each patch to those that have one or to those
    /// that are left.
    fn arm_function<'a>(
        &mut self,
        function: &Range<usize>,
        patches: Vec<(&'a mut UserPatch, Form)>,
        placed: &mut Vec<usize>,
        [jumped, rest]: [&mut Vec<&'a mut UserPatch>; 2],
    ) {
        let (mut new, mut sites) = (Vec::new(), Vec::new());
        for (patch, form) in patches {
            match self.window_of(patch.address) {
                Some((_, window)) => {
                    // No consumer enables a site anew: its clauses are those that it had.
                    if let Some(site) = window.site(patch.address) {
                        site.is_armed = true;
                    }
                    patch.outcome = Patched::Written;
                }
                None => {
                    let address = patch.address;
                    sites.push(Site { address, form });
                    new.push(patch);
                }
            }
        }
        let first = placed.len();
        let _ = self.place(function, &sites, placed);
        for patch in new {
            let added = placed.get(first..).unwrap_or_default();
            let is_placed = added.iter().any(|start| {
                let window = self.windows.get(start);
                window.is_some_and(|it| it.has(patch.address))
            });
            let bytes = patch.address..patch.address.saturating_add(1);
            match (is_placed, has_window(&self.windows, &bytes)) {
                (true, _) => jumped.push(patch),
                // In the middle of a jump there is no place for a trap.
                (false, true) => patch.outcome = Patched::Unwritable,
                (false, false) => rest.push(patch),
            }
        }
    }

    /// Makes windows for sites of a function, as far as there can be any, with their detours; adds
    /// them to `placed`.
    fn place(
        &mut self,
        function: &Range<usize>,
        sites: &[Site],
        placed: &mut Vec<usize>,
    ) -> Result<(), OutOfMemory> {
        if sites.is_empty() {
            return Ok(());
        }
        let next = self.functions.range(function.end..).next();
        let next = next.map(|(start, _)| *start);
        let is_in = |it: &Mapping| it.range.contains(&function.start);
        if !self.mappings.iter().any(is_in) {
            let range = maps::mapping_of(function.start).ok_or(OutOfMemory)?;
            self.read_mapping(range)?;
        }
        let mapping = self.mappings.iter().find(|it| is_in(it));
        let mapping = mapping.ok_or(OutOfMemory)?;
        let mut there = filled(function.len(), || 0)?;
        code::read(function.start, &mut there).map_err(|_| OutOfMemory)?;
        put_original(&self.windows, function.start, &mut there);
        // Other code may be there by now.
        if there != mapping.text(function.clone()) {
            return Ok(());
        }
        let body = Body::of(mapping, function, next);
        let addresses: Vec<usize> = sites.iter().map(|site| site.address).collect();
        let windows = body.windows(&addresses, mapping.targets_in(function));
        for window in windows {
            let bytes = window.start..window.start.saturating_add(window.length.max(JUMP));
            // Its detour would make the call without the guard, or control does not come to it.
            if has_window(&self.windows, &bytes) || mapping.has_guard(&bytes) {
                continue;
            }
            let own = sites.iter().filter(|site| window.fires(site.address));
            let own: Vec<Site> = own.cloned().collect();
            let code = |at, region| body.detour(&window, &own, at, region);
            if let Some((detour, tallies)) = self.regions.put(window.start, code) {
                let tally = |of: &Site| tallies.iter().find(|(site, _)| *site == of.address);
                let place = |site: &Site| Place {
                    address: site.address,
                    is_armed: true,
                    tally: tally(site).map(|(_, tally)| *tally),
                };
                let window_of = Window {
                    length: window.length,
                    original: body.original(window.start),
                    detour,
                    sites: own.iter().map(place).collect(),
                    is_guard: false,
                };
                self.windows.insert(window.start, window_of);
                placed.push(window.start);
            }
        }
        Ok(())
    }

    /// Reads a mapping.
    fn read_mapping(&mut self, range: Range<usize>) -> Result<(), OutOfMemory> {
        let mut code = filled(range.len(), || 0)?;
        code::read(range.start, &mut code).map_err(|_| OutOfMemory)?;
        put_original(&self.windows, range.start, &mut code);
        self.mappings.push(Mapping::new(range, code));
        Ok(())
    }

    /// Writes the guards of mappings that have none yet.
    ///
    /// # Errors
    /// Some could not be written.
    fn guard(&mut self) -> Result<(), OutOfMemory> {
        let mappings = maps::of_files().ok_or(OutOfMemory)?;
        let guarded = self.guarded.len();
        let mut placed = Vec::new();
        for range in mappings {
            if self.guarded.contains(&range) {
                continue;
            }
            let is_it = |it: &Mapping| it.range == range;
            if !self.mappings.iter().any(is_it) && self.read_mapping(range.clone()).is_err() {
                continue;
            }
            let Some(mapping) = self.mappings.iter().find(|it| is_it(it)) else {
                continue;
            };
            for guard in mapping.guards() {
                let bytes = guard.start..guard.start.saturating_add(JUMP);
                if has_window(&self.windows, &bytes) {
                    continue;
                }
                let code = |at, region| guard.detour(at, region);
                let key = (guard.start, mapping.text(guard.copied()).to_vec());
                let detour = match self.guards.get(&key) {
                    Some(detour) => Some(*detour),
                    None => self.guard_regions.put(guard.start, code).map(|put| put.0),
                };
                if let Some(detour) = detour {
                    self.guards.insert(key, detour);
                    let window = Window {
                        length: JUMP,
                        original: guard.original(),
                        detour,
                        sites: Vec::new(),
                        is_guard: true,
                    };
                    self.windows.insert(guard.start, window);
                    placed.push(guard.start);
                }
            }
            self.guarded.push(range);
        }
        // What could not be written is tried again.
        self.write(&placed)
            .inspect_err(|_| self.guarded.truncate(guarded))
    }

    /// Writes the jumps of these windows, and forgets those that cannot be written. No thread is inside of
    /// one, but threads may come.
    ///
    /// # Errors
    /// Some were not written.
    fn write(&mut self, placed: &[usize]) -> Result<(), OutOfMemory> {
        let flushed = self.regions.flush().and(self.guard_regions.flush());
        if flushed.is_err() {
            for start in placed {
                self.windows.remove(start);
            }
            // The detours of some may be among what was not written.
            self.guards.clear();
            return flushed;
        }
        let mut all = Ok(());
        for batch in placed.chunks(BATCH) {
            let windows = batch
                .iter()
                .filter_map(|start| Some((*start, self.windows.get(start)?)));
            let changes = windows.map(|(start, window)| Change {
                address: start,
                detour: window.detour,
                before: window.original,
                bytes: windows::jump(start, window.detour),
                is_one: window.is_guard,
            });
            let changes: Vec<Change> = changes.collect();
            let replaced = replace(&changes, IS_STOPPED.load(Ordering::Relaxed));
            if replaced.is_err() {
                for change in changes.iter().filter(|it| !it.is_in_place()) {
                    self.windows.remove(&change.address);
                }
            }
            all = all.and(replaced);
        }
        all
    }

    /// Puts the instructions back. A jump that stays leads to a detour that fires nothing.
    fn remove(&mut self, idle: &[usize]) {
        for batch in idle.chunks(BATCH) {
            let windows = batch
                .iter()
                .filter_map(|start| self.windows.remove_entry(start));
            let changes = windows.map(|(start, window)| Change {
                address: start,
                detour: window.detour,
                before: windows::jump(start, window.detour),
                bytes: window.original,
                is_one: window.is_guard,
            });
            let mut changes: Vec<Change> = changes.collect();
            if changes.iter().any(Change::is_hidden) {
                code::keep();
            }
            // What is not our jump any more is not ours to undo.
            changes.retain(Change::is_in_place);
            let replaced = replace(&changes, IS_STOPPED.load(Ordering::Relaxed));
            // Not what has gone away with its mapping.
            let stays = |change: &Change| change.is_in_place() || change.is_hidden();
            if replaced.is_err() && changes.iter().any(stays) {
                code::keep();
            }
        }
    }
}

/// Whether a window overlaps these bytes.
fn has_window(windows: &BTreeMap<usize, Window>, bytes: &Range<usize>) -> bool {
    let before = windows.range(..bytes.end).next_back();
    before
        .is_some_and(|(start, window)| start.saturating_add(window.length.max(JUMP)) > bytes.start)
}
