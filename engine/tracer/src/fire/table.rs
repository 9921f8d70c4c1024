//! The probes that fire, with their ECBs and names.

use alloc::vec::Vec;

use crate::grow::{OutOfMemory, push};
use crate::probe::ecb::Enabling;
use crate::probe::names::{Names, Span};

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

/// All of them. A provider that is published adds its probes; then each consumer's ECBs are put into the room that
/// there is for them.
#[derive(Debug, Default)]
pub struct Table {
    /// The ID that the provider's probe of number 0 has, or would have.
    first_id: u32,
    probes: Vec<Probe>,
    ecbs: Vec<LiveEcb>,
    names: Names,
}

impl Table {
    /// What is added from now on is of the provider whose first probe has this ID.
    pub fn begin(&mut self, first_id: u32) {
        self.first_id = first_id;
    }

    /// Adds the provider's probe of this number, with room for so many ECBs; its number here.
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

    /// The probe of that number, and its ECBs, ordered by their consumers; nothing where it has none.
    pub fn probe(&self, number: u32) -> Option<(&Probe, &[LiveEcb])> {
        let probe = self.probes.get(number as usize)?;
        let ecbs = self.ecbs.get(probe.first as usize..)?;
        let ecbs = ecbs.get(..probe.ecbs as usize)?;
        (!ecbs.is_empty()).then_some((probe, ecbs))
    }

    /// How much memory it takes.
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
    fn a_probe_has_the_ecbs_that_were_put_into_its_room() {
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
