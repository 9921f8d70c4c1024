//! Dynamic linkers that consumers watch: they call a function when objects have been mapped or
//! unmapped, whose first instruction has a site.

use alloc::vec::Vec;

use engine_abi::{PidProbes, PidRange};
use engine_isa::Arch;

use super::Pid;
use super::create::Created;
use super::held::WATCHES_MAX;
use super::process::{Process, bit};
use crate::error::Error;
use crate::grow::{OutOfMemory, push};
use crate::platform::{Platform, Space};
use crate::site::reason::Reason;

/// A linker that is watched.
#[derive(Debug)]
pub struct Hook {
    site: u32,
    /// The consumers that watch, one bit each.
    holders: u32,
}

/// Where a trap is in place, and which.
type Armed = (usize, &'static [u8]);

impl<A: Arch> Pid<A> {
    /// Has `consumer` watch the function that `request` names.
    pub fn watch<P: Platform>(
        &mut self,
        platform: &P,
        consumer: usize,
        request: &PidProbes,
    ) -> Result<Created, Error> {
        let watches = self.hooks.iter().map(|hook| hook.holders.count_ones());
        if watches.sum::<u32>() as usize >= WATCHES_MAX {
            return Err(Error::NoRoom);
        }
        let (process, body) = self.examine(platform, consumer, request)?;
        let planned = body.and_then(|body| body.plan(0).map(|_| body));
        let body = match planned {
            Ok(body) => body,
            Err(reason) => return Ok(refusal(reason)),
        };
        let names = [request.description.module(), request.description.function()];
        let size = request.size as usize;
        let function = self.function(process, names, body.address, size)?;
        let new_sites = self.new_sites(function, &body, &[(0, None)])?;
        self.charge_sites(process, new_sites)?;
        let site = self.site(function, &body, 0)?;
        let holder = bit(consumer);
        match self.hooks.iter_mut().find(|hook| hook.site == site) {
            Some(hook) => hook.holders |= holder,
            None => push(
                &mut self.hooks,
                Hook {
                    site,
                    holders: holder,
                },
            )?,
        }
        Ok(Created {
            provided: 1,
            ..Created::default()
        })
    }

    /// The address spaces that a consumer watches, and what it calls their processes.
    pub fn watched(&self, consumer: usize) -> impl Iterator<Item = (Space, u32)> {
        let hooks = self.hooks.iter();
        let own = hooks.filter(move |hook| hook.holders & bit(consumer) != 0);
        own.filter_map(|hook| {
            let site = self.sites.get(hook.site as usize)?;
            let process = self.processes.get(site.process as usize)?;
            Some((process.space?, process.pid))
        })
    }

    /// Whether an address space is open.
    pub fn has_space(&self, key: usize) -> bool {
        let mut spaces = self.processes.iter().filter_map(|process| process.space);
        spaces.any(|space| space.key == key)
    }

    /// The consumer watches nothing any more.
    pub fn stop_watching(&mut self, consumer: usize) {
        for hook in &mut self.hooks {
            hook.holders &= !bit(consumer);
        }
        self.hooks.retain(|hook| hook.holders != 0);
    }

    /// The linker of a process that is gone is gone with it.
    pub(super) fn forget_hooks(&mut self, process: u32) {
        let sites = &self.sites;
        self.hooks.retain(|hook| {
            let site = sites.get(hook.site as usize);
            site.is_some_and(|site| site.process != process)
        });
    }

    /// Adds to their sites the consumers that watch.
    pub(super) fn count_hooks(&mut self) {
        for hook in &self.hooks {
            let watching = hook.holders.count_ones();
            if let Some(site) = self.sites.get_mut(hook.site as usize) {
                site.ecbs = site.ecbs.saturating_add(watching);
                site.is_hook = true;
            }
        }
    }

    /// The process has unmapped what was in `range`: the functions there have no probes any more,
    /// unless a trap is still in place.
    pub fn unmapped<P: Platform>(
        &mut self,
        platform: &P,
        consumer: usize,
        range: &PidRange,
    ) -> Result<(), Error> {
        let is_its = |process: &Process| process.is_of(consumer, range.pid);
        let process = self.processes.iter().position(is_its);
        let process = process.ok_or(Error::NotFound)?;
        let space = self.processes.get(process).and_then(|it| it.space);
        let space = space.ok_or(Error::NotFound)?;
        for (number, armed) in self.armed_in(process as u32, range)? {
            let is_in_place = armed.is_some_and(|it| has_trap(platform, space, it));
            if let Some(function) = self.functions.get_mut(number as usize) {
                function.is_gone = !is_in_place;
            }
        }
        self.lower_unmapped(platform, process as u32);
        Ok(())
    }

    /// The functions in a range, each with the address and the trap of one of its armed sites, if it has
    /// any.
    fn armed_in(
        &self,
        process: u32,
        range: &PidRange,
    ) -> Result<Vec<(u32, Option<Armed>)>, OutOfMemory> {
        let mut within = Vec::new();
        for (number, function) in (0..).zip(&self.functions) {
            let offset = (function.address as u64).wrapping_sub(range.address);
            if function.process == process && !function.is_gone && offset < range.size {
                push(&mut within, (number, None))?;
            }
        }
        for probe in &self.probes {
            let of = |(number, _): &(u32, Option<Armed>)| *number;
            let place = within.binary_search_by_key(&probe.function, of);
            let Some((_, armed)) = place.ok().and_then(|place| within.get_mut(place)) else {
                continue;
            };
            let uses = self.uses_of(probe).iter();
            let mut sites = uses.filter_map(|one| self.sites.get(one.site as usize));
            let found = sites.find(|site| site.is_armed);
            *armed = found.map(|site| (site.address, site.trap())).or(*armed);
        }
        Ok(within)
    }
}

fn refusal(reason: Reason) -> Created {
    Created {
        provided: 0,
        refused: 1,
        reason: Some(reason),
    }
}

/// Whether a trap is in the text.
fn has_trap<P: Platform>(platform: &P, space: Space, (address, trap): Armed) -> bool {
    let mut text = [0; size_of::<u32>()];
    let there = text.get_mut(..trap.len());
    there.is_some_and(|there| platform.space_read(space, address, there).is_ok() && there == trap)
}
