//! `--path`: records the path of a command.

use std::fs::File;
use std::io::{BufWriter, Error as IoError};
use std::os::fd::OwnedFd;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use rustix::event::{PollFd, PollFlags, Timespec, poll};

use super::file::Writer;
use super::file::record::Begin;
use super::recorder::Recorder;
use crate::error::{Error, reason};
use crate::inside::{Recording, has_lost_privilege, is_32_bit};
use crate::options::{Options, Target as Wanted};
use crate::output::{notice, report};
use crate::target::Target;

/// How often it is looked whether the command has ended.
const PERIOD: Duration = Duration::from_millis(20);

/// Runs the command of `-c` and records it. Returns the exit code: 1 if a part of the path is missing.
pub fn record(options: &Options) -> Result<u8, Error> {
    let ([Wanted::Command(command)], []) = (&options.targets[..], &options.programs[..]) else {
        return Err(Error::PathOfCommand);
    };
    let failed = |why: IoError| Error::Path {
        path: options.path.clone(),
        why: reason(&why),
    };
    let file = File::create(&options.path).map_err(failed)?;
    let writer = Writer::new(BufWriter::new(file)).map_err(failed)?;
    let mut recorder = Recorder::new(writer, begin(command)).map_err(failed)?;
    let mut target = Target::start(command)?;
    target.run_to_begin()?;
    if is_32_bit(target.pid()) {
        return Err(Error::Is32Bit(target.pid()));
    }
    if has_lost_privilege(target.pid()) {
        return Err(Error::LostPrivilege(target.pid()));
    }
    let recording = Recording::begin(target.pid()).map_err(|why| target.cannot_record(why))?;
    let handle = target.handle()?;
    drain(recording, &mut recorder, &handle).map_err(failed)?;
    let recorded = recorder.finish().map_err(failed)?;
    notice(&options.settings, target.describe_end());
    for what in recorded.unrecorded.told() {
        notice(&options.settings, format_args!("not recorded: {what}"));
    }
    recorded.faults.iter().for_each(report);
    Ok((!recorded.faults.is_empty()).into())
}

fn begin(command: &str) -> Begin {
    let words = shlex::split(command).unwrap_or_default();
    let time = SystemTime::now().duration_since(UNIX_EPOCH);
    Begin {
        command: words.into_iter().map(String::into_bytes).collect(),
        time: time.map_or(0, |time| time.as_nanos() as u64),
        architecture: std::env::consts::ARCH.into(),
    }
}

/// Takes what is recorded until the process has ended.
fn drain(
    mut recording: Recording,
    recorder: &mut Recorder,
    process: &OwnedFd,
) -> Result<(), IoError> {
    loop {
        let seen = recording.seen();
        // What is taken after it has ended is all that there is.
        let has_ended = has_ended(process);
        recording.take(|area, thread, events| {
            recorder.name(area, thread);
            recorder.take(area, events)
        })?;
        if has_ended {
            return Ok(());
        }
        recording.wait(seen, PERIOD);
    }
}

fn has_ended(process: &OwnedFd) -> bool {
    let now = Timespec {
        tv_sec: 0,
        tv_nsec: 0,
    };
    let mut polled = [PollFd::new(process, PollFlags::IN)];
    poll(&mut polled, Some(&now)).is_ok_and(|ready| ready > 0)
}
