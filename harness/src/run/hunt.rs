//! Runs one scenario repeatedly, each time with another variation, until it fails: for failures
//! that need a rare timing.

mod vary;

use std::fs;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use crate::error::HostError;
use crate::guest::image::Image;
use crate::guest::overrides::Overrides;
use crate::judge::snapshot::Update;
use crate::judge::verdict::Verdict;
use crate::report::evidence;
use crate::run::interrupt;
use crate::run::job::{self, Done};
use crate::run::plan::{self, Item, Job};
use crate::run::progress::Board;
use crate::run::repro;
use crate::run::suite::{self, SuiteError, memory_budget, worker_pool};
use crate::run::variation::Variation;
use crate::scenario::{ScenarioError, Source};
use crate::tree::Tree;

use vary::Axes;

/// Capability of guests that can have several CPUs.
const SMP: &str = "smp";
/// Number of runs if no limit is given; the time limit ends such a hunt first.
const ENDLESS: u32 = 1_000_000;

/// The request of `hunt`.
#[derive(Debug, Clone)]
pub struct Request {
    /// A scenario's id, a part of it, or its file.
    pub scenario: String,
    /// A guest, or `all` to alternate between those that the scenario is for.
    pub guest: String,
    /// The seeded defect.
    pub mutant: Option<String>,
    /// Limit on the number of runs.
    pub runs: Option<u32>,
    /// Time after which no further run is started.
    pub time: Option<Duration>,
    /// The number of the first run, from 1.
    pub from: u32,
    /// Seed of the variations.
    pub seed: u64,
    /// Number of concurrent runs; by default what cores and memory allow.
    pub jobs: Option<usize>,
}

/// Why nothing was run.
#[derive(Debug, thiserror::Error)]
pub enum HuntError {
    /// An error of any run.
    #[error(transparent)]
    Suite(#[from] SuiteError),
    /// The name matches several scenarios.
    #[error("`{name}` matches {count} scenarios: {}; a hunt runs one", ids.join(", "))]
    Many {
        /// The name.
        name: String,
        /// Number of matches.
        count: usize,
        /// Some of them.
        ids: Vec<String>,
    },
    /// No guest can run it.
    #[error("no guest can run it: {}", why.join("; "))]
    NoGuest {
        /// The reason for each guest.
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

/// A guest to hunt in, with its job and the ways it can vary.
#[derive(Debug)]
struct Candidate {
    image: Image,
    job: Job,
    axes: Axes,
}

/// A finished run.
#[derive(Debug)]
pub struct HuntRun {
    /// Its number.
    pub number: u32,
    /// Its variation.
    pub setting: Variation,
    /// Its result.
    pub done: Done,
    /// Its evidence; removed unless it is a hit.
    pub folder: PathBuf,
}

impl HuntRun {
    /// Whether it ends the hunt.
    pub fn is_hit(&self) -> bool {
        is_hit(self.done.report.verdict) && !self.done.interrupted
    }

    /// Reports the run, unless it was interrupted.
    fn report_to(&self, on_done: impl Fn(&Self)) {
        if !self.done.interrupted {
            on_done(self);
        }
    }

    /// The command that runs it again.
    pub fn repro(&self) -> String {
        format!("cargo xtask repro {}", repro::word(&self.done.report.id))
    }
}

/// Caught mutants count, and so do broken jobs: either needs a look.
fn is_hit(verdict: Verdict) -> bool {
    !matches!(verdict, Verdict::Pass | Verdict::Missed)
}

/// The result of a hunt.
#[derive(Debug)]
pub struct HuntResult {
    /// Number of finished runs.
    pub runs: usize,
    /// The number to continue from: the first run that did not finish.
    pub next: u32,
    /// The hit with the lowest number.
    pub hit: Option<HuntRun>,
}

/// Hunts, and calls `on_done` as each run ends.
pub fn run(
    tree: &Tree,
    request: &Request,
    on_done: impl Fn(&HuntRun),
) -> Result<HuntResult, HuntError> {
    let candidates = candidates(tree, request)?;
    let numbers: Vec<u32> = (request.from..)
        .take(size(request.runs.unwrap_or(ENDLESS)))
        .collect();
    let images = candidates.iter().map(|candidate| candidate.widest());
    let images: Vec<Image> = images.collect();
    let workers = request
        .jobs
        .unwrap_or_else(|| memory_budget::jobs(images.iter()));
    let board = Board::new(numbers.len());
    let (begun, time) = (Instant::now(), request.time.unwrap_or(Duration::MAX));
    let is_found = AtomicBool::new(false);
    let all_runs = worker_pool::work(
        &numbers,
        workers,
        |_| 1,
        || !interrupt::is_pending() && !is_found.load(Ordering::Relaxed) && begun.elapsed() < time,
        |number, _| {
            let finished = run_once(tree, &candidates, request.seed, *number, &board);
            is_found.fetch_or(finished.is_hit(), Ordering::Relaxed);
            finished
        },
        |finished| board.above(|| finished.report_to(&on_done)),
    );
    Ok(sum_up(request.from, all_runs))
}

fn size(count: u32) -> usize {
    usize::try_from(count).unwrap_or(usize::MAX)
}

/// Sums up the runs, which are in order of their numbers; interrupted ones do not count.
fn sum_up(from: u32, all_runs: Vec<HuntRun>) -> HuntResult {
    let over = all_runs
        .into_iter()
        .filter(|finished| !finished.done.interrupted);
    let (mut runs, mut next, mut hit) = (0, from, None);
    for finished in over {
        runs += 1;
        if finished.number == next {
            next += 1;
        }
        if hit.is_none() && finished.is_hit() {
            hit = Some(finished);
        }
    }
    HuntResult { runs, next, hit }
}

fn run_once(
    tree: &Tree,
    candidates: &[Candidate],
    seed: u64,
    number: u32,
    board: &Board,
) -> HuntRun {
    let candidate = &candidates[size(number) % candidates.len()];
    let mut job = candidate.job.clone();
    job.id.copy = Some(number);
    let setting = vary::variation(seed, number, candidate.axes);
    let overrides = Overrides {
        setting: setting.clone(),
        ..Overrides::default()
    };
    let progress = board.line(&job.id.to_string());
    let done = job::run_in(
        &overrides,
        &job,
        &candidate.image,
        tree,
        Update::Nothing,
        &progress,
    );
    let finished = HuntRun {
        number,
        setting,
        done,
        folder: evidence::folder(tree, &job.id),
    };
    if !finished.is_hit() {
        // There may be thousands of these; a failure to remove one is harmless.
        fs::remove_dir_all(&finished.folder).ok();
    }
    finished
}

fn candidates(tree: &Tree, request: &Request) -> Result<Vec<Candidate>, HuntError> {
    let source = source(tree, request)?;
    let (mut candidates, mut why) = (Vec::new(), Vec::new());
    for guest in suite::guests(tree, &request.guest)? {
        let image = Image::read(tree, &guest)?;
        image.check_host(&guest)?;
        match job(&source, &image, request.mutant.as_deref())? {
            Ok(job) => candidates.push(Candidate::new(image, job)),
            Err(reason) => why.push(reason),
        }
    }
    match candidates.is_empty() {
        false => Ok(candidates),
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

/// The job in that guest; the inner error says why there is none.
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

impl Candidate {
    fn new(image: Image, job: Job) -> Self {
        let is_smp = image.capabilities.iter().any(|can| can == SMP);
        let axes = Axes {
            cpus: is_smp && job.scenario.cpus.is_none(),
            clock: job.scenario.clock.is_none(),
            memory: image.machine().map_or(&[], |machine| machine.memory),
        };
        Self { image, job, axes }
    }

    /// The image with the largest memory it may get, for the memory budget.
    fn widest(&self) -> Image {
        let setting = Variation {
            memory: self.axes.memory.iter().max().copied(),
            ..Variation::default()
        };
        let overrides = Overrides {
            setting,
            ..Overrides::default()
        };
        self.image.clone().with_overrides(&overrides)
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
    fn mutant_selects_the_job_or_known_ones_are_listed() {
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
        let axes = |more: &str| {
            let job = job(&source(more), &image(&[]), None).expect("names are known");
            Candidate::new(image(&[]), job.expect("a job")).axes.cpus
        };
        assert_eq!((axes(""), axes("cpus: 2\n")), (true, false));
    }

    fn finished(number: u32, verdict: Verdict, interrupted: bool) -> HuntRun {
        let job = job(&source(""), &image(&[]), None).expect("names are known");
        let report = JobReport::not_run(&job.expect("a job").id, verdict, String::new());
        HuntRun {
            number,
            setting: Variation::default(),
            done: Done {
                interrupted,
                ..Done::without_a_run(report)
            },
            folder: PathBuf::new(),
        }
    }

    #[test]
    fn result_has_next_run_and_first_hit() {
        let passed = |number| finished(number, Verdict::Pass, false);
        let left = finished(6, Verdict::Broken, true);
        let all = sum_up(4, vec![passed(4), passed(5), left, passed(7)]);
        assert_eq!((all.runs, all.next), (3, 6));
        assert!(all.hit.is_none());
        let caught = |number| finished(number, Verdict::Caught, false);
        let hit = sum_up(1, vec![passed(1), caught(2), caught(3)]).hit;
        assert_eq!(hit.map(|finished| finished.number), Some(2));
        assert!(!is_hit(Verdict::Missed) && is_hit(Verdict::Broken));
    }

    #[test]
    fn run_has_its_repro_command() {
        let mut finished = finished(7, Verdict::Fail, false);
        finished.done.report.id.copy = Some(7);
        assert_eq!(finished.repro(), "cargo xtask repro armv6::a::b#7");
    }
}
