//! A scenario over and over, each time with another setting, until it fails: for what shows only
//! sometimes.

mod vary;

use std::fs;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use crate::error::HostError;
use crate::guest::image::Image;
use crate::guest::overrides::Manner;
use crate::judge::snapshot::Update;
use crate::judge::verdict::Verdict;
use crate::report::evidence;
use crate::run::interrupt;
use crate::run::job::{self, Done};
use crate::run::plan::{self, Item, Job};
use crate::run::progress::Board;
use crate::run::repro;
use crate::run::suite::{self, SuiteError, memory_budget, worker_pool};
use crate::run::variation::Setting;
use crate::scenario::{ScenarioError, Source};
use crate::tree::Tree;

use vary::Room;

/// What a guest must be able to do to have several CPUs.
const SMP: &str = "smp";
/// More runs than anybody has the time for.
const ENDLESS: u32 = 1_000_000;

/// What is asked for.
#[derive(Debug, Clone)]
pub struct Request {
    /// A scenario's id or part of it, or its file.
    pub scenario: String,
    /// A guest, or `all`: those that it is for, by turns.
    pub guest: String,
    /// The seeded defect.
    pub mutant: Option<String>,
    /// How many runs at most, if there is an end to that.
    pub runs: Option<u32>,
    /// For how long new ones are begun, if that has an end.
    pub time: Option<Duration>,
    /// The number of the first one, from 1.
    pub from: u32,
    /// From what the settings are made.
    pub seed: u64,
    /// How many at once; as many as there is room for if it is not said.
    pub jobs: Option<usize>,
}

/// Why nothing was run.
#[derive(Debug, thiserror::Error)]
pub enum HuntError {
    /// As with any run.
    #[error(transparent)]
    Suite(#[from] SuiteError),
    /// Several scenarios are meant.
    #[error("`{name}` is {count} scenarios: {}; a hunt is for one", ids.join(", "))]
    Many {
        /// What was asked for.
        name: String,
        /// How many that is.
        count: usize,
        /// Some of them.
        ids: Vec<String>,
    },
    /// No guest runs it.
    #[error("nothing to hunt in: {}", why.join("; "))]
    NoGuest {
        /// Why each of them does not.
        why: Vec<String>,
    },
}

impl From<ScenarioError> for HuntError {
    fn from(error: ScenarioError) -> Self {
        Self::Suite(error.into())
    }
}

impl From<HostError> for HuntError {
    fn from(error: HostError) -> Self {
        Self::Suite(error.into())
    }
}

/// A guest to hunt in.
#[derive(Debug)]
struct Ground {
    image: Image,
    job: Job,
    room: Room,
}

/// One run, over.
#[derive(Debug)]
pub struct Shot {
    /// Its number.
    pub number: u32,
    /// What it ran on.
    pub setting: Setting,
    /// What came of it.
    pub done: Done,
    /// Its evidence; gone where there is nothing to see.
    pub folder: PathBuf,
}

impl Shot {
    /// Whether it is what the hunt is for.
    pub fn is_hit(&self) -> bool {
        is_hit(self.done.report.verdict) && !self.done.interrupted
    }

    /// One that was interrupted is no news.
    fn tell(&self, told: impl Fn(&Self)) {
        if !self.done.interrupted {
            told(self);
        }
    }

    /// The command that runs it again.
    pub fn repro(&self) -> String {
        format!("cargo xtask repro {}", repro::word(&self.done.report.id))
    }
}

/// A defect that is caught is found as well; what is broken needs a look, whatever it is.
fn is_hit(verdict: Verdict) -> bool {
    !matches!(verdict, Verdict::Pass | Verdict::Missed)
}

/// How a hunt ended.
#[derive(Debug)]
pub struct Bag {
    /// How many runs came to an end.
    pub runs: usize,
    /// The number of the first run that did not.
    pub next: u32,
    /// What was found: the run of the lowest number that failed.
    pub hit: Option<Shot>,
}

/// Hunts, and tells each run to `told` as it ends.
pub fn run(tree: &Tree, request: &Request, told: impl Fn(&Shot)) -> Result<Bag, HuntError> {
    let grounds = grounds(tree, request)?;
    let numbers: Vec<u32> = (request.from..)
        .take(size(request.runs.unwrap_or(ENDLESS)))
        .collect();
    let images = grounds.iter().map(|ground| ground.widest());
    let images: Vec<Image> = images.collect();
    let workers = request
        .jobs
        .unwrap_or_else(|| memory_budget::jobs(images.iter()));
    let board = Board::new(numbers.len());
    let (begun, time) = (Instant::now(), request.time.unwrap_or(Duration::MAX));
    let is_found = AtomicBool::new(false);
    let shots = worker_pool::work(
        &numbers,
        workers,
        |_| 1,
        || !interrupt::asked() && !is_found.load(Ordering::Relaxed) && begun.elapsed() < time,
        |number, _| {
            let shot = shoot(tree, &grounds, request.seed, *number, &board);
            is_found.fetch_or(shot.is_hit(), Ordering::Relaxed);
            shot
        },
        |shot| board.above(|| shot.tell(&told)),
    );
    Ok(bag(request.from, shots))
}

fn size(count: u32) -> usize {
    usize::try_from(count).unwrap_or(usize::MAX)
}

/// The runs in the order of their numbers; what was interrupted was no run.
fn bag(from: u32, shots: Vec<Shot>) -> Bag {
    let over = shots.into_iter().filter(|shot| !shot.done.interrupted);
    let (mut runs, mut next, mut hit) = (0, from, None);
    for shot in over {
        runs += 1;
        if shot.number == next {
            next += 1;
        }
        if hit.is_none() && shot.is_hit() {
            hit = Some(shot);
        }
    }
    Bag { runs, next, hit }
}

fn shoot(tree: &Tree, grounds: &[Ground], seed: u64, number: u32, board: &Board) -> Shot {
    let ground = &grounds[size(number) % grounds.len()];
    let mut job = ground.job.clone();
    job.id.copy = Some(number);
    let setting = vary::setting(seed, number, ground.room);
    let manner = Manner {
        setting: setting.clone(),
        ..Manner::default()
    };
    let progress = board.line(&job.id.to_string());
    let done = job::run_in(
        &manner,
        &job,
        &ground.image,
        tree,
        Update::Nothing,
        &progress,
    );
    let shot = Shot {
        number,
        setting,
        done,
        folder: evidence::folder(tree, &job.id),
    };
    if !shot.is_hit() {
        // There may be thousands; one that stays does no harm.
        fs::remove_dir_all(&shot.folder).ok();
    }
    shot
}

fn grounds(tree: &Tree, request: &Request) -> Result<Vec<Ground>, HuntError> {
    let source = source(tree, request)?;
    let (mut grounds, mut why) = (Vec::new(), Vec::new());
    for guest in suite::guests(tree, &request.guest)? {
        let image = Image::read(tree, &guest)?;
        image.check_host(&guest)?;
        match job(&source, &image, request.mutant.as_deref())? {
            Ok(job) => grounds.push(Ground::new(image, job)),
            Err(reason) => why.push(reason),
        }
    }
    match grounds.is_empty() {
        false => Ok(grounds),
        true => Err(HuntError::NoGuest { why }),
    }
}

fn source(tree: &Tree, request: &Request) -> Result<Arc<Source>, HuntError> {
    const TOLD: usize = 5;
    let name = &request.scenario;
    let found = suite::sources(tree, std::slice::from_ref(name))?;
    if let Some(exact) = found.iter().find(|source| source.id == *name) {
        return Ok(Arc::clone(exact));
    }
    match found.as_slice() {
        [one] => Ok(Arc::clone(one)),
        many => Err(HuntError::Many {
            name: name.clone(),
            count: many.len(),
            ids: many.iter().take(TOLD).map(|s| s.id.clone()).collect(),
        }),
    }
}

/// The job in that guest, or why there is none.
fn job(
    source: &Arc<Source>,
    image: &Image,
    mutant: Option<&str>,
) -> Result<Result<Job, String>, ScenarioError> {
    let items = plan::plan(
        std::slice::from_ref(source),
        &image.target(),
        mutant.is_some(),
    )?;
    let mut known = Vec::new();
    for item in items {
        match item {
            Item::Skip { why, .. } => return Ok(Err(why)),
            Item::Run(job) if job.id.mutant.as_deref() == mutant => return Ok(Ok(*job)),
            Item::Run(job) => known.extend(job.id.mutant),
        }
    }
    let known = match known.as_slice() {
        [] => "none".to_owned(),
        names => names.join(", "),
    };
    let name = mutant.unwrap_or_default();
    let (guest, id) = (&image.guest, &source.id);
    Ok(Err(format!(
        "{guest} has no mutant `{name}` for {id}; it has {known}"
    )))
}

impl Ground {
    fn new(image: Image, job: Job) -> Self {
        let is_smp = image.capabilities.iter().any(|can| can == SMP);
        let room = Room {
            cpus: is_smp && job.scenario.cpus.is_none(),
            clock: job.scenario.clock.is_none(),
            memory: image.machine().map_or(&[], |machine| machine.memory),
        };
        Self { image, job, room }
    }

    /// Its image with as much memory as it may get.
    fn widest(&self) -> Image {
        let setting = Setting {
            memory: self.room.memory.iter().max().copied(),
            ..Setting::default()
        };
        let manner = Manner {
            setting,
            ..Manner::default()
        };
        self.image.clone().in_manner(&manner)
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;
    use crate::report::JobReport;
    use crate::run::plan::Target;
    use crate::scenario::Names;

    fn image(mutants: &[&str]) -> Image {
        Image::of(&Target {
            guest: "armv6".to_owned(),
            names: Names::default(),
            capabilities: vec![SMP.to_owned()],
            mutants: mutants.iter().map(|m| (*m).to_owned()).collect(),
        })
    }

    fn source(more: &str) -> Arc<Source> {
        let text = format!("asserts: a\ntrace: b\nstop: exits\n{more}");
        Arc::new(Source::parse("a/b", Path::new("x.yaml"), &text).expect("valid"))
    }

    #[test]
    fn a_hunt_is_for_the_job_with_that_defect_or_says_what_there_is() {
        let source = source("mutants: {m: {fails: guest-crash, says: x}}\n");
        let found = |image: &Image, mutant| {
            let job = job(&source, image, mutant).expect("names are known");
            job.map(|job| job.id.to_string())
        };
        assert_eq!(found(&image(&["m"]), None).as_deref(), Ok("armv6 a/b"));
        assert_eq!(
            found(&image(&["m"]), Some("m")).as_deref(),
            Ok("armv6 a/b+m")
        );
        let why = found(&image(&["m"]), Some("n")).expect_err("not there");
        assert_eq!(why, "armv6 has no mutant `n` for a/b; it has none, m");
    }

    #[test]
    fn cpus_vary_only_where_the_scenario_leaves_them_open() {
        let room = |more: &str| {
            let job = job(&source(more), &image(&[]), None).expect("names are known");
            Ground::new(image(&[]), job.expect("a job")).room.cpus
        };
        assert_eq!((room(""), room("cpus: 2\n")), (true, false));
    }

    fn shot(number: u32, verdict: Verdict, interrupted: bool) -> Shot {
        let job = job(&source(""), &image(&[]), None).expect("names are known");
        let report = JobReport::not_run(&job.expect("a job").id, verdict, String::new());
        Shot {
            number,
            setting: Setting::default(),
            done: Done {
                interrupted,
                ..Done::without_a_run(report)
            },
            folder: PathBuf::new(),
        }
    }

    #[test]
    fn a_bag_says_where_to_go_on_and_holds_the_first_hit() {
        let passed = |number| shot(number, Verdict::Pass, false);
        let left = shot(6, Verdict::Broken, true);
        let all = bag(4, vec![passed(4), passed(5), left, passed(7)]);
        assert_eq!((all.runs, all.next), (3, 6));
        assert!(all.hit.is_none());
        let caught = |number| shot(number, Verdict::Caught, false);
        let hit = bag(1, vec![passed(1), caught(2), caught(3)]).hit;
        assert_eq!(hit.map(|shot| shot.number), Some(2));
        assert!(!is_hit(Verdict::Missed) && is_hit(Verdict::Broken));
    }

    #[test]
    fn a_shot_says_how_to_run_it_again() {
        let mut shot = shot(7, Verdict::Fail, false);
        shot.done.report.id.copy = Some(7);
        assert_eq!(shot.repro(), "cargo xtask repro armv6::a::b#7");
    }
}
