//! The parts of a file's address space that are executable.

use std::ops::Range;

use object::elf;

use super::header::{Section, Segment};

/// Executable sections, or executable segments where there are no section headers.
#[derive(Debug, Clone, Default)]
pub struct Code {
    /// Sorted by start. Ranges of a malformed file can overlap; then the later one counts.
    ranges: Vec<Range<u64>>,
}

impl Code {
    /// Collects the ranges.
    pub fn of(sections: &[Section], segments: &[Segment]) -> Self {
        let sections = sections.iter().filter(|section| section.is_executable);
        let sections = sections.map(|s| s.address..s.address.saturating_add(s.size));
        let mut ranges: Vec<_> = sections.filter(|range| !range.is_empty()).collect();
        if ranges.is_empty() {
            let is_code = |s: &&Segment| s.kind == elf::PT_LOAD && s.is_executable;
            let segments = segments.iter().filter(is_code);
            ranges.extend(segments.map(|s| s.address..s.address.saturating_add(s.memory_size)));
        }
        ranges.sort_unstable_by_key(|range| range.start);
        Self { ranges }
    }

    /// The end of the range that an address is in.
    pub fn end_at(&self, address: u64) -> Option<u64> {
        let after = self.ranges.partition_point(|range| range.start <= address);
        let range = self.ranges.get(after.checked_sub(1)?)?;
        range.contains(&address).then_some(range.end)
    }
}
