//! What is armed, as traps and ticks see it: an immutable table, in which a trap finds its site by its
//! address, and a tick its timer by its number.

use alloc::vec::Vec;
use core::sync::atomic::AtomicUsize;

use engine_isa::Arch;
use engine_isa::body::Leaves;

use crate::grow::{OutOfMemory, filled, push};
use crate::probe::ecb::Enabling;
use crate::probe::names::{Names, Span};
use crate::providers::proc::Proc;
use crate::providers::profile;
use crate::providers::syscall::index::Syscalls;
use crate::site::resume::Resume;

/// An enabling of a probe by a consumer, as far as firing needs it.
#[derive(Debug, Clone, Copy)]
pub struct LiveEcb {
    /// The consumer's number.
    pub consumer: usize,
    /// What the consumer's session knows it by.
    pub enabling: Enabling,
}

/// A probe that fires: its ID, and where its ECBs are.
#[derive(Debug)]
pub struct Probe {
    /// Its ID.
    pub id: u32,
    first: u32,
    /// For how many there is room.
    room: u32,
    ecbs: u32,
}

/// A function that has sites.
#[derive(Debug)]
pub struct Function {
    /// The names of its module and of itself.
    pub names: [Span; 2],
    /// The numbers of its probes, by their roles.
    pub probes: [u32; 2],
}

/// An armed instruction.
pub struct Site<A: Arch> {
    /// Where it is, or the function tracer's call that tells of it.
    pub address: usize,
    /// What is done in its place.
    pub resume: Resume<A::Emulation>,
    /// The number of its function.
    pub function: u32,
    /// How far it is from the function's begin.
    pub offset: usize,
    /// Whether it is the function's entry.
    pub is_entry: bool,
    /// How it leaves the function, where it does.
    pub leaves: Option<Leaves>,
    /// How often it was hit. CPUs may add to it at once.
    pub hits: AtomicUsize,
}

/// A timer that runs.
#[derive(Debug, Clone, Copy)]
pub struct Timer {
    /// Its number.
    pub number: u32,
    /// The probe's name.
    pub name: profile::Name,
    /// The number of its probe.
    pub probe: u32,
}

/// All that is armed.
pub struct Live<A: Arch> {
    /// Instructions, with the index below.
    sites: Vec<Site<A>>,
    /// The number of a site and one, at the place that its address says, or behind what was there already.
    /// At most every other place is taken.
    index: Vec<u32>,
    /// How far an address is to be shifted to say a place.
    shift: u32,
    functions: Vec<Function>,
    timers: Vec<Timer>,
    syscalls: Syscalls,
    /// The numbers of the probes of what processes live through.
    processes: [u32; Proc::ALL.len()],
    probes: Vec<Probe>,
    ecbs: Vec<LiveEcb>,
    names: Names,
}

impl<A: Arch> Live<A> {
    /// One with room for so many sites.
    pub fn new(sites: usize) -> Result<Self, OutOfMemory> {
        let places = sites.saturating_mul(2).max(2).checked_next_power_of_two();
        let places = places.ok_or(OutOfMemory)?;
        let mut all = Vec::new();
        all.try_reserve_exact(sites).map_err(|_| OutOfMemory)?;
        Ok(Self {
            sites: all,
            index: filled(places, || 0)?,
            shift: u32::BITS.wrapping_sub(places.trailing_zeros()),
            functions: Vec::new(),
            timers: Vec::new(),
            syscalls: Syscalls::default(),
            processes: [u32::MAX; Proc::ALL.len()],
            probes: Vec::new(),
            ecbs: Vec::new(),
            names: Names::default(),
        })
    }

    /// Adds a probe, with room for so many ECBs; its number.
    pub fn add_probe(&mut self, id: u32, room: u32) -> Result<u32, OutOfMemory> {
        let probe = Probe {
            id,
            first: self.ecbs.len() as u32,
            room,
            ecbs: 0,
        };
        let vacant = LiveEcb {
            consumer: usize::MAX,
            enabling: Enabling { epid: 0, clause: 0 },
        };
        (0..room).try_for_each(|_| push(&mut self.ecbs, vacant))?;
        push(&mut self.probes, probe)?;
        Ok(self.probes.len().wrapping_sub(1) as u32)
    }

    /// Puts an ECB into the room of the probe of that number, behind those that it has.
    pub fn put(&mut self, probe: u32, ecb: LiveEcb) {
        let Some(probe) = self.probes.get_mut(probe as usize) else {
            return;
        };
        let place = probe.first.wrapping_add(probe.ecbs) as usize;
        if probe.ecbs < probe.room
            && let Some(room) = self.ecbs.get_mut(place)
        {
            *room = ecb;
            probe.ecbs = probe.ecbs.wrapping_add(1);
        }
    }

    /// Adds a name.
    pub fn add_name(&mut self, name: &[u8]) -> Result<Span, OutOfMemory> {
        self.names.add(name)
    }

    /// The names that were added.
    pub fn names(&self) -> &Names {
        &self.names
    }

    /// Adds a function; its number.
    pub fn add_function(&mut self, function: Function) -> Result<u32, OutOfMemory> {
        push(&mut self.functions, function)?;
        Ok(self.functions.len().wrapping_sub(1) as u32)
    }

    /// The function of that number.
    pub fn function(&self, number: u32) -> Option<&Function> {
        self.functions.get(number as usize)
    }

    /// Adds an instruction, of which there is none yet.
    pub fn add_site(&mut self, site: Site<A>) -> Result<(), OutOfMemory> {
        let place = self.places(site.address).find(|place| {
            let taken = self.index.get(*place);
            taken.is_none_or(|taken| *taken == 0)
        });
        push(&mut self.sites, site)?;
        let number = self.sites.len() as u32;
        if let Some(place) = place.and_then(|place| self.index.get_mut(place)) {
            *place = number;
        }
        Ok(())
    }

    /// Adds a timer.
    pub fn add_timer(&mut self, timer: Timer) -> Result<(), OutOfMemory> {
        push(&mut self.timers, timer)
    }

    /// The system calls.
    pub fn syscalls(&self) -> &Syscalls {
        &self.syscalls
    }

    /// The system calls, to have more.
    pub fn syscalls_mut(&mut self) -> &mut Syscalls {
        &mut self.syscalls
    }

    /// The number of that probe; of none, where it has no ECBs.
    pub fn process(&self, probe: Proc) -> u32 {
        let number = self.processes.get(probe as usize);
        number.copied().unwrap_or(u32::MAX)
    }

    /// Says which number that probe has.
    pub fn set_process(&mut self, probe: Proc, number: u32) {
        if let Some(place) = self.processes.get_mut(probe as usize) {
            *place = number;
        }
    }

    /// The instruction at that address.
    pub fn site(&self, address: usize) -> Option<&Site<A>> {
        for place in self.places(address) {
            let number = (*self.index.get(place)? as usize).checked_sub(1)?;
            let site = self.sites.get(number)?;
            if site.address == address {
                return Some(site);
            }
        }
        None
    }

    /// The timer of that number.
    pub fn timer(&self, number: u32) -> Option<&Timer> {
        let mut timers = self.timers.iter();
        timers.find(|timer| timer.number == number)
    }

    /// The probe of that number, and its ECBs, ordered by their consumers; nothing where it has none.
    pub fn probe(&self, number: u32) -> Option<(&Probe, &[LiveEcb])> {
        let probe = self.probes.get(number as usize)?;
        let ecbs = self.ecbs.get(probe.first as usize..)?;
        let ecbs = ecbs.get(..probe.ecbs as usize)?;
        (!ecbs.is_empty()).then_some((probe, ecbs))
    }

    /// How much memory it takes.
    pub fn bytes(&self) -> usize {
        let sites = self.sites.capacity().wrapping_mul(size_of::<Site<A>>());
        let index = self.index.capacity().wrapping_mul(size_of::<u32>());
        let ecbs = self.ecbs.capacity().wrapping_mul(size_of::<LiveEcb>());
        let functions = self
            .functions
            .capacity()
            .wrapping_mul(size_of::<Function>());
        let probes = self.probes.capacity().wrapping_mul(size_of::<Probe>());
        let rest = self.syscalls.bytes().wrapping_add(self.names.len());
        [sites, index, functions, probes, ecbs, rest]
            .into_iter()
            .sum()
    }

    /// Where an address may be looked for, one place after the other.
    fn places(&self, address: usize) -> impl Iterator<Item = usize> + use<A> {
        // The golden ratio's bits: a product's upper bits depend on all of the address below them.
        const MIX: u32 = 0x9e37_79b1;
        let first = (address as u32).wrapping_mul(MIX) >> self.shift;
        let mask = self.index.len().wrapping_sub(1);
        (0..self.index.len()).map(move |further| (first as usize).wrapping_add(further) & mask)
    }
}

#[cfg(test)]
mod tests {
    use engine_isa::arm::Arm;

    use super::*;

    fn site(address: usize) -> Site<Arm> {
        Site {
            address,
            resume: Resume::On,
            function: 0,
            offset: 0,
            is_entry: true,
            leaves: None,
            hits: AtomicUsize::new(0),
        }
    }

    #[test]
    fn each_site_is_found_and_nothing_else() {
        for (count, step) in [(0, 4), (1, 4), (2, 1), (1000, 1), (1000, 4), (1000, 4096)] {
            let mut live = Live::new(count).unwrap();
            for number in 0..count {
                live.add_site(site(0xc000_0000 + 2 * number * step))
                    .unwrap();
            }
            for number in 0..count {
                let address = 0xc000_0000 + 2 * number * step;
                assert_eq!(live.site(address).unwrap().address, address);
                assert!(live.site(address + step).is_none());
            }
            assert!(live.site(0).is_none());
        }
    }

    #[test]
    fn a_probe_has_the_ecbs_that_were_put_into_its_room() {
        let mut live: Live<Arm> = Live::new(0).unwrap();
        let [one, two] = [2, 1].map(|room| live.add_probe(7, room).unwrap());
        let ecb = |epid| LiveEcb {
            consumer: 0,
            enabling: Enabling { epid, clause: 0 },
        };
        for (probe, epid) in [(one, 1), (two, 2), (one, 3), (two, 4)] {
            live.put(probe, ecb(epid));
        }
        let epids = |probe| -> Vec<u32> {
            let (_, ecbs) = live.probe(probe).unwrap();
            ecbs.iter().map(|ecb| ecb.enabling.epid).collect()
        };
        assert_eq!((epids(one), epids(two)), (std::vec![1, 3], std::vec![2]));
        assert!(live.probe(9).is_none());
    }
}
