//! The text of an object, as it was when the first of its functions was looked at: without our jumps.

use alloc::vec::Vec;
use core::ops::Range;

use crate::arch::windows::{self, Guard};

/// How far behind a function a jump in it can overwrite.
const CLOSE: usize = 16;

/// An executable mapping.
pub struct Mapping {
    /// Where it is.
    pub range: Range<usize>,
    code: Vec<u8>,
    /// Where code of it may branch to in it, in order.
    targets: Vec<usize>,
    /// Where it makes system calls that have guards.
    guards: Vec<Guard>,
}

impl Mapping {
    /// With this code.
    pub fn new(range: Range<usize>, code: Vec<u8>) -> Self {
        let targets = windows::branch_targets(range.start, &code);
        let guards = windows::guards(range.start, &code);
        Self {
            range,
            code,
            targets,
            guards,
        }
    }

    /// What guards its system calls.
    pub fn guards(&self) -> &[Guard] {
        &self.guards
    }

    /// Whether control does not come to some of these bytes, as a guard's detour has copies of them.
    pub fn has_guard(&self, bytes: &Range<usize>) -> bool {
        let overlaps = |guard: &Guard| {
            let copied = guard.copied();
            copied.start < bytes.end && bytes.start < copied.end
        };
        self.guards.iter().any(overlaps)
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
        let behind = function.end.saturating_add(CLOSE);
        let end = all.partition_point(|address| *address < behind);
        all.get(first..end).unwrap_or_default()
    }
}
