//! A recording, played: QEMU gives the guest everything that came from outside once more, each at the
//! same instruction, so that it does the same. Nobody speaks with the guest meanwhile.

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
/// How long the guest may stand still before the recording is over, or does not fit any more.
const STILL: Duration = Duration::from_secs(20);

/// How a replay went.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Played {
    /// To its end, with the same console.
    Same,
    /// To its end, with another console from this line on.
    Differs(usize),
    /// Not to its end.
    Stuck,
    /// The user left.
    Interrupted,
}

impl Played {
    /// Whether the guest did the same.
    pub fn is_good(&self) -> bool {
        *self == Self::Same
    }
}

impl std::fmt::Display for Played {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Same => f.write_str("replayed: the console is the same"),
            Self::Differs(line) => {
                write!(f, "replayed, but the console differs from line {line} on")
            }
            Self::Stuck => write!(
                f,
                "the replay stood still for {} s before its end: the recording does not fit what is replayed",
                STILL.as_secs()
            ),
            Self::Interrupted => f.write_str("interrupted"),
        }
    }
}

/// Plays what is in the folder `recorded`.
pub fn play(
    machine: &'static Machine,
    image: &Image,
    recorded: &Path,
    evidence: &Evidence,
    debugger: Option<&Debugger>,
) -> Result<Played, HostError> {
    let (mut qemu, _line) = Qemu::start(machine, image, Launch::Cold, evidence)?;
    if let Some(debugger) = debugger {
        let address = qemu.debug()?;
        debugger.invite(&address, recorded, evidence.folder())?;
    }
    let outcome = watch(&mut qemu, debugger.is_some())?;
    qemu.quit();
    match outcome {
        Some(early) => Ok(early),
        None => compare(&recorded.join("console.log"), &evidence.console()),
    }
}

/// Waits for the end; with a debugger the guest may stand still as long as it likes.
fn watch(qemu: &mut Qemu, is_debugged: bool) -> Result<Option<Played>, HostError> {
    let (mut last, mut since) = (None, Instant::now());
    loop {
        if interrupt::asked() {
            return Ok(Some(Played::Interrupted));
        }
        let at = match qemu.replayed() {
            Replayed::UpTo(count) => Some(count),
            Replayed::Over => return Ok(None),
        };
        if at != last {
            (last, since) = (at, Instant::now());
        } else if !is_debugged && since.elapsed() > STILL {
            return Ok(Some(Played::Stuck));
        }
        thread::sleep(TICK);
    }
}

fn compare(before: &Path, now: &Path) -> Result<Played, HostError> {
    let read = |path: &Path| fs::read(path).map_err(HostError::file("read", path));
    Ok(match first_difference(&read(before)?, &read(now)?) {
        None => Played::Same,
        Some(line) => Played::Differs(line),
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

/// The recording in a job's evidence, or in a folder in there.
pub fn find(folder: &Path, within: &str, tape: &str) -> Option<PathBuf> {
    let folders = [folder.to_owned(), folder.join(within)];
    folders
        .into_iter()
        .find(|folder| folder.join(tape).is_file())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_line_that_differs_is_told() {
        assert_eq!(first_difference(b"a\nb\n", b"a\nb\n"), None);
        assert_eq!(first_difference(b"a\nb\n", b"a\nc\n"), Some(2));
        assert_eq!(first_difference(b"a\nb\n", b"a\n"), Some(2));
        assert_eq!(first_difference(b"", b"a"), Some(1));
    }

    #[test]
    fn a_recording_is_found_in_the_evidence_or_within() {
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
