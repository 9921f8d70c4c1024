//! The part of the live table that all providers share: enabled probes, their ECBs, and names.

use alloc::vec::Vec;

use crate::grow::{OutOfMemory, push};
use crate::probe::ecb::Enabling;
use crate::probe::names::{Names, Span};

/// An ECB, reduced to what a firing needs.
#[derive(Debug, Clone, Copy)]
pub struct LiveEcb {
    /// The consumer's ID.
    pub consumer: usize,
    /// The ECB in the consumer's session.
    pub enabling: Enabling,
}

/// An enabled probe, and its slice of the ECBs.
#[derive(Debug)]
pub struct Probe {
    /// The probe's ID.
    pub id: u32,
    first: u32,
    /// Capacity of the slice.
    room: u32,
    ecbs: u32,
}

/// The enabled probes. First each provider adds its probes with a capacity; then each consumer's
/// ECBs are filled in.
#[derive(Debug, Default)]
pub struct Table {
    /// The first ID of the provider that is adding probes.
    first_id: u32,
    probes: Vec<Probe>,
    ecbs: Vec<LiveEcb>,
    names: Names,
}

impl Table {
    /// Starts the provider whose first probe ID is `first_id`.
    pub fn begin(&mut self, first_id: u32) {
        self.first_id = first_id;
    }

    /// Adds the provider's probe `number` with room for `room` ECBs; returns its index here.
    pub fn add_probe(&mut self, number: usize, room: u32) -> Result<u32, OutOfMemory> {
        let probe = Probe {
            id: self.first_id.wrapping_add(number as u32),
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

    /// Appends an ECB to those of the probe at this index; dropped if the room is used up.
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

    /// Adds a name to the table's arena.
    pub fn add_name(&mut self, name: &[u8]) -> Result<Span, OutOfMemory> {
        self.names.add(name)
    }

    /// The table's arena of names.
    pub fn names(&self) -> &Names {
        &self.names
    }

    /// The probe at this index and its ECBs, ordered by consumer; none if it has no ECBs.
    pub fn probe(&self, number: u32) -> Option<(&Probe, &[LiveEcb])> {
        let probe = self.probes.get(number as usize)?;
        let ecbs = self.ecbs.get(probe.first as usize..)?;
        let ecbs = ecbs.get(..probe.ecbs as usize)?;
        (!ecbs.is_empty()).then_some((probe, ecbs))
    }

    /// Size in bytes.
    pub fn bytes(&self) -> usize {
        let ecbs = self.ecbs.capacity().wrapping_mul(size_of::<LiveEcb>());
        let probes = self.probes.capacity().wrapping_mul(size_of::<Probe>());
        ecbs.wrapping_add(probes).wrapping_add(self.names.len())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_probe_has_its_own_ecbs() {
        let mut live = Table::default();
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
