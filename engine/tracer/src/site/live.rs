//! Armed sites, hashed by address.

use alloc::vec::Vec;
use core::sync::atomic::AtomicUsize;

use engine_isa::Arch;
use engine_isa::body::Leaves;

use super::resume::Resume;
use crate::grow::{OutOfMemory, filled, push};

/// An armed site, as the fire path sees it.
pub struct Site<A: Arch> {
    /// Its address, or that of the ftrace call that reports it.
    pub address: usize,
    /// How to continue after a hit.
    pub resume: Resume<A::Emulation>,
    /// Index of its function in the live table.
    pub function: u32,
    /// Indices of the function's probes in the table, by role. They are copies, so that a hit reads
    /// no more than the site.
    pub probes: [u32; 2],
    /// Offset from the function's start, in bytes.
    pub offset: usize,
    /// Whether it is the function's entry.
    pub is_entry: bool,
    /// How it leaves the function, if it does.
    pub leaves: Option<Leaves>,
    /// Hits; several CPUs may add at once.
    pub hits: AtomicUsize,
}

/// Something at an address, by which hits look it up.
pub trait Located {
    /// An address, in one address space or in one of many.
    type Place: Copy + PartialEq;

    /// Where it is.
    fn place(&self) -> Self::Place;

    /// The bits of the place that differ most between sites.
    fn bits(place: Self::Place) -> u32;
}

impl<A: Arch> Located for Site<A> {
    type Place = usize;

    fn place(&self) -> usize {
        self.address
    }

    fn bits(address: usize) -> u32 {
        address as u32
    }
}

/// The least size of the hash table. In a smaller one, two sites fewer than 34 bytes apart can meet at
/// one place; each hit of the second takes 17 instructions more then (x86-64, `scenarios/pid/cost.yaml`).
const PLACES: usize = 64;

/// A set of armed sites, looked up by address.
pub struct Sites<S> {
    sites: Vec<S>,
    /// Open-addressed hash table with linear probing: a site's index plus one, or 0. At least half
    /// of it is empty.
    index: Vec<u32>,
    /// Right shift from the hash to an index.
    shift: u32,
}

impl<S: Located> Sites<S> {
    /// Allocates a set with room for `sites`.
    pub fn new(sites: usize) -> Result<Self, OutOfMemory> {
        let places = sites.saturating_mul(2).max(PLACES);
        let places = places.checked_next_power_of_two().ok_or(OutOfMemory)?;
        let mut all = Vec::new();
        all.try_reserve_exact(sites).map_err(|_| OutOfMemory)?;
        Ok(Self {
            sites: all,
            index: filled(places, || 0)?,
            shift: u32::BITS.wrapping_sub(places.trailing_zeros()),
        })
    }

    /// Adds a site whose address is not in the set yet.
    pub fn add(&mut self, site: S) -> Result<(), OutOfMemory> {
        let place = self.places(site.place()).find(|place| {
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

    /// Finds the site at `address`.
    pub fn find(&self, address: S::Place) -> Option<&S> {
        for place in self.places(address) {
            let number = (*self.index.get(place)? as usize).checked_sub(1)?;
            let site = self.sites.get(number)?;
            if site.place() == address {
                return Some(site);
            }
        }
        None
    }

    /// Size in bytes.
    pub fn bytes(&self) -> usize {
        let sites = self.sites.capacity().wrapping_mul(size_of::<S>());
        let index = self.index.capacity().wrapping_mul(size_of::<u32>());
        sites.wrapping_add(index)
    }

    /// The probe sequence of an address.
    fn places(&self, address: S::Place) -> impl Iterator<Item = usize> + use<S> {
        // Fibonacci hashing: the product's upper bits depend on all lower bits of the address.
        const MIX: u32 = 0x9e37_79b1;
        let first = S::bits(address).wrapping_mul(MIX) >> self.shift;
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
            probes: [0; 2],
            offset: 0,
            is_entry: true,
            leaves: None,
            hits: AtomicUsize::new(0),
        }
    }

    #[test]
    fn two_sites_of_a_short_function_never_meet() {
        let entries = (0..512).map(|number| 0xc000_0000 + 4099 * number);
        let meet = |entry: usize| {
            let live = Sites::<Site<Arm>>::new(2).unwrap();
            let first = |address| live.places(address).next();
            (1..34).any(|distance| first(entry) == first(entry + distance))
        };
        assert_eq!(entries.filter(|entry| meet(*entry)).count(), 0);
    }

    #[test]
    fn each_site_is_found_and_nothing_else() {
        for (count, step) in [(0, 4), (1, 4), (2, 1), (1000, 1), (1000, 4), (1000, 4096)] {
            let mut live = Sites::new(count).unwrap();
            for number in 0..count {
                live.add(site(0xc000_0000 + 2 * number * step)).unwrap();
            }
            for number in 0..count {
                let address = 0xc000_0000 + 2 * number * step;
                assert_eq!(live.find(address).unwrap().address, address);
                assert!(live.find(address + step).is_none());
            }
            assert!(live.find(0).is_none());
        }
    }
}
