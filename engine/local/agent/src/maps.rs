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
    let found = joined(&text, |_| true);
    found.into_iter().find(|range| range.contains(&address))
}

/// A mapping.
pub struct Line {
    pub range: Range<usize>,
    pub is_readable: bool,
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
            is_readable: access.contains(&b'r'),
            is_writable: access.contains(&b'w'),
            is_executable: access.contains(&b'x'),
            is_shared: access.contains(&b's'),
            offset: u64::from_str_radix(offset, 16).ok()?,
            name: kept,
        })
    })
}

/// The executable mappings of files that only this process has.
pub fn of_files() -> Option<Vec<Range<usize>>> {
    let text = read().ok()?;
    let is_code = |line: &[u8]| {
        let access = access(line);
        access.contains(&b'x') && access.contains(&b'p') && line.contains(&b'/')
    };
    Some(joined(&text, is_code))
}

/// The mappings whose lines are wanted. A file's that is listed in parts is one again: a page that was
/// written is one of its own for good.
fn joined(text: &[u8], is_wanted: impl Fn(&[u8]) -> bool) -> Vec<Range<usize>> {
    let mut all: Vec<(Range<usize>, &[u8])> = Vec::new();
    for line in text
        .split(|byte| *byte == b'\n')
        .filter(|line| is_wanted(line))
    {
        let Some((start, end)) = range(line) else {
            continue;
        };
        match all.last_mut() {
            Some((range, first)) if range.end == start && is_next(first, line) => range.end = end,
            _ => all.push((start..end, line)),
        }
    }
    all.into_iter().map(|(range, _)| range).collect()
}

/// Whether a line's mapping is of the same file as that of a line before it, with the same access, and as
/// far behind it in the file as in memory.
fn is_next(first: &[u8], line: &[u8]) -> bool {
    // Which file, and where its first byte would be.
    let origin = |line: &[u8]| {
        let mut fields = line.split(|byte| *byte == b' ').skip(2);
        let offset = core::str::from_utf8(fields.next()?).ok()?;
        let offset = usize::from_str_radix(offset, 16).ok()?;
        let [device, inode] = [fields.next()?, fields.next()?].map(<[u8]>::to_vec);
        let (start, _) = range(line)?;
        (inode != b"0").then_some((device, inode, start.wrapping_sub(offset)))
    };
    access(first) == access(line) && origin(first).is_some_and(|it| origin(line) == Some(it))
}

/// The access of a line's mapping: `r-xp` and the like.
fn access(line: &[u8]) -> &[u8] {
    let mut fields = line.split(|byte| *byte == b' ');
    fields.nth(1).unwrap_or_default()
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
