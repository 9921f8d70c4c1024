//! Replays a recording: QEMU injects all recorded input at the same instructions, so the guest
//! executes the same. No one talks to the guest meanwhile.

use std::fs;
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, Instant};

use super::gdb::Debugger;
use crate::error::HostError;
use crate::guest::command_line::Launch;
use crate::guest::image::Image;
use crate::guest::machine::Machine;
use crate::guest::qemu::{Qemu, Replayed};
use crate::report::evidence::Evidence;
use crate::run::interrupt;

const TICK: Duration = Duration::from_millis(100);
/// Time without progress after which a replay counts as stuck.
const STILL: Duration = Duration::from_secs(20);

/// The result of a replay.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ReplayResult {
    /// Completed, with the same console.
    Same,
    /// Completed, with a console that differs from this line, from 1.
    Differs(usize),
    /// Stuck before the end.
    Stuck,
    /// Interrupted by a signal.
    Interrupted,
}

impl ReplayResult {
    /// Whether the guest did the same.
    pub fn is_good(&self) -> bool {
        *self == Self::Same
    }
}

impl std::fmt::Display for ReplayResult {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Same => f.write_str("replayed: the console is the same"),
            Self::Differs(line) => {
                write!(f, "replayed, but the console differs from line {line} on")
            }
            Self::Stuck => write!(
                f,
                "the replay made no progress for {} s before its end: the recording does not match this build or command line",
                STILL.as_secs()
            ),
            Self::Interrupted => f.write_str("interrupted"),
        }
    }
}

/// Replays the recording in the folder `recorded`.
pub fn play(
    machine: &'static Machine,
    image: &Image,
    recorded: &Path,
    evidence: &Evidence,
    debugger: Option<&Debugger>,
) -> Result<ReplayResult, HostError> {
    let (mut qemu, _line) = Qemu::start(machine, image, Launch::Cold, evidence)?;
    if let Some(debugger) = debugger {
        let address = qemu.debug()?;
        debugger.write_script(&address, recorded, evidence.folder())?;
    }
    let outcome = watch(&mut qemu, debugger.is_some())?;
    qemu.quit();
    match outcome {
        Some(early) => Ok(early),
        None => compare(&recorded.join("console.log"), &evidence.console()),
    }
}

/// Waits for the end; under gdb, without a limit on standing still.
fn watch(qemu: &mut Qemu, is_debugged: bool) -> Result<Option<ReplayResult>, HostError> {
    let (mut last, mut since) = (None, Instant::now());
    loop {
        if interrupt::is_pending() {
            return Ok(Some(ReplayResult::Interrupted));
        }
        let at = match qemu.replayed() {
            Replayed::UpTo(count) => Some(count),
            Replayed::Over => return Ok(None),
        };
        if at != last {
            (last, since) = (at, Instant::now());
        } else if !is_debugged && since.elapsed() > STILL {
            return Ok(Some(ReplayResult::Stuck));
        }
        thread::sleep(TICK);
    }
}

fn compare(before: &Path, now: &Path) -> Result<ReplayResult, HostError> {
    let read = |path: &Path| fs::read(path).map_err(HostError::file("read", path));
    Ok(match first_difference(&read(before)?, &read(now)?) {
        None => ReplayResult::Same,
        Some(line) => ReplayResult::Differs(line),
    })
}

/// The first line, from 1, in which two texts differ.
fn first_difference(before: &[u8], now: &[u8]) -> Option<usize> {
    if before == now {
        return None;
    }
    let is_end = |byte: &u8| *byte == b'\n';
    let (mut a, mut b) = (before.split(is_end), now.split(is_end));
    let mut line = 1;
    while let (Some(a), Some(b)) = (a.next(), b.next()) {
        if a != b {
            break;
        }
        line += 1;
    }
    Some(line)
}

/// The folder with the recording: the job's evidence, or `within` it.
pub fn find(folder: &Path, within: &str, recording: &str) -> Option<PathBuf> {
    let folders = [folder.to_owned(), folder.join(within)];
    folders
        .into_iter()
        .find(|folder| folder.join(recording).is_file())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn first_difference_is_a_line_number() {
        assert_eq!(first_difference(b"a\nb\n", b"a\nb\n"), None);
        assert_eq!(first_difference(b"a\nb\n", b"a\nc\n"), Some(2));
        assert_eq!(first_difference(b"a\nb\n", b"a\n"), Some(2));
        assert_eq!(first_difference(b"", b"a"), Some(1));
    }

    #[test]
    fn recording_is_found_in_the_evidence_or_below() {
        let root = tempfile::tempdir().expect("a folder");
        let folder = root.path();
        let found = || find(folder, "record", "tape");
        assert_eq!(found(), None);
        fs::create_dir(folder.join("record")).expect("writable");
        fs::write(folder.join("record/tape"), "").expect("writable");
        assert_eq!(found(), Some(folder.join("record")));
        fs::write(folder.join("tape"), "").expect("writable");
        assert_eq!(found(), Some(folder.to_owned()));
    }
}
