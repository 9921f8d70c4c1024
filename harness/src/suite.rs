//! A whole run: what the command line asks for, job after job, and the reports over it.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::described;
use crate::error::HostError;
use crate::image::Image;
use crate::interrupt;
use crate::job::{self, Done};
use crate::plan::{self, Item, NoMatch};
use crate::progress::Progress;
use crate::report::{JobReport, Report};
use crate::scenario::{ScenarioError, Source};
use crate::snapshot::Update;
use crate::tree::{self, Tree};
use crate::verdict::Verdict;

/// What is asked for.
#[derive(Debug, Clone, Default)]
pub struct Request {
    /// A guest, or `all`.
    pub guest: String,
    /// Parts of scenario ids, or scenario files.
    pub filters: Vec<String>,
    /// Whether seeded defects are run too.
    pub mutants: bool,
}

/// Why nothing was run.
#[derive(Debug, thiserror::Error)]
pub enum SuiteError {
    /// No such guest.
    #[error("no guest `{name}`; there is {}, and `all`", known.join(", "))]
    NoGuest {
        /// The name.
        name: String,
        /// The names there are.
        known: Vec<String>,
    },
    /// No such scenario.
    #[error(transparent)]
    NoMatch(#[from] NoMatch),
    /// A scenario file can't be read.
    #[error("{}: {cause}", path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// Why.
        cause: std::io::Error,
    },
    /// A scenario does not say what it should.
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
    /// What becomes of each scenario in it.
    pub items: Vec<Item>,
}

/// The guests that `name` stands for.
pub fn guests(tree: &Tree, name: &str) -> Result<Vec<String>, SuiteError> {
    let known = tree.guests()?;
    if name == "all" {
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

/// The scenarios that `filters` stand for.
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
    let guests = tree.guests()?;
    let checked = |(id, path): &(String, PathBuf)| {
        let source = read(id, path)?;
        source.check_guests(&guests)?;
        Ok(Arc::new(source))
    };
    wanted.iter().map(checked).collect()
}

/// An error if a scenario asks for what no guest has.
fn check_words(tree: &Tree, sources: &[Arc<Source>]) -> Result<(), SuiteError> {
    let (mut capabilities, mut mutants) = (Vec::new(), Vec::new());
    for guest in described::guests(tree)? {
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

/// A scenario file anywhere; one of the workspace's own keeps its id.
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

fn inside(tree: &Tree, filters: &[String]) -> Result<Vec<(String, PathBuf)>, SuiteError> {
    let all = tree.scenarios()?;
    let ids: Vec<String> = all.iter().map(|(id, _)| id.clone()).collect();
    let picked = plan::select(&ids, filters)?;
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

/// Everything that `request` comes to, checked before the first guest boots.
pub fn batches(tree: &Tree, request: &Request) -> Result<Vec<Batch>, SuiteError> {
    let sources = sources(tree, &request.filters)?;
    check_words(tree, &sources)?;
    guests(tree, &request.guest)?
        .iter()
        .map(|guest| {
            let image = Image::read(tree, guest)?;
            image.check_host(guest)?;
            let items = plan::plan(&sources, &image.target(), request.mutants)?;
            Ok(Batch { image, items })
        })
        .collect()
}

/// Runs all jobs one after the other and tells each one's end to `told`.
pub fn run(tree: &Tree, batches: &[Batch], mut told: impl FnMut(&Done)) -> Report {
    let update = Update::from_environment();
    let mut reports: Vec<JobReport> = Vec::new();
    for (image, item) in batches
        .iter()
        .flat_map(|batch| batch.items.iter().map(move |item| (&batch.image, item)))
    {
        let done = match item {
            Item::Run(job) => {
                let progress = Progress::begin(&job.id.to_string());
                job::run(job, image, tree, update, &progress)
            }
            Item::Skip { id, why } => {
                Done::without_a_run(JobReport::not_run(id, Verdict::Skip, why.clone()))
            }
        };
        told(&done);
        reports.push(done.report);
        if done.interrupted || interrupt::asked() {
            break;
        }
    }
    Report::new(reports)
}
