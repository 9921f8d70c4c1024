//! Semaphores: counters of a program which say how many tracers have armed a probe, so that the program
//! computes arguments only for those. One is raised by 1 while any of its probes is armed, whoever armed
//! them, and lowered with the last.

use engine_isa::Arch;

use super::{Pid, Probe};
use crate::error::Error;
use crate::grow::push;
use crate::platform::{Platform, Uncounted};

/// A semaphore.
#[derive(Debug)]
pub struct Semaphore {
    process: u32,
    address: usize,
    /// Whether we have raised it.
    is_raised: bool,
    /// Number of active ECBs of its probes; computed whenever something is armed or disarmed.
    ecbs: u32,
}

impl<A: Arch> Pid<A> {
    /// The number of the semaphore at this address, which is created if need be; none at address 0.
    pub(super) fn semaphore(&mut self, process: u32, address: usize) -> Result<Option<u32>, Error> {
        if address == 0 {
            return Ok(None);
        }
        let hash = self.indexes.of_site(process, address);
        let semaphores = &self.semaphores;
        let known = self.indexes.semaphores.find(hash, |number| {
            let semaphore = semaphores.get(number as usize);
            semaphore.is_some_and(|it| (it.process, it.address) == (process, address))
        });
        if known.is_some() {
            return Ok(known);
        }
        self.indexes.semaphores.reserve()?;
        let number = self.semaphores.len() as u32;
        let semaphore = Semaphore {
            process,
            address,
            is_raised: false,
            ecbs: 0,
        };
        push(&mut self.semaphores, semaphore)?;
        self.indexes.semaphores.add(hash, number);
        Ok(Some(number))
    }

    /// Computes how many active ECBs each semaphore has.
    pub(super) fn count_semaphores(&mut self) {
        for semaphore in &mut self.semaphores {
            semaphore.ecbs = 0;
        }
        let functions = &self.functions;
        let is_wanted = |probe: &&Probe| {
            let function = functions.get(probe.function as usize);
            probe.ecbs > 0 && function.is_some_and(|function| !function.is_gone)
        };
        for probe in self.probes.iter().filter(is_wanted) {
            let uses = probe.uses.start as usize..probe.uses.end as usize;
            let uses = self.uses.get(uses).unwrap_or_default().iter();
            for note in uses.filter_map(|one| self.notes.get(one.note? as usize)) {
                let number = note.semaphore.map(|number| number as usize);
                if let Some(it) = number.and_then(|number| self.semaphores.get_mut(number)) {
                    it.ecbs = it.ecbs.saturating_add(probe.ecbs);
                }
            }
        }
    }

    /// Lowers those of which no probe is wanted any more. One whose memory is not there any more counts as
    /// lowered.
    pub(super) fn lower_semaphores<P: Platform>(&mut self, platform: &P) {
        let lowered = |it: &Semaphore| it.is_raised && it.ecbs == 0;
        self.change_semaphores(platform, lowered, false);
    }

    /// Lowers those of functions that have been unmapped, whatever is mapped there next.
    pub(super) fn lower_unmapped<P: Platform>(&mut self, platform: &P, process: u32) {
        let space = self.processes.get(process as usize).and_then(|it| it.space);
        let Some(space) = space else { return };
        for probe in &self.probes {
            let function = self.functions.get(probe.function as usize);
            if !function.is_some_and(|it| it.is_gone && it.process == process) {
                continue;
            }
            let uses = probe.uses.start as usize..probe.uses.end as usize;
            let uses = self.uses.get(uses).unwrap_or_default().iter();
            for note in uses.filter_map(|one| self.notes.get(one.note? as usize)) {
                let number = note.semaphore.map(|number| number as usize);
                let semaphore = number.and_then(|number| self.semaphores.get_mut(number));
                if let Some(it) = semaphore.filter(|it| it.is_raised) {
                    let _ = platform.space_count(space, it.address, false);
                    it.is_raised = false;
                }
            }
        }
    }

    /// Raises those of which a probe is wanted.
    pub(super) fn raise_semaphores<P: Platform>(&mut self, platform: &P) {
        let raised = |it: &Semaphore| !it.is_raised && it.ecbs > 0;
        self.change_semaphores(platform, raised, true);
    }

    fn change_semaphores<P: Platform>(
        &mut self,
        platform: &P,
        is_due: impl Fn(&Semaphore) -> bool,
        is_up: bool,
    ) {
        for semaphore in self.semaphores.iter_mut().filter(|it| is_due(it)) {
            let process = self.processes.get(semaphore.process as usize);
            let Some(space) = process.and_then(|process| process.space) else {
                continue;
            };
            let changed = platform.space_count(space, semaphore.address, is_up);
            semaphore.is_raised = match changed {
                Ok(()) => is_up,
                Err(Uncounted::Different) => false,
                Err(Uncounted::OutOfMemory) => semaphore.is_raised,
            };
        }
    }

    /// The semaphores of a process that is gone are gone with it.
    pub(super) fn forget_semaphores(&mut self, process: u32) {
        let semaphores = self.semaphores.iter_mut();
        for semaphore in semaphores.filter(|it| it.process == process) {
            (semaphore.is_raised, semaphore.ecbs) = (false, 0);
        }
    }

    /// Whether a place's semaphore is raised, if it has one.
    pub(super) fn is_announced(&self, note: Option<u32>) -> bool {
        let note = note.and_then(|number| self.notes.get(number as usize));
        let number = note.and_then(|note| note.semaphore);
        let semaphore = number.and_then(|number| self.semaphores.get(number as usize));
        semaphore.is_none_or(|semaphore| semaphore.is_raised)
    }

    /// Whether any semaphore of these processes is raised, or is to be.
    pub(super) fn has_semaphore(&self, is_one: impl Fn(u32, &Semaphore) -> bool) -> bool {
        let mut semaphores = self.semaphores.iter();
        semaphores.any(|it| is_one(it.process, it))
    }
}

impl Semaphore {
    pub(super) fn is_raised(&self) -> bool {
        self.is_raised
    }

    pub(super) fn is_wanted(&self) -> bool {
        self.ecbs > 0
    }
}
