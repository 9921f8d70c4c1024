//! Bounds on the memory of probes in processes.
//!
//! A probe is charged when it is created with all that it takes once it is armed: here, in the live
//! table and in the platform. The charge is a reckoning by sizes. Vectors have up to as much again
//! in reserve, and while a live table is replaced there are two. Private copies of pages of text are
//! the process's own memory, and are not charged.

use engine_isa::Arch;

use super::{Function, Pid, Probe, Site, Use, live};
use crate::error::{Bound, Error};
use crate::fire::table;
use crate::platform::{InSlot, UserPatch};

/// An entry of an index, with its share of what is free.
const INDEXED: usize = 16;

/// A site: in the live table, its slot, and what the platform knows it by.
fn of_site<A: Arch>() -> usize {
    let own = size_of::<Site<A>>() + size_of::<UserPatch>() + 2 * INDEXED;
    own + size_of::<live::Site<A>>() + A::slot_size(A::KERNEL) + size_of::<InSlot>()
}

/// A probe, without its names and places: with one ECB.
const OF_PROBE: usize = size_of::<Probe>()
    + INDEXED
    + size_of::<live::Probe>()
    + size_of::<table::Probe>()
    + size_of::<table::LiveEcb>();

/// A probe's place at a site.
const OF_USE: usize = 2 * (size_of::<Use>() + size_of::<live::Use>());

impl<A: Arch> Pid<A> {
    /// Charges a process for a function.
    pub(super) fn charge_function(&mut self, process: u32, names: [&[u8]; 2]) -> Result<(), Error> {
        let own = size_of::<Function>().saturating_add(INDEXED);
        self.charge(process, own.saturating_add(length(&names)))
    }

    /// Charges the process of a function for a probe with this name, at so many places, of which
    /// some need a new site.
    pub(super) fn charge_probe(
        &mut self,
        function: u32,
        name: &[u8],
        places: usize,
        new_sites: usize,
    ) -> Result<(), Error> {
        let known = self.functions.get(function as usize);
        let known = known.ok_or(Error::NotFound)?;
        let (process, module) = (known.process, self.names.get(known.module));
        // A live table has all names of each probe.
        let names = length(&[name, name, module, self.names.get(known.name)]);
        let sites = new_sites.saturating_mul(of_site::<A>());
        let uses = places.saturating_mul(OF_USE);
        let own = OF_PROBE.saturating_add(names).saturating_add(uses);
        self.charge(process, own.saturating_add(sites))
    }

    /// Charges a process for sites that no probe is charged with.
    pub(super) fn charge_sites(&mut self, process: u32, number: usize) -> Result<(), Error> {
        self.charge(process, number.saturating_mul(of_site::<A>()))
    }

    pub(super) fn charge(&mut self, process: u32, bytes: usize) -> Result<(), Error> {
        let all = self.taken.saturating_add(bytes);
        let process = self.processes.get_mut(process as usize);
        let process = process.ok_or(Error::NotFound)?;
        let own = process.taken.saturating_add(bytes);
        if own > self.bounds.process {
            return Err(Error::Bound(Bound::Process));
        }
        if all > self.bounds.all {
            return Err(Error::Bound(Bound::All));
        }
        (process.taken, self.taken) = (own, all);
        Ok(())
    }
}

fn length(names: &[&[u8]]) -> usize {
    names.iter().map(|name| name.len()).sum()
}
