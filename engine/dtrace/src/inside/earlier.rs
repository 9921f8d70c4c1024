//! What an earlier engine has left in a process: its code stays, as a thread may still be in it, and the
//! next one uses it again.

use std::fs;
use std::io::{Error, ErrorKind, Result};
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
        let mut there = vec![0; image::constant().len()];
        for base in maps.lines().filter_map(nameless) {
            let is_read = memory.read_exact_at(&mut there, base as u64).is_ok();
            if there.is_empty() || !is_read || there != image::constant() {
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

/// The address of a mapping that is of no file, and that is only read.
fn nameless(line: &str) -> Option<usize> {
    let mut words = line.split_whitespace();
    let (range, access) = (words.next()?, words.next()?);
    let is_nameless = words.nth(2) == Some("0") && words.next().is_none();
    let (start, _) = range.split_once('-')?;
    let start = usize::from_str_radix(start, 16).ok()?;
    (is_nameless && access == "r--p").then_some(start)
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
