//! A job once more, from what it left: the same scenario's text, the same start, the same setting, with
//! the guest's console on the terminal.

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
use crate::guest::overrides::{Hold, Manner};
use crate::guest::tape::Tape;
use crate::judge::snapshot::Update;
use crate::report::evidence::Evidence;
use crate::run::job::{self, Done};
use crate::run::job_file::{Kept, KeptError};
use crate::run::plan::{Job, JobId};
use crate::run::progress::Progress;
use crate::run::variation::Setting;
use crate::scenario::Cpus;
use crate::tree::Tree;

use gdb::Debugger;
use live::Live;

pub use name::{NoJob, word};
pub use replay::Played;

/// Where, in a job's evidence, that of its rerun goes.
const FOLDER: &str = "repro";
/// The same where it is recorded: another rerun leaves that alone.
const RECORDED: &str = "record";

/// The recording, beside the rest of the evidence.
const TAPE: &str = "replay.bin";
/// Where, beside the recording, the evidence of its replay goes.
const REPLAY: &str = "replay";

/// What is wanted beside the job itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum With {
    /// Nothing.
    #[default]
    Nothing,
    /// A debugger.
    Gdb,
    /// QEMU's recording of it.
    Record,
}

/// Why nothing was run.
#[derive(Debug, thiserror::Error)]
pub enum ReproError {
    /// No such job.
    #[error(transparent)]
    NoJob(#[from] NoJob),
    /// What the job left is not enough.
    #[error(transparent)]
    Kept(#[from] KeptError),
    /// QEMU cannot record this.
    #[error(
        "{guest}: QEMU records guests of one CPU, and {scenario} is about {cpus}; without --record it runs as it did"
    )]
    ManyCpus {
        /// The guest.
        guest: String,
        /// The scenario.
        scenario: String,
        /// How many CPUs it wants.
        cpus: u8,
    },
    /// Nothing was recorded.
    #[error("nothing was recorded of {id}; `cargo xtask repro {word} --record` does it")]
    NoTape {
        /// The job.
        id: JobId,
        /// The same as one word.
        word: String,
    },
    /// The host lacks something.
    #[error(transparent)]
    Host(#[from] HostError),
}

/// What was said of a job.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct Said {
    /// The verdict's word.
    pub verdict: String,
    /// Why, in one line.
    pub why: String,
}

/// What came of it.
#[derive(Debug)]
pub struct Again {
    /// The rerun.
    pub done: Done,
    /// What was said the first time, if that is known.
    pub before: Option<Said>,
    /// Where the rerun's evidence is.
    pub folder: PathBuf,
}

/// A job to be run again, and everything that it takes.
struct Rerun<'a> {
    tree: &'a Tree,
    /// The evidence of the first time.
    folder: PathBuf,
    kept: Kept,
    image: Image,
    machine: &'static Machine,
    /// Keeps another run from clearing the evidence away meanwhile.
    _lock: File,
}

/// Runs the job that `name` means again.
pub fn run(tree: &Tree, name: &str, with: With) -> Result<Again, ReproError> {
    let rerun = Rerun::of(tree, name)?;
    println!("{}: {}", rerun.kept.id.clone(), rerun.told());
    rerun.run(with)
}

/// Plays what was recorded of the job that `name` means; with a debugger, if `gdb` says so.
pub fn replay(tree: &Tree, name: &str, gdb: bool) -> Result<Played, ReproError> {
    let rerun = Rerun::of(tree, name)?;
    println!("{}: replayed", rerun.kept.id.clone());
    rerun.play(gdb)
}

impl<'a> Rerun<'a> {
    fn of(tree: &'a Tree, name: &str) -> Result<Self, ReproError> {
        let folder = name::folder(tree, name)??;
        let lock = File::open(&folder).map_err(HostError::file("open", &folder))?;
        lock::take(&lock, Share::Readers, &folder)?;
        let kept = Kept::read(&folder)?;
        let image = Image::read(tree, &kept.id.guest)?;
        image.check_host(&kept.id.guest)?;
        let machine = image
            .machine()
            .ok_or_else(|| HostError::Qemu(format!("no machine `{}` is known", image.machine)))?;
        Ok(Self {
            tree,
            folder,
            kept,
            image,
            machine,
            _lock: lock,
        })
    }

    /// How it is run.
    fn told(&self) -> String {
        let start = match self.kept.cold_because() {
            Some(why) => format!("boots ({why})"),
            None => "restored".to_owned(),
        };
        format!("{start}, {}", self.kept.setting)
    }

    fn run(&self, with: With) -> Result<Again, ReproError> {
        let job = self.kept.job(self.tree, &self.image)?;
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
        let manner = Manner {
            folder: Some(folder.clone()),
            setting: self.setting(with),
            cold: self.kept.cold_because(),
            tape: (with == With::Record).then(|| Tape::Record(folder.join(TAPE))),
            hold: (with != With::Nothing).then_some(&debugger as &dyn Hold),
        };
        // What another rerun left is not this one's console.
        fs::remove_file(folder.join("console.log")).ok();
        let live = Live::show(&folder.join("console.log"));
        let progress = Progress::told();
        let done = job::run_in(
            &manner,
            &job,
            &self.image,
            self.tree,
            Update::Nothing,
            &progress,
        );
        drop(live);
        Ok(Again {
            done,
            before: said(&self.folder),
            folder,
        })
    }
}

impl Rerun<'_> {
    /// QEMU records one CPU.
    fn setting(&self, with: With) -> Setting {
        let setting = self.kept.setting.clone();
        match with {
            With::Record => Setting {
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
                guest: self.kept.id.guest.clone(),
                scenario: self.kept.id.scenario.clone(),
                cpus,
            }),
        }
    }

    fn play(&self, gdb: bool) -> Result<Played, ReproError> {
        let found = replay::find(&self.folder, RECORDED, TAPE);
        let recorded = found.ok_or_else(|| {
            let id = self.kept.id.clone();
            let word = word(&id);
            ReproError::NoTape { id, word }
        })?;
        let kept = Kept::read(&recorded)?;
        let job = kept.job(self.tree, &self.image)?;
        let tape = Tape::Replay {
            path: recorded.join(TAPE),
            is_held: gdb,
        };
        let manner = Manner {
            setting: kept.setting.clone(),
            tape: Some(tape),
            ..Manner::default()
        };
        let image = self.image.clone();
        let image = image.with_cpus(job.scenario.cpus, job.scenario.processor);
        let image = image.with_append(job.scenario.append.as_deref());
        let image = image.with_clock(job.scenario.clock.unwrap_or_default());
        let image = image.in_manner(&manner);
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

/// What the job's own result says, if it has one.
fn said(folder: &Path) -> Option<Said> {
    let text = fs::read_to_string(folder.join("result.json")).ok()?;
    serde_json::from_str(&text).ok()
}

impl Again {
    /// How it compares with the first time, in one line.
    pub fn compared(&self) -> String {
        let Some(before) = &self.before else {
            return "nothing is known of how it ended before".to_owned();
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
