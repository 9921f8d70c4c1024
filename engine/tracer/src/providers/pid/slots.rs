//! Slots in a process: copies of displaced instructions, in pages mapped near the sites.
//!
//! A slot is never reused: what a thread in it executes must not change under it. The pages are
//! unmapped when the process has no armed site any more, and threads that are in them are moved to
//! the instruction that the slot is for, or behind it.

use alloc::vec::Vec;

use engine_isa::{Arch, Plan};

use super::{Pid, Site};
use crate::grow::{OutOfMemory, push};
use crate::platform::{InSlot, Platform, Space};

/// A page of slots.
#[derive(Debug)]
struct Page {
    address: usize,
    /// Bytes in use.
    used: usize,
}

/// The pages of a process.
#[derive(Debug, Default)]
pub struct Slots {
    pages: Vec<Page>,
}

impl Slots {
    /// Writes a slot for the instruction of a site; none if it needs none, or none can be near enough.
    fn take<A: Arch, P: Platform>(
        &mut self,
        platform: &P,
        space: Space,
        of: &Site<A>,
    ) -> Result<Option<usize>, OutOfMemory> {
        let Plan::Relocate(relocation) = of.plan() else {
            return Ok(None);
        };
        let site = of.address;
        let next = site.wrapping_add(of.length());
        let code = |slot| Some((slot, A::slot(relocation, slot, site, next)?));
        let size = A::slot_size(of.mode);
        let Some((slot, code)) = self.place_for(platform, space, site, size, code)? else {
            return Ok(None);
        };
        let in_slot = InSlot {
            slot,
            size,
            site,
            next,
            site_status: A::status(of.mode),
            next_status: A::status(A::next_mode(&of.text, of.mode)),
        };
        platform.slots_write(space, &in_slot, code.as_ref())?;
        Ok(Some(slot))
    }

    /// Finds a place that `code` can be at: in a page that there is, or in a new one.
    fn place_for<P: Platform, C>(
        &mut self,
        platform: &P,
        space: Space,
        site: usize,
        size: usize,
        code: impl Fn(usize) -> Option<(usize, C)>,
    ) -> Result<Option<(usize, C)>, OutOfMemory> {
        // The others are full, or near another object.
        let mut pages = self.pages.iter_mut().rev();
        let found = pages.find_map(|page| page.take::<P, C>(size, &code));
        if found.is_some() {
            return Ok(found);
        }
        let address = platform.slots_map(space, site)?;
        push(&mut self.pages, Page { address, used: 0 })?;
        let page = self.pages.last_mut();
        Ok(page.and_then(|page| page.take::<P, C>(size, &code)))
    }
}

impl Page {
    fn take<P: Platform, C>(
        &mut self,
        size: usize,
        code: impl Fn(usize) -> Option<(usize, C)>,
    ) -> Option<(usize, C)> {
        let end = self.used.wrapping_add(size);
        if end > P::SLOTS {
            return None;
        }
        let found = code(self.address.wrapping_add(self.used))?;
        self.used = end;
        Some(found)
    }
}

impl<A: Arch> Pid<A> {
    /// Allocates a slot for each site that is wanted and needs one.
    pub(super) fn assign_slots<P: Platform>(&mut self, platform: &P) -> Result<(), OutOfMemory> {
        for site in &mut self.sites {
            let process = self.processes.get_mut(site.process as usize);
            let Some((process, space)) = process.and_then(|it| it.space.map(|space| (it, space)))
            else {
                continue;
            };
            if site.ecbs == 0 || site.is_armed || site.slot.is_some() {
                continue;
            }
            let slots = &mut process.slots;
            match slots.take(platform, space, site) {
                Ok(slot) => site.slot = slot,
                // Then there is no memory to map a page into, and none is needed.
                Err(OutOfMemory) if platform.space_is_gone(space) => {}
                Err(OutOfMemory) => return Err(OutOfMemory),
            }
        }
        Ok(())
    }

    /// Unmaps the slots of processes in which nothing is armed or wanted. The live table no longer
    /// names them.
    pub(super) fn release_slots<P: Platform>(&mut self, platform: &P) {
        for number in 0..self.processes.len() {
            let in_use = |site: &Site<A>| site.is_armed || site.ecbs > 0;
            let mut sites = self.sites.iter();
            if sites.any(|site| site.process as usize == number && in_use(site)) {
                continue;
            }
            let Some(process) = self.processes.get_mut(number) else {
                continue;
            };
            let slots = core::mem::take(&mut process.slots);
            if let Some(space) = process.space.filter(|_| !slots.pages.is_empty()) {
                platform.slots_unmap(space);
            }
            let sites = self.sites.iter_mut();
            let own = sites.filter(|site| site.process as usize == number);
            own.for_each(|site| site.slot = None);
        }
    }
}
