//! Where the process has memory: `/proc/self/maps`, which is that of the traced process too.

use alloc::vec::Vec;
use core::ops::Range;

use syscalls::Errno;

use crate::files;

/// Size of a page.
pub const PAGE: usize = 4096;

/// Below this nothing is mapped: `vm.mmap_min_addr` is 64 KiB where it is set.
const LOWEST: usize = 1 << 16;

/// The free range of this size, a multiple of a page, that is nearest to `near`, as far as it ends where
/// a mapping begins: above one, its heap may grow, and below a stack that.
pub fn free_range(near: usize, size: usize) -> Option<usize> {
    let text = read().ok()?;
    let mut end = LOWEST;
    let mut nearest = None;
    for line in text.split(|byte| *byte == b'\n') {
        let Some((first, behind)) = range(line) else {
            continue;
        };
        if end.saturating_add(size) <= first && !line.ends_with(b"[stack]") {
            let start = first.wrapping_sub(size);
            let candidates = nearest.into_iter().chain([start]);
            nearest = candidates.min_by_key(|start| start.abs_diff(near));
        }
        end = behind;
    }
    nearest
}

/// The mapping that an address is in.
pub fn mapping_of(address: usize) -> Option<Range<usize>> {
    let text = read().ok()?;
    let mut ranges = text.split(|byte| *byte == b'\n').filter_map(range);
    let found = ranges.find(|(start, end)| (*start..*end).contains(&address));
    found.map(|(start, end)| start..end)
}

/// The executable mappings of files.
pub fn of_files() -> Option<Vec<Range<usize>>> {
    let text = read().ok()?;
    let is_code = |line: &&[u8]| {
        let is_executable = line
            .split(|byte| *byte == b' ')
            .nth(1)
            .is_some_and(|it| it.contains(&b'x'));
        is_executable && line.contains(&b'/')
    };
    let lines = text.split(|byte| *byte == b'\n').filter(is_code);
    Some(
        lines
            .filter_map(range)
            .map(|(start, end)| start..end)
            .collect(),
    )
}

/// The range of a line: `start-end ...`, in hexadecimal.
fn range(line: &[u8]) -> Option<(usize, usize)> {
    let line = core::str::from_utf8(line).ok()?;
    let (range, _) = line.split_once(' ')?;
    let (start, end) = range.split_once('-')?;
    let number = |text| usize::from_str_radix(text, 16).ok();
    Some((number(start)?, number(end)?))
}

fn read() -> Result<Vec<u8>, Errno> {
    files::read(c"/proc/self/maps")
}
