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

/// A mapping.
pub struct Line {
    pub range: Range<usize>,
    pub is_writable: bool,
    pub is_executable: bool,
    /// Whether others may write to it.
    pub is_shared: bool,
    /// The offset in its file.
    pub offset: u64,
    /// The file's name, or another; empty without.
    pub name: Vec<u8>,
}

/// The mapping that an address is in, with all that is known of it.
pub fn describe(address: usize) -> Option<Line> {
    let text = read().ok()?;
    let mut lines = text.split(|byte| *byte == b'\n');
    lines.find_map(|line| {
        let (start, end) = range(line)?;
        if !(start..end).contains(&address) {
            return None;
        }
        let mut fields = line.split(|byte| *byte == b' ');
        let access = fields.nth(1)?;
        let offset = core::str::from_utf8(fields.next()?).ok()?;
        // The device and the inode, and blanks.
        let name = fields.skip(2).skip_while(|field| field.is_empty());
        let length = name.map(|field| field.len().wrapping_add(1)).sum::<usize>();
        let name = line.get(line.len().saturating_sub(length.saturating_sub(1))..)?;
        let mut kept = Vec::new();
        kept.try_reserve_exact(name.len()).ok()?;
        kept.extend_from_slice(name);
        Some(Line {
            range: start..end,
            is_writable: access.contains(&b'w'),
            is_executable: access.contains(&b'x'),
            is_shared: access.contains(&b's'),
            offset: u64::from_str_radix(offset, 16).ok()?,
            name: kept,
        })
    })
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
