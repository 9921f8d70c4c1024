//! The job file, `job.json` in the evidence: all that is needed to run the job again.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::error::HostError;
use crate::guest::image::Image;
use crate::report::evidence::Evidence;
use crate::run::plan::{self, Job, JobId};
use crate::run::variation::Variation;
use crate::scenario::{Extent, ScenarioError, Source};
use crate::tree::Tree;

/// The file's name.
pub const FILE: &str = "job.json";
const SCHEMA: u32 = 1;

/// A job as it was run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct JobFile {
    schema: u32,
    /// Its identity.
    #[serde(flatten)]
    pub id: JobId,
    /// The scenario's file, relative to the workspace if it is inside.
    pub path: PathBuf,
    /// The file's full text.
    pub text: String,
    /// The value of `${seed}`, if the scenario uses it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seed: Option<u64>,
    /// The extent of the run.
    #[serde(default)]
    pub extent: Extent,
    /// The variation of the guest.
    pub setting: Variation,
    /// How the guest started; `None` if it did not.
    pub start: Option<Start>,
}

/// How a guest started.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Start {
    /// Restored from a saved guest.
    Restored,
    /// Booted, for this reason.
    Cold(String),
}

/// Why a job file cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum JobFileError {
    /// It is missing or malformed.
    #[error("{}: {what}", path.display())]
    Bad {
        /// The file.
        path: PathBuf,
        /// What is wrong, and what to do.
        what: String,
    },
    /// The scenario is not valid for this guest any more.
    #[error(transparent)]
    Scenario(#[from] ScenarioError),
    /// The guest or the scenario no longer has the mutant.
    #[error("{guest} has no mutant `{mutant}` for {scenario} any more; {known}")]
    NoMutant {
        /// The guest.
        guest: String,
        /// The mutant.
        mutant: String,
        /// The scenario.
        scenario: String,
        /// The mutants that exist.
        known: String,
    },
}

impl JobFile {
    /// The contents before the guest starts.
    pub fn of(job: &Job, setting: &Variation, tree: &Tree) -> Self {
        Self {
            schema: SCHEMA,
            id: job.id.clone(),
            path: tree.relative(&job.source.path).to_owned(),
            text: job.source.text.clone(),
            seed: job.scenario.seed,
            extent: job.scenario.extent,
            setting: setting.clone(),
            start: None,
        }
    }

    /// Writes it to the evidence.
    pub fn write(&self, evidence: &Evidence) -> Result<(), HostError> {
        let text = serde_json::to_string_pretty(self).unwrap_or_else(|e| e.to_string());
        evidence.write(FILE, &text)
    }

    /// Reads it from a folder of evidence.
    pub fn read(folder: &Path) -> Result<Self, JobFileError> {
        let path = folder.join(FILE);
        let bad = |what: String| JobFileError::Bad {
            path: path.clone(),
            what,
        };
        let text = fs::read_to_string(&path).map_err(|e| {
            bad(format!(
                "cannot read: {e}; it is part of a job's evidence, which `cargo xtask vm-test` writes"
            ))
        })?;
        let job_file: Self = serde_json::from_str(&text).map_err(|e| bad(e.to_string()))?;
        match job_file.schema {
            SCHEMA => Ok(job_file),
            other => Err(bad(format!("schema {other}, expected {SCHEMA}"))),
        }
    }

    /// Why the guest was booted, if it was.
    pub fn cold_because(&self) -> Option<String> {
        match &self.start {
            Some(Start::Cold(why)) => Some(why.clone()),
            Some(Start::Restored) | None => None,
        }
    }

    /// Recreates the job from the recorded text.
    pub fn job(&self, tree: &Tree, image: &Image) -> Result<Job, JobFileError> {
        let path = tree.absolute(&self.path);
        let source = Source::parse(&self.id.scenario, &path, &self.text)?;
        let scenario =
            source.for_guest_with(&self.id.guest, &image.names, self.seed, self.extent)?;
        let known = plan::mutants(&source, &self.id.guest, &image.mutants)?;
        let wanted = |name: &String| {
            let found = known.iter().find(|mutant| mutant.name == *name).cloned();
            found.ok_or_else(|| self.no_mutant(name, &known))
        };
        let mutant = self.id.mutant.as_ref().map(wanted).transpose()?;
        Ok(Job {
            id: self.id.clone(),
            source: Arc::new(source),
            scenario,
            mutant,
            attempt: 1,
        })
    }

    fn no_mutant(&self, mutant: &str, known: &[plan::Mutant]) -> JobFileError {
        let names: Vec<_> = known.iter().map(|mutant| mutant.name.as_str()).collect();
        let known = match names.as_slice() {
            [] => "there are none".to_owned(),
            names => format!("known: {}", names.join(", ")),
        };
        JobFileError::NoMutant {
            guest: self.id.guest.clone(),
            mutant: mutant.to_owned(),
            scenario: self.id.scenario.clone(),
            known,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::run::plan::{Item, Target};
    use crate::scenario::Names;

    const TEXT: &str = "asserts: a\ntrace: b ${f}\nstop: exits\nmutants: {m: {fails: guest-crash, says: x}}\n# a word\n";

    fn target() -> Target {
        Target {
            guest: "armv6".to_owned(),
            names: Names::from([("f", "sys_f")]),
            capabilities: Vec::new(),
            mutants: vec!["m".to_owned()],
        }
    }

    fn jobs(tree: &Tree) -> Vec<Job> {
        let path = tree.absolute(Path::new("scenarios/a/b.yaml"));
        let source = Arc::new(Source::parse("a/b", &path, TEXT).expect("valid"));
        let items = plan::plan(&[source], &target(), true).expect("names are known");
        let jobs = items.into_iter().map(|item| match item {
            Item::Run(job) => *job,
            Item::Skip { id, why } => panic!("{id}: {why}"),
        });
        jobs.collect()
    }

    #[test]
    fn job_file_recreates_the_job() {
        let tree = Tree::own();
        let image = Image::of(&target());
        for job in jobs(&tree) {
            let job_file = JobFile::of(&job, &Variation::default(), &tree);
            assert_eq!(job_file.path, Path::new("scenarios/a/b.yaml"));
            let again = job_file.job(&tree, &image).expect("a job");
            assert_eq!((&again.id, &again.mutant), (&job.id, &job.mutant));
            assert_eq!(
                (&again.source, &again.scenario),
                (&job.source, &job.scenario)
            );
        }
    }

    #[test]
    fn a_mutant_that_is_gone_is_named() {
        let tree = Tree::own();
        let job = jobs(&tree).pop().expect("the mutant's");
        let job_file = JobFile::of(&job, &Variation::default(), &tree);
        let mut image = Image::of(&target());
        image.mutants = Vec::new();
        let error = job_file.job(&tree, &image).expect_err("gone");
        insta::assert_snapshot!(error, @"armv6 has no mutant `m` for a/b any more; there are none");
    }

    #[test]
    fn job_file_round_trips() {
        let tree = Tree::own();
        let root = tempfile::tempdir().expect("a folder");
        let folder = root.path().join("a/b");
        let evidence = Evidence::cleared(folder.clone()).expect("writable");
        let mut job_file = JobFile::of(&jobs(&tree)[0], &Variation::default(), &tree);
        for start in [None, Some(Start::Restored), Some(Start::Cold("so".into()))] {
            job_file.start = start;
            job_file.write(&evidence).expect("writable");
            assert_eq!(JobFile::read(&folder).expect("readable"), job_file);
        }
        assert_eq!(job_file.cold_because().as_deref(), Some("so"));
        let error = JobFile::read(root.path()).expect_err("nothing there");
        assert!(error.to_string().contains("job.json: cannot read"));
    }
}
