//! Arming and disarming of sites in processes.

use engine_isa::{Arch, Plan};

use super::{Pid, Site};
use crate::grow::push;
use crate::platform::{Patched, Platform, Space, UserPatch};
use crate::site::word;

impl<A: Arch> Pid<A> {
    /// Computes how many active ECBs each site has.
    pub(super) fn count_sites(&mut self) {
        self.sites.iter_mut().for_each(|site| site.ecbs = 0);
        for probe in self.probes.iter().filter(|probe| probe.ecbs > 0) {
            let uses = probe.uses.start as usize..probe.uses.end as usize;
            for one in self.uses.get(uses).unwrap_or_default() {
                if let Some(site) = self.sites.get_mut(one.site as usize) {
                    site.ecbs = site.ecbs.saturating_add(probe.ecbs);
                }
            }
        }
    }

    /// Whether a trap is in place.
    pub fn is_any_armed(&self) -> bool {
        self.sites.iter().any(|site| site.is_armed)
    }

    /// Whether a trap is in place that no ECB wants.
    pub fn is_any_stuck(&self) -> bool {
        self.sites
            .iter()
            .any(|site| site.is_armed && site.ecbs == 0)
    }

    /// Whether a trap is to be written.
    pub fn is_any_due(&self) -> bool {
        self.sites.iter().any(is_due)
    }

    /// Writes the displaced text back where no ECB is left.
    pub(super) fn restore<P: Platform>(&mut self, platform: &P) {
        let trap = word(A::TRAP);
        self.patch(
            platform,
            |_, site| (site.is_armed && site.ecbs == 0).then(|| (trap, displaced(site))),
            // What is not our trap any more is not ours to undo.
            |site, patched| site.is_armed = patched == Patched::Unwritable,
        );
    }

    /// Writes the traps, where the instruction still is the planned one.
    pub(super) fn write_traps<P: Platform>(&mut self, platform: &P) {
        let trap = word(A::TRAP);
        self.patch(
            platform,
            |space, site| {
                let is_planned = is_due(site) && is_as_planned(platform, space, site);
                is_planned.then(|| (displaced(site), trap))
            },
            |site, patched| site.is_armed = patched == Patched::Written,
        );
    }

    /// For each process: replaces, at each of its sites for which `wanted` returns two words, the
    /// first by the second, and passes the site and the outcome to `done`.
    fn patch<P: Platform>(
        &mut self,
        platform: &P,
        wanted: impl Fn(Space, &Site<A>) -> Option<(u32, u32)>,
        done: impl Fn(&mut Site<A>, Patched),
    ) {
        for (number, process) in self.processes.iter().enumerate() {
            let Some(space) = process.space else { continue };
            let is_its = |site: &Site<A>| site.process as usize == number;
            self.patches.clear();
            // Ordered by address, as a page is prepared once for consecutive patches.
            for place in &self.order {
                let site = self.sites.get(*place as usize).filter(|site| is_its(site));
                let Some((site, words)) = site.and_then(|site| Some((site, wanted(space, site)?)))
                else {
                    continue;
                };
                let (expected, word) = words;
                // Within the reserved capacity.
                let patch = UserPatch {
                    address: site.address,
                    expected,
                    word,
                    outcome: Patched::Written,
                };
                let _ = push(&mut self.patches, patch);
            }
            if self.patches.is_empty() {
                continue;
            }
            platform.space_patch(space, &mut self.patches);
            let mut patches = self.patches.iter().peekable();
            for place in &self.order {
                let site = self.sites.get_mut(*place as usize);
                let Some(site) = site.filter(|site| is_its(site)) else {
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

/// Whether what the trap will not be compared with when it is written is as planned, too: the rest of
/// a longer instruction.
fn is_as_planned<A: Arch, P: Platform>(platform: &P, space: Space, site: &Site<A>) -> bool {
    let length = A::length(&A::plan(&site.text, A::KERNEL));
    if length <= A::TRAP.len() {
        return true;
    }
    let mut there = A::Text::default();
    let planned = site.text.as_ref().get(..length);
    let read = there.as_mut().get_mut(..length);
    read.zip(planned).is_some_and(|(read, planned)| {
        platform.space_read(space, site.address, read).is_ok() && read == planned
    })
}

/// Whether the displaced instruction can be executed: a relocated one needs a slot.
pub(super) fn can_displace<A: Arch>(site: &Site<A>) -> bool {
    match A::plan(&site.text, A::KERNEL) {
        Plan::Emulate(_) => true,
        Plan::Relocate(_) => site.slot.is_some(),
        Plan::Refuse(_) => false,
    }
}

/// The bytes that the site's trap displaces.
fn displaced<A: Arch>(site: &Site<A>) -> u32 {
    word(site.text.as_ref().get(..A::TRAP.len()).unwrap_or_default())
}
