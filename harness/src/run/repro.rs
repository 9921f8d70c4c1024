//! Runs a job again from its job file: same scenario text, same start, same variation, with the
//! guest's console on the terminal.

pub mod gdb;
mod live;
mod name;
mod replay;
mod symbols;

use std::fs::{self, File};
use std::path::{Path, PathBuf};

use serde::Deserialize;

use crate::error::HostError;
use crate::guest::image::Image;
use crate::guest::lock::{self, Share};
use crate::guest::machine::Machine;
use crate::guest::overrides::{Hold, Overrides};
use crate::guest::recording::Recording;
use crate::judge::snapshot::Update;
use crate::report::evidence::Evidence;
use crate::run::job::{self, Done};
use crate::run::job_file::{JobFile, JobFileError};
use crate::run::plan::{Job, JobId};
use crate::run::progress::Progress;
use crate::run::variation::Variation;
use crate::scenario::Cpus;
use crate::tree::Tree;

use gdb::Debugger;
use live::Live;

pub use name::{NoJob, word};
pub use replay::ReplayResult;

/// The rerun's evidence, below the job's.
const FOLDER: &str = "repro";
/// The evidence of a recorded rerun, which plain reruns leave alone.
const RECORDED: &str = "record";

/// The recording, in its rerun's evidence.
const RECORDING: &str = "replay.bin";
/// The replay's evidence, below the recording's.
const REPLAY: &str = "replay";

/// What to do besides running the job.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum With {
    /// Nothing.
    #[default]
    Nothing,
    /// Hold it for gdb.
    Gdb,
    /// Record it with QEMU.
    Record,
}

/// Why nothing was run.
#[derive(Debug, thiserror::Error)]
pub enum ReproError {
    /// No job has this name.
    #[error(transparent)]
    NoJob(#[from] NoJob),
    /// The job file is missing or no longer valid.
    #[error(transparent)]
    JobFile(#[from] JobFileError),
    /// QEMU cannot record a guest with several CPUs.
    #[error(
        "{guest}: QEMU can record only single-CPU guests, and {scenario} needs {cpus} CPUs; omit --record"
    )]
    ManyCpus {
        /// The guest.
        guest: String,
        /// The scenario.
        scenario: String,
        /// The number of CPUs it requires.
        cpus: u8,
    },
    /// There is no recording.
    #[error("there is no recording of {id}; `cargo xtask repro {word} --record` makes one")]
    NoRecording {
        /// The job.
        id: JobId,
        /// Its id as one shell word.
        word: String,
    },
    /// The host lacks something.
    #[error(transparent)]
    Host(#[from] HostError),
}

/// The verdict in a `result.json`.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct Original {
    /// The verdict, by name.
    pub verdict: String,
    /// The reason, one line.
    pub why: String,
}

/// A rerun and its result.
#[derive(Debug)]
pub struct RerunResult {
    /// The result.
    pub done: Done,
    /// The result of the original, if it was recorded.
    pub before: Option<Original>,
    /// The rerun's evidence.
    pub folder: PathBuf,
}

/// A job to run again, with all that this needs.
struct Rerun<'a> {
    tree: &'a Tree,
    /// The evidence of the original.
    folder: PathBuf,
    job_file: JobFile,
    image: Image,
    machine: &'static Machine,
    /// Shared lock that keeps another run from clearing that evidence.
    _lock: File,
}

/// Runs the job that `name` refers to again.
pub fn run(tree: &Tree, name: &str, with: With) -> Result<RerunResult, ReproError> {
    let rerun = Rerun::of(tree, name)?;
    println!("{}: {}", rerun.job_file.id.clone(), rerun.description());
    rerun.run(with)
}

/// Replays the recording of the job that `name` refers to, with gdb if `gdb`.
pub fn replay(tree: &Tree, name: &str, gdb: bool) -> Result<ReplayResult, ReproError> {
    let rerun = Rerun::of(tree, name)?;
    println!("{}: replayed", rerun.job_file.id.clone());
    rerun.play(gdb)
}

impl<'a> Rerun<'a> {
    fn of(tree: &'a Tree, name: &str) -> Result<Self, ReproError> {
        let folder = name::folder(tree, name)??;
        let lock = File::open(&folder).map_err(HostError::file("open", &folder))?;
        lock::take(&lock, Share::Readers, &folder)?;
        let job_file = JobFile::read(&folder)?;
        let image = Image::read(tree, &job_file.id.guest)?;
        image.check_host(&job_file.id.guest)?;
        let machine = image
            .machine()
            .ok_or_else(|| HostError::Qemu(format!("unknown machine `{}`", image.machine)))?;
        Ok(Self {
            tree,
            folder,
            job_file,
            image,
            machine,
            _lock: lock,
        })
    }

    /// How it will start and its variation, for the user.
    fn description(&self) -> String {
        let start = match self.job_file.cold_because() {
            Some(why) => format!("boots ({why})"),
            None => "restored".to_owned(),
        };
        format!("{start}, {}", self.job_file.setting)
    }

    fn run(&self, with: With) -> Result<RerunResult, ReproError> {
        let job = self.job_file.job(self.tree, &self.image)?;
        if with == With::Record {
            self.check_cpus(&job)?;
        }
        let folder = self.folder.join(match with {
            With::Record => RECORDED,
            With::Nothing | With::Gdb => FOLDER,
        });
        let has_mutant = job.mutant.is_some();
        let mut debugger = Debugger::new(self.tree, &self.image, self.machine, has_mutant);
        debugger.waits = with == With::Gdb;
        let overrides = Overrides {
            folder: Some(folder.clone()),
            setting: self.setting(with),
            cold: self.job_file.cold_because(),
            recording: (with == With::Record).then(|| Recording::Record(folder.join(RECORDING))),
            hold: (with != With::Nothing).then_some(&debugger as &dyn Hold),
        };
        // The console of an earlier rerun must not be shown as this one's.
        fs::remove_file(folder.join("console.log")).ok();
        let live = Live::show(&folder.join("console.log"));
        let progress = Progress::plain();
        let done = job::run_in(
            &overrides,
            &job,
            &self.image,
            self.tree,
            Update::Nothing,
            &progress,
        );
        drop(live);
        Ok(RerunResult {
            done,
            before: original(&self.folder),
            folder,
        })
    }
}

impl Rerun<'_> {
    /// The job's variation; a recording has one CPU.
    fn setting(&self, with: With) -> Variation {
        let setting = self.job_file.setting.clone();
        match with {
            With::Record => Variation {
                cpus: Some(1),
                ..setting
            },
            With::Nothing | With::Gdb => setting,
        }
    }

    fn check_cpus(&self, job: &Job) -> Result<(), ReproError> {
        match job.scenario.cpus.map(Cpus::count) {
            None | Some(1) => Ok(()),
            Some(cpus) => Err(ReproError::ManyCpus {
                guest: self.job_file.id.guest.clone(),
                scenario: self.job_file.id.scenario.clone(),
                cpus,
            }),
        }
    }

    fn play(&self, gdb: bool) -> Result<ReplayResult, ReproError> {
        let found = replay::find(&self.folder, RECORDED, RECORDING);
        let recorded = found.ok_or_else(|| {
            let id = self.job_file.id.clone();
            let word = word(&id);
            ReproError::NoRecording { id, word }
        })?;
        let job_file = JobFile::read(&recorded)?;
        let job = job_file.job(self.tree, &self.image)?;
        let recording = Recording::Replay {
            path: recorded.join(RECORDING),
            is_held: gdb,
        };
        let overrides = Overrides {
            setting: job_file.setting.clone(),
            recording: Some(recording),
            ..Overrides::default()
        };
        let image = self.image.clone().with_wishes(&job.scenario);
        let image = image.with_overrides(&overrides);
        let has_mutant = job.mutant.is_some();
        let debugger = gdb.then(|| Debugger::new(self.tree, &image, self.machine, has_mutant));
        let evidence = Evidence::cleared(recorded.join(REPLAY))?;
        let _live = Live::show(&evidence.console());
        let debugger = debugger.as_ref();
        Ok(replay::play(
            self.machine,
            &image,
            &recorded,
            &evidence,
            debugger,
        )?)
    }
}

/// The original's result, if it was recorded.
fn original(folder: &Path) -> Option<Original> {
    let text = fs::read_to_string(folder.join("result.json")).ok()?;
    serde_json::from_str(&text).ok()
}

impl RerunResult {
    /// Compares with the original, in one line.
    pub fn compared(&self) -> String {
        let Some(before) = &self.before else {
            return "the earlier result is unknown".to_owned();
        };
        let report = &self.done.report;
        match report.verdict.to_string() == before.verdict && report.why == before.why {
            true => "as before".to_owned(),
            false => format!("before: {} {}", before.verdict, before.why)
                .trim_end()
                .to_owned(),
        }
    }
}
