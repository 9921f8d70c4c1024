//! The armed sites, as traps see them: an immutable table, ordered by address.

use alloc::vec::Vec;

use crate::grow::{OutOfMemory, push};

/// An armed instruction.
#[derive(Debug, Clone, Copy)]
pub struct Site<E> {
    /// Where it is.
    pub address: usize,
    /// What the handler does in its place.
    pub emulation: E,
    first: usize,
    ecbs: usize,
}

/// An enabling of a probe by a consumer, as far as firing needs it.
#[derive(Debug, Clone, Copy)]
pub struct LiveEcb {
    /// The consumer's number.
    pub consumer: usize,
    /// The consumer's ID for this enabling.
    pub epid: u32,
}

/// All armed sites and their ECBs.
#[derive(Debug)]
pub struct Live<E> {
    sites: Vec<Site<E>>,
    ecbs: Vec<LiveEcb>,
}

impl<E: Copy> Live<E> {
    /// A table without sites.
    pub fn new() -> Self {
        Self {
            sites: Vec::new(),
            ecbs: Vec::new(),
        }
    }

    /// Adds the site behind those already there, with room for this many ECBs.
    pub fn add_site(&mut self, address: usize, emulation: E, ecbs: u32) -> Result<(), OutOfMemory> {
        let first = self.ecbs.len();
        push(
            &mut self.sites,
            Site {
                address,
                emulation,
                first,
                ecbs: 0,
            },
        )?;
        let vacant = LiveEcb {
            consumer: usize::MAX,
            epid: 0,
        };
        (0..ecbs).try_for_each(|_| push(&mut self.ecbs, vacant))
    }

    /// Puts an ECB into the room of its site; nothing where there is no such site.
    pub fn add_ecb(&mut self, address: usize, ecb: LiveEcb) {
        let Ok(index) = self.index(address) else {
            return;
        };
        let Some(site) = self.sites.get_mut(index) else {
            return;
        };
        if let Some(room) = self.ecbs.get_mut(site.first.wrapping_add(site.ecbs)) {
            *room = ecb;
            site.ecbs = site.ecbs.wrapping_add(1);
        }
    }

    /// The site at `address`, and its ECBs.
    pub fn site(&self, address: usize) -> Option<(&Site<E>, &[LiveEcb])> {
        let site = self.sites.get(self.index(address).ok()?)?;
        Some((site, self.ecbs.get(site.first..)?.get(..site.ecbs)?))
    }

    fn index(&self, address: usize) -> Result<usize, usize> {
        self.sites
            .binary_search_by_key(&address, |site| site.address)
    }
}
