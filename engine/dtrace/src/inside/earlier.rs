//! What an earlier engine has left in a process: its code stays, as a thread may still be in it, and the
//! next one uses it again.

use std::fs::{self, File};
use std::io::{Error, ErrorKind, Result};
use std::ops::Range;
use std::os::unix::fs::FileExt;
use std::thread::sleep;
use std::time::Duration;

use engine_abi::channel::{Left, Start};
use zerocopy::IntoBytes;

use super::image;
use super::memory::memory;

/// Why a process cannot be traced again that has not let an earlier engine restore its text.
const KEPT: &str =
    "it forbade that what traced it earlier was taken out of it; start it again to trace it";

/// An earlier engine of this build.
pub struct Earlier {
    /// The address of its image.
    pub base: usize,
    /// Whether no thread is in code of it.
    pub is_deserted: bool,
}

impl Earlier {
    /// Finds it. The first thread of the process is stopped, at `pc`. An error of the kind
    /// `ResourceBusy` says that it has not ended.
    pub fn find(pid: i32, pc: u64) -> Result<Option<Self>> {
        let maps = fs::read_to_string(format!("/proc/{pid}/maps"))?;
        let memory = memory(pid)?;
        let is_image = |base: &usize| is_there(&memory, *base, image::constant());
        for base in maps.lines().filter_map(nameless).flat_map(bases) {
            if !is_image(&base) {
                continue;
            }
            let mut left = Left::new();
            let place = base + image::SIZE + size_of::<Start>();
            memory.read_exact_at(left.as_mut_bytes(), place as u64)?;
            match *left.stage.get_mut() {
                Left::HAS_ENDED => {}
                Left::IS_KEPT => return Err(Error::other(KEPT)),
                _ => return Err(ErrorKind::ResourceBusy.into()),
            }
            let is_deserted = is_deserted(pid, pc, base, &left)?;
            return Ok(Some(Self { base, is_deserted }));
        }
        Ok(None)
    }
}

/// A mapping that is of no file and may have the image's first pages, of which linkers make constants or,
/// together with these, code.
fn nameless(line: &str) -> Option<Range<usize>> {
    let mut words = line.split_whitespace();
    let (range, access) = (words.next()?, words.next()?);
    let is_nameless = words.nth(2) == Some("0") && words.next().is_none();
    let (start, end) = range.split_once('-')?;
    let number = |digits| usize::from_str_radix(digits, 16).ok();
    let range = number(start)?..number(end)?;
    (is_nameless && matches!(access, "r--p" | "r-xp")).then_some(range)
}

/// Where in a mapping the image may begin: the kernel makes one mapping of neighbours that are alike.
fn bases(range: Range<usize>) -> impl Iterator<Item = usize> {
    range.step_by(image::PAGE)
}

/// Whether the memory at `base` has these bytes. The first page tells for most.
fn is_there(memory: &File, base: usize, bytes: &[u8]) -> bool {
    let (page, rest) = bytes.split_at(bytes.len().min(image::PAGE));
    let has = |place: usize, bytes: &[u8]| {
        let mut there = vec![0; bytes.len()];
        memory.read_exact_at(&mut there, place as u64).is_ok() && there == bytes
    };
    !page.is_empty() && has(base, page) && has(base + page.len(), rest)
}

/// Whether no thread is in the code that was left, as far as that can be seen.
fn is_deserted(pid: i32, pc: u64, base: usize, left: &Left) -> Result<bool> {
    let Some(ranges) = left.code.get(..left.count as usize) else {
        return Ok(false);
    };
    let image = [base as u64, (base + image::SIZE) as u64];
    let mut all = ranges.to_vec();
    all.push(image);
    let is_out = |pc: u64| !all.iter().any(|[start, end]| (*start..*end).contains(&pc));
    for thread in fs::read_dir(format!("/proc/{pid}/task"))? {
        let thread = thread?;
        let is_first = *thread.file_name() == *pid.to_string();
        let found = if is_first {
            Some(pc)
        } else {
            pc_of(&thread.path().join("syscall"))
        };
        if !found.is_some_and(is_out) {
            return Ok(false);
        }
    }
    Ok(is_out(pc))
}

/// The program counter of a thread: the last field of proc_pid_syscall(5), unless it runs all the time.
fn pc_of(file: &std::path::Path) -> Option<u64> {
    const TRIES: usize = 20;
    const PAUSE: Duration = Duration::from_millis(1);
    for _ in 0..TRIES {
        let text = fs::read_to_string(file).ok()?;
        if text.trim() != "running" {
            let last = text.split_whitespace().last()?;
            return u64::from_str_radix(last.trim_start_matches("0x"), 16).ok();
        }
        sleep(PAUSE);
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_image_may_be_in_any_constant_or_executable_mapping_of_no_file() {
        let found = |access: &str, rest: &str| nameless(&format!("1000-4000 {access} {rest}"));
        assert_eq!(found("r--p", "00000000 00:00 0"), Some(0x1000..0x4000));
        assert_eq!(found("r-xp", "00000000 00:00 0"), Some(0x1000..0x4000));
        assert_eq!(found("rw-p", "00000000 00:00 0"), None);
        assert_eq!(found("r-xp", "00000000 00:00 0 [vdso]"), None);
        assert_eq!(found("r-xp", "00000000 00:1f 77 /bin/sh"), None);
    }

    #[test]
    fn the_image_may_begin_behind_a_neighbour() {
        let mut pages = vec![1; 2 * image::PAGE];
        let bytes: Vec<u8> = (0..2 * image::PAGE).map(|at| (at % 251) as u8).collect();
        pages.extend(&bytes);
        let start = pages.as_ptr() as usize;
        let memory = File::open("/proc/self/mem").unwrap();
        let found = bases(start..start + pages.len()).find(|base| is_there(&memory, *base, &bytes));
        assert_eq!(found, Some(start + 2 * image::PAGE));
    }
}
