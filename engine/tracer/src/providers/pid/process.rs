//! The processes that probes were asked for in.

use alloc::vec::Vec;

use engine_isa::Arch;

use super::Pid;
use super::slots::Slots;
use crate::grow::{OutOfMemory, push};
use crate::platform::{Denied, Platform, Space};
use crate::probe::names::Span;

/// A process.
#[derive(Debug)]
pub struct Process {
    /// Its ID, in the PID namespace of the consumer that first asked for it.
    pub pid: u32,
    /// The provider's name for it: `pid` and the ID.
    pub name: Span,
    /// Its address space; none once that is gone, or no consumer wants it.
    pub space: Option<Space>,
    /// The consumers that asked for its probes, one bit each.
    holders: u32,
    /// Whether its space is gone and its sites count as disarmed.
    is_forgotten: bool,
    pub slots: Slots,
    /// What its probes are charged with, in bytes.
    pub taken: usize,
}

impl Process {
    /// Whether its probes exist.
    pub fn is_open(&self) -> bool {
        self.space.is_some()
    }

    /// Whether it is what a consumer calls `pid`.
    pub(super) fn is_of(&self, consumer: usize, pid: u32) -> bool {
        self.is_open() && self.pid == pid && self.holders & bit(consumer) != 0
    }
}

impl<A: Arch> Pid<A> {
    /// The number of the process `pid`, which `consumer` now holds.
    pub(super) fn open<P: Platform>(
        &mut self,
        platform: &P,
        consumer: usize,
        pid: u32,
    ) -> Result<u32, Denied> {
        let space = platform.space_open(pid)?;
        let number = match self.find_process(space, pid) {
            Some(number) => number,
            None => match self.add_process(pid, space) {
                Ok(number) => number,
                Err(OutOfMemory) => {
                    self.close_unshared(platform, space);
                    return Err(Denied::OutOfMemory);
                }
            },
        };
        if let Some(process) = self.processes.get_mut(number as usize) {
            process.holders |= bit(consumer);
        }
        Ok(number)
    }

    /// Closes a space, unless another process ID that was asked for is in it too.
    fn close_unshared<P: Platform>(&self, platform: &P, space: Space) {
        let mut processes = self.processes.iter();
        if !processes.any(|process| process.space == Some(space)) {
            platform.space_close(space);
        }
    }

    pub(super) fn add_process(&mut self, pid: u32, space: Space) -> Result<u32, OutOfMemory> {
        let mut text = Vec::new();
        b"pid".iter().try_for_each(|byte| push(&mut text, *byte))?;
        decimal(pid, &mut text)?;
        let process = Process {
            pid,
            name: self.names.add(&text)?,
            space: Some(space),
            holders: 0,
            is_forgotten: false,
            slots: Slots::default(),
            taken: 0,
        };
        self.indexes.processes.reserve()?;
        push(&mut self.processes, process)?;
        let number = self.processes.len().wrapping_sub(1) as u32;
        let hash = self.indexes.of_process(space, pid);
        self.indexes.processes.add(hash, number);
        Ok(number)
    }

    /// The consumer is closed: processes that nobody wants any more are released once they have
    /// been disarmed; see [`Pid::release`].
    pub fn let_go(&mut self, consumer: usize) {
        for process in &mut self.processes {
            process.holders &= !bit(consumer);
        }
        self.stop_watching(consumer);
    }

    /// Closes the address spaces that no consumer holds and in which nothing is armed or wanted.
    /// The live table must not name them. Returns whether none is left.
    pub fn release<P: Platform>(&mut self, platform: &P) -> bool {
        let mut all = true;
        for number in 0..self.processes.len() {
            let is_used = self.is_used(number);
            let Some(process) = self.processes.get_mut(number) else {
                continue;
            };
            if process.holders != 0 || is_used {
                all = false;
            } else if let Some(space) = process.space.take() {
                self.close_unshared(platform, space);
            }
        }
        all
    }

    fn is_used(&self, process: usize) -> bool {
        let mut sites = self.sites.iter();
        sites.any(|site| site.process as usize == process && (site.is_armed || site.ecbs > 0))
            || self.has_semaphore(|of, it| of as usize == process && it.is_raised())
    }

    /// Closes what is left open because there was no memory for a smaller live table. Nothing fires
    /// any more.
    pub fn close_rest<P: Platform>(&mut self, platform: &P) {
        self.release_slots(platform);
        self.release(platform);
    }

    /// Frees everything but what is shown of refusals. No ECB may refer to a probe.
    pub fn clear(&mut self) {
        let refusals = core::mem::take(&mut self.refusals);
        *self = Self::new(self.indexes.seed());
        self.refusals = refusals;
    }

    /// Whether the probes of a process that is now gone have yet to be disarmed.
    pub fn is_any_gone<P: Platform>(&self, platform: &P) -> bool {
        let mut spaces = self.processes.iter().filter_map(|process| process.space);
        spaces.any(|space| platform.space_is_gone(space))
    }

    /// Marks the sites of address spaces that are gone as disarmed.
    pub(super) fn forget_gone<P: Platform>(&mut self, platform: &P) {
        for number in 0..self.processes.len() {
            let Some(process) = self.processes.get_mut(number) else {
                continue;
            };
            if !process
                .space
                .is_some_and(|space| platform.space_is_gone(space))
            {
                continue;
            }
            process.is_forgotten = true;
            process.slots = Slots::default();
            let sites = self.sites.iter_mut();
            for site in sites.filter(|site| site.process as usize == number) {
                (site.is_armed, site.ecbs, site.slot) = (false, 0, None);
                site.is_hook = false;
            }
            self.forget_semaphores(number as u32);
            self.forget_hooks(number as u32);
        }
    }

    /// Closes the address spaces whose sites were marked. The live table no longer names them; that
    /// of a process which has gone since, it does.
    pub fn close_gone<P: Platform>(&mut self, platform: &P) {
        for number in 0..self.processes.len() {
            let process = self.processes.get_mut(number);
            let forgotten = process.filter(|process| process.is_forgotten);
            if let Some(space) = forgotten.and_then(|process| process.space.take()) {
                self.close_unshared(platform, space);
            }
        }
    }
}

/// The bit of a consumer; none if there cannot be such a one.
pub(super) fn bit(consumer: usize) -> u32 {
    let number = u32::try_from(consumer).unwrap_or(u32::MAX);
    1u32.checked_shl(number).unwrap_or_default()
}

/// Appends a number in decimal.
pub(super) fn decimal(number: u32, text: &mut Vec<u8>) -> Result<(), OutOfMemory> {
    if number >= 10 {
        decimal(number / 10, text)?;
    }
    push(text, b'0'.wrapping_add((number % 10) as u8))
}
