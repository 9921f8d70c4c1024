//! The pid part of the live table.

use alloc::vec::Vec;
use core::sync::atomic::{AtomicUsize, Ordering};

use engine_abi::Operand;
use engine_isa::body::Leaves;
use engine_isa::{Arch, Plan};

use super::arm::can_displace;
use super::{Kind, Pid};
use crate::fire::table::Table;
use crate::grow::{OutOfMemory, push};
use crate::probe::names::Span;
use crate::providers::Published;
use crate::site::live::{Located, Sites};
use crate::site::resume::Resume;
use crate::sort::sort_by_key;

/// An enabled probe.
#[derive(Debug)]
pub struct Probe {
    /// Its index in the table.
    pub probe: u32,
    /// Names of its provider, module and function, and its own.
    pub names: [Span; 4],
    /// Address of its function.
    pub function: usize,
    /// The function's size in bytes.
    size: usize,
}

impl Probe {
    /// Whether an address is in its function.
    pub fn has(&self, address: usize) -> bool {
        address.wrapping_sub(self.function) < self.size
    }
}

/// An enabled probe's place at a site.
#[derive(Debug, Clone, Copy)]
pub struct Use {
    /// Index of the probe in [`Live::probes`].
    pub probe: u32,
    /// How the instruction leaves the function, for a `return` probe.
    pub leaves: Option<Leaves>,
    /// Where the arguments are, if the program says so.
    operands: Option<Operands>,
}

impl Use {
    /// Whether the program names it.
    pub fn is_named(&self) -> bool {
        self.operands.is_some()
    }
}

/// A place's operands in [`Live::operands`].
#[derive(Debug, Clone, Copy)]
struct Operands {
    first: u32,
    count: u32,
}

/// An armed site, as the fire path sees it.
pub struct Site<A: Arch> {
    /// The key of its address space, and its address in it.
    pub place: (usize, usize),
    /// How to continue after a hit.
    pub resume: Resume<A::Emulation>,
    /// How its text is encoded.
    pub mode: A::Mode,
    /// Index of the first of its uses.
    first: u32,
    /// The number of them.
    count: u32,
    /// Whether consumers watch it.
    pub is_hook: bool,
    /// Hits; several CPUs may add at once.
    pub hits: AtomicUsize,
}

impl<A: Arch> Located for Site<A> {
    type Place = (usize, usize);

    fn place(&self) -> Self::Place {
        self.place
    }

    /// An address space's key is that of an allocation, so its lowest bits are constant. Sites of one
    /// space are as far apart as their addresses are.
    fn bits((space, address): Self::Place) -> u32 {
        (address as u32).wrapping_add((space >> 4) as u32)
    }
}

/// The sites to look up, and the probes at them.
pub struct Live<A: Arch> {
    /// The sites, including those that are still armed but no longer wanted.
    pub sites: Sites<Site<A>>,
    uses: Vec<Use>,
    operands: Vec<Operand>,
    probes: Vec<Probe>,
}

impl<A: Arch> Live<A> {
    /// Builds it, and stores in each probe its index here.
    pub fn of(pid: &mut Pid<A>, table: &mut Table) -> Result<Self, OutOfMemory> {
        let is_live = |site: &&super::Site<A>| site.is_armed || site.ecbs > 0;
        let mut live = Self {
            sites: Sites::new(pid.sites.iter().filter(is_live).count())?,
            uses: Vec::new(),
            operands: Vec::new(),
            probes: Vec::new(),
        };
        let places = live.add_probes(pid, table)?;
        live.add_sites(pid, &places)?;
        Ok(live)
    }

    /// Index in the table of the probe at `place` here.
    pub fn table_index(&self, place: u32) -> Option<u32> {
        self.probes.get(place as usize).map(|probe| probe.probe)
    }

    /// Indices in the table of all probes.
    pub fn probes(&self) -> impl Iterator<Item = u32> {
        self.probes.iter().map(|probe| probe.probe)
    }

    /// A site's uses, each with its probe.
    pub fn uses(&self, site: &Site<A>) -> impl Iterator<Item = (&Use, &Probe)> {
        let (first, count) = (site.first as usize, site.count as usize);
        let uses = self.uses.get(first..).and_then(|rest| rest.get(..count));
        let uses = uses.unwrap_or_default().iter();
        uses.filter_map(|one| Some((one, self.probes.get(one.probe as usize)?)))
    }

    /// Where a place's arguments are, if the program says so.
    pub fn operands(&self, one: &Use) -> Option<&[Operand]> {
        let Operands { first, count } = one.operands?;
        let operands = self.operands.get(first as usize..);
        Some(
            operands
                .and_then(|rest| rest.get(..count as usize))
                .unwrap_or_default(),
        )
    }

    /// Adds the enabled probes; returns their places, ordered by site. Entries come first, returns
    /// last.
    fn add_probes(
        &mut self,
        pid: &mut Pid<A>,
        table: &mut Table,
    ) -> Result<Vec<(u32, Use)>, OutOfMemory> {
        let mut places = Vec::new();
        for number in 0..pid.probes.len() {
            let added = self.add_probe(pid, table, number)?;
            let Some(probe) = pid.probes.get_mut(number) else {
                continue;
            };
            probe.live = added;
            let (Some(added), uses) = (added, probe.uses.clone()) else {
                continue;
            };
            let uses = pid.uses.get(uses.start as usize..uses.end as usize);
            for one in uses.unwrap_or_default() {
                let place = Use {
                    probe: added,
                    leaves: one.leaves,
                    operands: self.add_operands(pid, one.note)?,
                };
                push(&mut places, (one.site, place))?;
            }
        }
        sort_by_key(&mut places, |(site, one)| {
            (*site, one.leaves.is_some(), one.probe)
        });
        Ok(places)
    }

    fn add_operands(
        &mut self,
        pid: &Pid<A>,
        note: Option<u32>,
    ) -> Result<Option<Operands>, OutOfMemory> {
        let Some(note) = note.and_then(|number| pid.notes.get(number as usize)) else {
            return Ok(None);
        };
        let first = self.operands.len() as u32;
        let operands = note.operands.start as usize..note.operands.end as usize;
        for operand in pid.operands.get(operands).unwrap_or_default() {
            push(&mut self.operands, *operand)?;
        }
        let count = (self.operands.len() as u32).wrapping_sub(first);
        Ok(Some(Operands { first, count }))
    }

    /// Adds a probe, if it is enabled; returns its place.
    fn add_probe(
        &mut self,
        pid: &Pid<A>,
        table: &mut Table,
        number: usize,
    ) -> Result<Option<u32>, OutOfMemory> {
        let probe = pid.probes.get(number).filter(|probe| probe.ecbs > 0);
        let function = pid.function_of(number).filter(|it| !it.is_gone);
        let (Some(probe), Some(function), Some(process)) =
            (probe, function, pid.process_of(number))
        else {
            return Ok(None);
        };
        let provider = match probe.kind {
            Kind::Usdt(provider) => provider,
            _ => process.name,
        };
        let mut names = [provider, function.module, function.name, probe.name];
        for name in &mut names {
            *name = table.add_name(pid.names.get(*name))?;
        }
        let live = Probe {
            probe: table.add_probe(number, probe.ecbs)?,
            names,
            function: function.address,
            size: function.size,
        };
        push(&mut self.probes, live)?;
        Ok(Some(self.probes.len().wrapping_sub(1) as u32))
    }

    fn add_sites(&mut self, pid: &Pid<A>, places: &[(u32, Use)]) -> Result<(), OutOfMemory> {
        let mut places = places.iter().peekable();
        for (number, site) in (0..).zip(&pid.sites) {
            let first = self.uses.len() as u32;
            while let Some((_, one)) = places.next_if(|(of, _)| *of == number) {
                push(&mut self.uses, *one)?;
            }
            let count = (self.uses.len() as u32).wrapping_sub(first);
            let process = pid.processes.get(site.process as usize);
            let space = process.and_then(|process| process.space);
            let (Some(space), true) = (space, site.is_armed || site.ecbs > 0) else {
                continue;
            };
            if !can_displace(site) {
                continue;
            }
            self.sites.add(Site {
                place: (space.key, site.address),
                resume: resume_of(site),
                mode: site.mode,
                first,
                count,
                is_hook: site.is_hook,
                hits: AtomicUsize::new(0),
            })?;
        }
        Ok(())
    }
}

fn resume_of<A: Arch>(site: &super::Site<A>) -> Resume<A::Emulation> {
    match site.plan() {
        Plan::Emulate(emulation) => Resume::Emulate(emulation),
        Plan::Relocate(_) | Plan::Refuse(_) => site.slot.map_or(Resume::On, Resume::Slot),
    }
}

impl<A: Arch> Published for Live<A> {
    fn bytes(&self) -> usize {
        let uses = self.uses.capacity().wrapping_mul(size_of::<Use>());
        let probes = self.probes.capacity().wrapping_mul(size_of::<Probe>());
        let sites = self.sites.bytes();
        let operands = self.operands.capacity();
        let operands = operands.wrapping_mul(size_of::<Operand>());
        let all = sites.wrapping_add(uses).wrapping_add(probes);
        all.wrapping_add(operands)
    }
}

impl<A: Arch> Pid<A> {
    /// Adds up the hits of a replaced table, in which no CPU counts any more.
    pub fn save_hits(&mut self, old: &Live<A>) {
        for site in &mut self.sites {
            let process = self.processes.get(site.process as usize);
            let Some(space) = process.and_then(|process| process.space) else {
                continue;
            };
            if let Some(hit) = old.sites.find((space.key, site.address)) {
                let hits = hit.hits.load(Ordering::Relaxed);
                site.hits = site.hits.wrapping_add(hits as u64);
            }
        }
    }
}
