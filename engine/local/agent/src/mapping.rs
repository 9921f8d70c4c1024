//! The text of an object, as it was when the first of its functions was looked at: without our jumps.

use alloc::vec::Vec;
use core::ops::Range;

use engine_tracer::{OutOfMemory, filled};

use crate::arch::{JUMP, branch_targets};
use crate::text;

/// An executable mapping.
pub struct Mapping {
    /// Where it is.
    pub range: Range<usize>,
    code: Vec<u8>,
    /// Where code of it may branch to in it, in order.
    targets: Vec<usize>,
}

impl Mapping {
    /// Reads it.
    pub fn read(range: Range<usize>) -> Result<Self, OutOfMemory> {
        let mut code = filled(range.len(), || 0)?;
        text::read(range.start, &mut code).map_err(|_| OutOfMemory)?;
        let targets = branch_targets(range.start, &code);
        Ok(Self {
            range,
            code,
            targets,
        })
    }

    /// What is at these addresses, as far as they are in it.
    pub fn text(&self, addresses: Range<usize>) -> &[u8] {
        let first = addresses.start.saturating_sub(self.range.start);
        let end = addresses.end.saturating_sub(self.range.start);
        let end = end.min(self.code.len());
        self.code.get(first..end).unwrap_or_default()
    }

    /// The addresses in a function, or closely behind it, that code of the mapping may branch to.
    pub fn targets_in(&self, function: &Range<usize>) -> &[usize] {
        let all = &self.targets;
        let first = all.partition_point(|address| *address < function.start);
        let behind = function.end.saturating_add(JUMP);
        let end = all.partition_point(|address| *address < behind);
        all.get(first..end).unwrap_or_default()
    }
}
