//! The last refusals, kept for `/proc/dtrace/refused`, also after the consumer is closed.

use alloc::vec::Vec;
use core::ops::Range;

use engine_abi::Description;

use crate::grow::{OutOfMemory, extend, push};
use crate::site::reason::Reason;

/// How many are kept.
const KEPT: usize = 512;

/// A probe that was refused.
#[derive(Debug)]
pub struct Refusal {
    /// The process's ID.
    pub process: u32,
    /// Where: the instruction's address, or the function's.
    pub address: usize,
    pub reason: Reason,
    /// Object, function and probe, one after the other.
    names: Vec<u8>,
    /// The lengths of the first two.
    lengths: [usize; 2],
}

impl Refusal {
    pub fn names(&self) -> [&[u8]; 3] {
        let [module, function] = self.lengths;
        let behind = module.wrapping_add(function);
        let part = |part: Range<usize>| self.names.get(part).unwrap_or_default();
        let name = self.names.get(behind..).unwrap_or_default();
        [part(0..module), part(module..behind), name]
    }

    fn of(
        process: u32,
        description: &Description,
        refused: &Refused<'_>,
    ) -> Result<Self, OutOfMemory> {
        let (module, function) = (description.module(), description.function());
        let mut names = Vec::new();
        for name in [module, function, refused.name] {
            extend(&mut names, name)?;
        }
        Ok(Self {
            process,
            address: refused.address,
            reason: refused.reason,
            names,
            lengths: [module.len(), function.len()],
        })
    }

    /// Whether it is of the same probe.
    fn is_same(&self, other: &Self) -> bool {
        (self.process, self.address) == (other.process, other.address)
            && self.names() == other.names()
    }
}

/// What a refusal says, besides the request.
#[derive(Debug, Clone, Copy)]
pub struct Refused<'a> {
    pub address: usize,
    /// The probe's name, or the pattern if it stands for several.
    pub name: &'a [u8],
    pub reason: Reason,
}

/// A ring of refusals, each of another probe.
#[derive(Debug, Default)]
pub struct Refusals {
    kept: Vec<Refusal>,
    /// Where the oldest is, once the ring is full.
    oldest: usize,
    /// The number of those that are not kept: older ones, and those for which there was no memory.
    left_out: u64,
}

impl Refusals {
    /// Adds a refusal in place of an earlier one of the same probe, or of the oldest.
    pub fn add(&mut self, process: u32, description: &Description, refused: &Refused<'_>) {
        if self.insert(process, description, refused).is_err() {
            self.left_out = self.left_out.wrapping_add(1);
        }
    }

    fn insert(
        &mut self,
        process: u32,
        description: &Description,
        refused: &Refused<'_>,
    ) -> Result<(), OutOfMemory> {
        let new = Refusal::of(process, description, refused)?;
        if let Some(known) = self.kept.iter_mut().find(|known| known.is_same(&new)) {
            *known = new;
            return Ok(());
        }
        if self.kept.len() < KEPT {
            return push(&mut self.kept, new);
        }
        if let Some(oldest) = self.kept.get_mut(self.oldest) {
            *oldest = new;
            self.oldest = self.oldest.wrapping_add(1) % KEPT;
            self.left_out = self.left_out.wrapping_add(1);
        }
        Ok(())
    }

    /// The refusal at `index`, from the oldest on.
    pub fn get(&self, index: usize) -> Option<&Refusal> {
        let place = self.oldest.wrapping_add(index) % KEPT;
        self.kept.get(place).filter(|_| index < self.kept.len())
    }

    pub fn len(&self) -> usize {
        self.kept.len()
    }

    pub fn left_out(&self) -> u64 {
        self.left_out
    }
}
