//! Arming and disarming of sites in processes.

use core::ops::Range;

use engine_isa::{Arch, Plan};

use super::semaphores::Semaphore;
use super::{Pid, Probe, Site};
use crate::grow::push;
use crate::platform::{Patched, Platform, Space, UserPatch};
use crate::site::word;
use crate::sort::sort_by_key;

impl<A: Arch> Pid<A> {
    /// Orders the sites by process and address, with those that were created since.
    pub(super) fn order_sites(&mut self) {
        let sites = &self.sites;
        sort_by_key(&mut self.order, |number| {
            let site = sites.get(*number as usize);
            site.map_or((u32::MAX, usize::MAX), |site| (site.process, site.address))
        });
    }

    /// The ordered sites of a process.
    fn order_of(&self, process: u32) -> Range<usize> {
        let of = |number: &u32| self.sites.get(*number as usize).map(|site| site.process);
        let first = self
            .order
            .partition_point(|number| of(number) < Some(process));
        let end = self
            .order
            .partition_point(|number| of(number) <= Some(process));
        first..end
    }

    /// Computes how many active ECBs each site has.
    pub(super) fn count_sites(&mut self) {
        for site in &mut self.sites {
            (site.ecbs, site.is_hook) = (0, false);
        }
        let functions = &self.functions;
        let is_there = |probe: &&Probe| {
            let function = functions.get(probe.function as usize);
            probe.ecbs > 0 && function.is_some_and(|function| !function.is_gone)
        };
        for probe in self.probes.iter().filter(is_there) {
            let uses = probe.uses.start as usize..probe.uses.end as usize;
            for one in self.uses.get(uses).unwrap_or_default() {
                if let Some(site) = self.sites.get_mut(one.site as usize) {
                    site.ecbs = site.ecbs.saturating_add(probe.ecbs);
                }
            }
        }
        self.count_hooks();
        self.count_semaphores();
    }

    /// Whether a trap is in place, or a semaphore is raised.
    pub fn is_any_armed(&self) -> bool {
        self.sites.iter().any(|site| site.is_armed) || self.has_semaphore(|_, it| it.is_raised())
    }

    /// Whether a trap is in place, or a semaphore raised, that no ECB wants.
    pub fn is_any_stuck(&self) -> bool {
        let is_stuck = |site: &Site<A>| site.is_armed && site.ecbs == 0;
        self.sites.iter().any(is_stuck)
            || self.has_semaphore(|_, it| it.is_raised() && !it.is_wanted())
    }

    /// Whether a trap is to be written, or a semaphore to be raised.
    pub fn is_any_due(&self) -> bool {
        let is_due_semaphore = |_, it: &Semaphore| it.is_wanted() && !it.is_raised();
        self.sites.iter().any(is_due) || self.has_semaphore(is_due_semaphore)
    }

    /// Writes the displaced text back where no ECB is left.
    pub(super) fn restore<P: Platform>(&mut self, platform: &P) {
        self.patch(
            platform,
            false,
            |_, site| site.is_armed && site.ecbs == 0,
            // What is not our trap any more is not ours to undo.
            |site, patched| site.is_armed = patched == Patched::Unwritable,
        );
    }

    /// Writes the traps, where the instruction still is the planned one.
    pub(super) fn write_traps<P: Platform>(&mut self, platform: &P) {
        let mut window = Window::new();
        self.patch(
            platform,
            true,
            |space, site| is_due(site) && window.is_as_planned(platform, space, site),
            |site, patched| site.is_armed = patched == Patched::Written,
        );
    }

    /// For each process: replaces, at each of its sites that is `wanted`, the instruction by the trap, or
    /// the trap by the instruction, and passes the site and the outcome to `done`.
    fn patch<P: Platform>(
        &mut self,
        platform: &P,
        are_traps: bool,
        mut wanted: impl FnMut(Space, &Site<A>) -> bool,
        done: impl Fn(&mut Site<A>, Patched),
    ) {
        for (number, process) in (0..).zip(&self.processes) {
            let Some(space) = process.space else { continue };
            let order = self.order.get(self.order_of(number)).unwrap_or_default();
            self.patches.clear();
            // Ordered by address, as a page is prepared once for consecutive patches.
            for place in order {
                let site = self.sites.get(*place as usize);
                let Some(site) = site.filter(|site| wanted(space, site)) else {
                    continue;
                };
                // Within the reserved capacity.
                let _ = push(&mut self.patches, patch_of(site, are_traps));
            }
            if self.patches.is_empty() {
                continue;
            }
            platform.space_patch(space, &mut self.patches, are_traps);
            let mut patches = self.patches.iter().peekable();
            for place in order {
                let Some(site) = self.sites.get_mut(*place as usize) else {
                    continue;
                };
                if let Some(patch) = patches.next_if(|patch| patch.address == site.address) {
                    done(site, patch.outcome);
                }
            }
        }
    }
}

fn is_due<A: Arch>(site: &Site<A>) -> bool {
    site.ecbs > 0 && !site.is_armed && can_displace(site)
}

/// Some text of a process, read at one time.
struct Window {
    space: Option<Space>,
    start: usize,
    length: usize,
    bytes: [u8; 256],
}

impl Window {
    const fn new() -> Self {
        Self {
            space: None,
            start: 0,
            length: 0,
            bytes: [0; 256],
        }
    }

    /// Whether the rest of an instruction is as planned. What its trap replaces is compared when that
    /// is written.
    fn is_as_planned<A: Arch, P: Platform>(
        &mut self,
        platform: &P,
        space: Space,
        site: &Site<A>,
    ) -> bool {
        let length = site.length();
        if length <= site.trap().len() {
            return true;
        }
        let planned = site.text.as_ref().get(..length);
        let is_there = |window: &Self| {
            window.space.filter(|its| *its == space)?;
            let place = site.address.wrapping_sub(window.start);
            let end = place.checked_add(length)?;
            let there = window.bytes.get(..window.length)?.get(place..end)?;
            Some(Some(there) == planned)
        };
        if let Some(is_there) = is_there(self) {
            return is_there;
        }
        // Behind a page that is not mapped there may be nothing more to read.
        self.read(platform, space, site.address, self.bytes.len());
        if self.length == 0 {
            self.read(platform, space, site.address, length);
        }
        is_there(self).unwrap_or(false)
    }

    fn read<P: Platform>(&mut self, platform: &P, space: Space, start: usize, length: usize) {
        let to = self.bytes.get_mut(..length).unwrap_or_default();
        let is_read = platform.space_read(space, start, to).is_ok();
        let length = if is_read { length } else { 0 };
        (self.space, self.start, self.length) = (Some(space), start, length);
    }
}

/// Whether the displaced instruction can be executed: a relocated one needs a slot.
pub(super) fn can_displace<A: Arch>(site: &Site<A>) -> bool {
    match site.plan() {
        Plan::Emulate(_) => true,
        Plan::Relocate(_) => site.slot.is_some(),
        Plan::Refuse(_) => false,
    }
}

/// Writes the trap of a site, or what it displaces.
fn patch_of<A: Arch>(site: &Site<A>, is_trap: bool) -> UserPatch {
    let trap = site.trap();
    let displaced = site.text.as_ref().get(..trap.len()).unwrap_or_default();
    let (expected, written) = match is_trap {
        true => (displaced, trap),
        false => (trap, displaced),
    };
    UserPatch {
        address: site.address,
        expected: word(expected),
        word: word(written),
        length: trap.len() as u32,
        outcome: Patched::Written,
    }
}
