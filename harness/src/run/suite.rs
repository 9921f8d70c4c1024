//! A whole run: from the command line's request to jobs and the report on them.

mod attempts;
pub(crate) mod memory_budget;
pub(crate) mod worker_pool;

use std::cmp::Reverse;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use chrono::Utc;

use crate::error::HostError;
use crate::guest::image::Image;
use crate::guest::image_file;
use crate::judge::snapshot::Update;
use crate::report::keep::Budget;
use crate::report::{Entry, Report, Span};
use crate::run::interrupt;
use crate::run::job;
use crate::run::plan::{self, Item};
use crate::run::progress::Board;
use crate::run::select::{self, NoMatch};
use crate::scenario::{Extent, ScenarioError, Source};
use crate::tree::{self, Tree};

use attempts::RunContext;

/// The request of `vm-test`.
#[derive(Debug, Clone, Default)]
pub struct Request {
    /// A guest, `all` or `all@all`.
    pub guest: String,
    /// Substrings of scenario ids, or scenario files.
    pub filters: Vec<String>,
    /// Whether to run mutants as well.
    pub mutants: bool,
    /// Number of concurrent jobs; by default what cores and memory allow.
    pub jobs: Option<usize>,
    /// Number of copies of each job; `None` for one job without a number.
    pub repeat: Option<u32>,
    /// How many times a job that fails is run again.
    pub retries: u32,
}

/// Why nothing was run.
#[derive(Debug, thiserror::Error)]
pub enum SuiteError {
    /// No guest has this name.
    #[error("unknown guest `{name}`; known: {}, `all`, `all@all`", known.join(", "))]
    NoGuest {
        /// The name.
        name: String,
        /// The names that exist.
        known: Vec<String>,
    },
    /// No scenario matches a filter.
    #[error(transparent)]
    NoMatch(#[from] NoMatch),
    /// A scenario file cannot be read.
    #[error("{}: {cause}", path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// The cause.
        cause: std::io::Error,
    },
    /// Two files with the same id, and so the same evidence folder.
    #[error("{} and {} have the same name, {id}; rename one", first.display(), second.display())]
    SameName {
        /// The id.
        id: String,
        /// One file.
        first: PathBuf,
        /// The other.
        second: PathBuf,
    },
    /// `--repeat` together with accepting snapshots: copies would compete for the reviewed text.
    #[error("INSTA_UPDATE accepts the output of one run; omit --repeat, or set INSTA_UPDATE=no")]
    RepeatAccepts,
    /// `TRAPLINE_SCALE` has an unknown value.
    #[error("{0}")]
    Extent(String),
    /// A scenario is invalid.
    #[error(transparent)]
    Scenario(#[from] ScenarioError),
    /// The host lacks something.
    #[error(transparent)]
    Host(#[from] HostError),
}

/// The jobs of one guest.
#[derive(Debug)]
pub struct Batch {
    /// The guest.
    pub image: Image,
    /// Its jobs and skips.
    pub items: Vec<Item>,
}

/// Expands a guest's name, `all` (every guest with its default kernel) or `all@all` (with each of its kernels).
pub fn guests(tree: &Tree, name: &str) -> Result<Vec<String>, SuiteError> {
    if name == "all" {
        return Ok(tree.guests()?);
    }
    let known = image_file::names(tree)?;
    if name == "all@all" {
        return Ok(known);
    }
    if known.iter().any(|guest| guest == name) {
        return Ok(vec![name.to_owned()]);
    }
    Err(SuiteError::NoGuest {
        name: name.to_owned(),
        known,
    })
}

/// Parses the scenarios that match `filters`; all of them without filters.
pub fn sources(tree: &Tree, filters: &[String]) -> Result<Vec<Arc<Source>>, SuiteError> {
    let (files, filters): (Vec<String>, Vec<String>) =
        filters.iter().cloned().partition(|f| is_file(f));
    let mut wanted: Vec<(String, PathBuf)> = Vec::new();
    for file in files {
        wanted.push(outside(tree, Path::new(&file))?);
    }
    if wanted.is_empty() || !filters.is_empty() {
        wanted.extend(inside(tree, &filters)?);
    }
    let wanted = once_each(wanted)?;
    let guests = image_file::names(tree)?;
    let checked = |(id, path): &(String, PathBuf)| {
        let source = read(id, path)?;
        source.check_guests(&guests)?;
        Ok(Arc::new(source))
    };
    wanted.iter().map(checked).collect()
}

/// Refuses a scenario that names a capability or mutant which no guest has.
fn check_words(tree: &Tree, sources: &[Arc<Source>]) -> Result<(), SuiteError> {
    let (mut capabilities, mut mutants) = (Vec::new(), Vec::new());
    for guest in image_file::guests(tree)? {
        capabilities.extend(guest.capabilities);
        mutants.extend(guest.mutants);
    }
    for words in [&mut capabilities, &mut mutants] {
        words.sort();
        words.dedup();
    }
    for source in sources {
        source.check_needs(&capabilities)?;
        source.check_mutants(&mutants)?;
    }
    Ok(())
}

fn is_file(filter: &str) -> bool {
    filter.ends_with(".yaml") || filter.ends_with(".yml")
}

/// A scenario given as a file; one of the workspace keeps its id.
fn outside(tree: &Tree, path: &Path) -> Result<(String, PathBuf), SuiteError> {
    let path = fs::canonicalize(path).map_err(|cause| SuiteError::Unreadable {
        path: path.to_owned(),
        cause,
    })?;
    let own = tree.scenarios()?.into_iter().find(|(_, own)| *own == path);
    Ok(own.unwrap_or_else(|| {
        let claim = tree::stem(&path).unwrap_or_default();
        (format!("outside/{claim}"), path)
    }))
}

/// Removes duplicates; two files with one id are refused.
fn once_each(wanted: Vec<(String, PathBuf)>) -> Result<Vec<(String, PathBuf)>, SuiteError> {
    let mut kept: Vec<(String, PathBuf)> = Vec::new();
    for (id, path) in wanted {
        match kept.iter().find(|(other, _)| *other == id) {
            None => kept.push((id, path)),
            Some((_, first)) if *first == path => {}
            Some((_, first)) => {
                let (first, second) = (first.clone(), path);
                return Err(SuiteError::SameName { id, first, second });
            }
        }
    }
    Ok(kept)
}

fn inside(tree: &Tree, filters: &[String]) -> Result<Vec<(String, PathBuf)>, SuiteError> {
    let all = tree.scenarios()?;
    let ids: Vec<String> = all.iter().map(|(id, _)| id.clone()).collect();
    let picked = select::select(&ids, filters)?;
    let is_picked = |(id, _): &(String, PathBuf)| picked.contains(&id);
    Ok(all.iter().filter(|one| is_picked(one)).cloned().collect())
}

fn read(id: &str, path: &Path) -> Result<Source, SuiteError> {
    let text = fs::read_to_string(path).map_err(|cause| SuiteError::Unreadable {
        path: path.to_owned(),
        cause,
    })?;
    Ok(Source::parse(id, path, &text)?)
}

/// Expands `request` to jobs. Everything is checked before the first guest boots.
pub fn batches(tree: &Tree, request: &Request) -> Result<Vec<Batch>, SuiteError> {
    if request.repeat.is_some() && Update::from_environment().is_accepting() {
        return Err(SuiteError::RepeatAccepts);
    }
    let sources = sources(tree, &request.filters)?;
    check_words(tree, &sources)?;
    let (mut images, mut planned, mut taking) = (Vec::new(), Vec::new(), Vec::new());
    for guest in guests(tree, &request.guest)? {
        let image = Image::read(tree, &guest)?;
        image.check_host(&guest)?;
        let target = image.target();
        planned.push(plan::plan(&sources, &target, request.mutants)?);
        taking.push(target.takes_turns());
        images.push(image);
    }
    let extent = Extent::of_run().map_err(SuiteError::Extent)?;
    plan::leave_to_the_night(&mut planned, extent);
    plan::share_mutants(&mut planned, &taking, extent);
    plan::take_turns(&mut planned, &taking, extent);
    let copies = |items| match request.repeat {
        Some(times) => plan::repeat(items, times),
        None => items,
    };
    let batch = |(image, items)| Batch {
        image,
        items: copies(items),
    };
    Ok(images.into_iter().zip(planned).map(batch).collect())
}

/// Runs all jobs, as many at once as `request` allows, and calls `on_done` as each one ends.
pub fn run(tree: &Tree, batches: &[Batch], request: &Request, on_done: impl Fn(&Entry)) -> Report {
    let tasks: Vec<(&Image, &Item)> = batches
        .iter()
        .flat_map(|batch| batch.items.iter().map(move |item| (&batch.image, item)))
        .collect();
    let images = batches.iter().map(|batch| &batch.image);
    let workers = request.jobs.unwrap_or_else(|| memory_budget::jobs(images));
    let board = Board::new(tasks.len());
    let (started, clock) = (Utc::now(), Instant::now());
    let context = RunContext {
        tree,
        request,
        board: &board,
        update: Update::from_environment(),
        clock,
    };
    let mut budget = Budget::default();
    let order = longest_first(&tasks);
    let jobs = worker_pool::work(
        &order,
        workers,
        |row| processors(tasks[*row]),
        || !interrupt::is_pending(),
        |row, worker| {
            let (image, item) = tasks[*row];
            (*row, context.settle(image, item, worker))
        },
        |(_, entry)| {
            board.above(|| on_done(entry));
            budget.spend(entry);
        },
    );
    let jobs = in_order(jobs);
    let wall_ms = job::millis(clock.elapsed());
    let span = Span {
        started,
        wall_ms,
        workers,
        planned: tasks.len(),
    };
    Report::new(span, jobs)
}

/// The starting order: longest time limit first, or else one of those would run alone at the end
/// while all other workers are idle.
fn longest_first(tasks: &[(&Image, &Item)]) -> Vec<usize> {
    let mut rows: Vec<usize> = (0..tasks.len()).collect();
    rows.sort_by_key(|row| match tasks[*row].1 {
        Item::Run(job) => Reverse(job.scenario.time_limit.duration()),
        Item::Skip { .. } => Reverse(Duration::ZERO),
    });
    rows
}

/// Restores the order of the plan.
fn in_order(mut jobs: Vec<(usize, Entry)>) -> Vec<Entry> {
    jobs.sort_by_key(|(row, _)| *row);
    jobs.into_iter().map(|(_, entry)| entry).collect()
}

/// Host CPUs that a job keeps busy: a scenario's number of CPUs, if QEMU runs them in parallel.
fn processors((image, item): (&Image, &Item)) -> usize {
    let Item::Run(job) = item else { return 1 };
    let image = image.clone().with_wishes(&job.scenario);
    let is_parallel = image
        .machine()
        .is_some_and(|machine| machine.is_parallel(&image));
    let cpus = job.scenario.cpus.filter(|_| is_parallel);
    cpus.map_or(1, |cpus| cpus.count().into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn duplicate_files_run_once_and_same_ids_are_refused() {
        let wanted = |paths: &[&str]| {
            let one = |path: &&str| ("outside/a".to_owned(), PathBuf::from(*path));
            once_each(paths.iter().map(one).collect())
        };
        assert_eq!(wanted(&["x/a.yaml", "x/a.yaml"]).expect("one").len(), 1);
        let error = wanted(&["x/a.yaml", "y/a.yaml"]).expect_err("two");
        insta::assert_snapshot!(error, @"x/a.yaml and y/a.yaml have the same name, outside/a; rename one");
    }
}
