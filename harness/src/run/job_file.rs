//! What a job leaves so that it can be run again as it was: `job.json`, beside the rest of its
//! evidence.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::error::HostError;
use crate::guest::image::Image;
use crate::report::evidence::Evidence;
use crate::run::plan::{self, Job, JobId};
use crate::run::variation::Setting;
use crate::scenario::{Extent, ScenarioError, Source};
use crate::tree::Tree;

/// The file's name.
pub const FILE: &str = "job.json";
const SCHEMA: u32 = 1;

/// A job, as it was run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Kept {
    schema: u32,
    /// Which job it is.
    #[serde(flatten)]
    pub id: JobId,
    /// The scenario's file; one of the workspace's own as seen from there.
    pub path: PathBuf,
    /// All that the file said.
    pub text: String,
    /// What `${seed}` stood for in it, if it has one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seed: Option<u64>,
    /// How far the run went.
    #[serde(default)]
    pub extent: Extent,
    /// What the guest ran on.
    pub setting: Setting,
    /// How it started; nothing if it did not get that far.
    pub start: Option<Start>,
}

/// How a guest started.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Start {
    /// Where one like it was saved.
    Restored,
    /// It booted, for this reason.
    Cold(String),
}

/// Why what was kept does not make a job.
#[derive(Debug, thiserror::Error)]
pub enum KeptError {
    /// The file is not there, or is not as it should be.
    #[error("{}: {what}", path.display())]
    Bad {
        /// The file.
        path: PathBuf,
        /// What is wrong, and what to do.
        what: String,
    },
    /// The scenario is not for this guest as it is now.
    #[error(transparent)]
    Scenario(#[from] ScenarioError),
    /// The guest or the scenario no longer has the defect.
    #[error("{guest} has no mutant `{mutant}` for {scenario} any more; {known}")]
    NoMutant {
        /// The guest.
        guest: String,
        /// The defect.
        mutant: String,
        /// The scenario.
        scenario: String,
        /// Those there are.
        known: String,
    },
}

impl Kept {
    /// What there is to keep of a job before it starts.
    pub fn of(job: &Job, setting: &Setting, tree: &Tree) -> Self {
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
    pub fn keep(&self, evidence: &Evidence) -> Result<(), HostError> {
        let text = serde_json::to_string_pretty(self).unwrap_or_else(|e| e.to_string());
        evidence.write(FILE, &text)
    }

    /// Reads it from a folder of evidence.
    pub fn read(folder: &Path) -> Result<Self, KeptError> {
        let path = folder.join(FILE);
        let bad = |what: String| KeptError::Bad {
            path: path.clone(),
            what,
        };
        let text = fs::read_to_string(&path).map_err(|e| {
            bad(format!(
                "cannot read: {e}; a folder of evidence has it, and `cargo xtask vm-test` leaves those"
            ))
        })?;
        let kept: Self = serde_json::from_str(&text).map_err(|e| bad(e.to_string()))?;
        match kept.schema {
            SCHEMA => Ok(kept),
            other => Err(bad(format!("schema {other} where {SCHEMA} is known"))),
        }
    }

    /// Why its guest had to boot, if it had to.
    pub fn cold_because(&self) -> Option<String> {
        match &self.start {
            Some(Start::Cold(why)) => Some(why.clone()),
            Some(Start::Restored) | None => None,
        }
    }

    /// The job, from the text that was kept.
    pub fn job(&self, tree: &Tree, image: &Image) -> Result<Job, KeptError> {
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

    fn no_mutant(&self, mutant: &str, known: &[plan::Mutant]) -> KeptError {
        let names: Vec<_> = known.iter().map(|mutant| mutant.name.as_str()).collect();
        let known = match names.as_slice() {
            [] => "there is none".to_owned(),
            names => format!("there is {}", names.join(", ")),
        };
        KeptError::NoMutant {
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
    fn what_is_kept_makes_the_same_job() {
        let tree = Tree::own();
        let image = Image::of(&target());
        for job in jobs(&tree) {
            let kept = Kept::of(&job, &Setting::default(), &tree);
            assert_eq!(kept.path, Path::new("scenarios/a/b.yaml"));
            let again = kept.job(&tree, &image).expect("a job");
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
        let kept = Kept::of(&job, &Setting::default(), &tree);
        let mut image = Image::of(&target());
        image.mutants = Vec::new();
        let error = kept.job(&tree, &image).expect_err("gone");
        insta::assert_snapshot!(error, @"armv6 has no mutant `m` for a/b any more; there is none");
    }

    #[test]
    fn it_is_read_as_it_was_written() {
        let tree = Tree::own();
        let root = tempfile::tempdir().expect("a folder");
        let folder = root.path().join("a/b");
        let evidence = Evidence::cleared(folder.clone()).expect("writable");
        let mut kept = Kept::of(&jobs(&tree)[0], &Setting::default(), &tree);
        for start in [None, Some(Start::Restored), Some(Start::Cold("so".into()))] {
            kept.start = start;
            kept.keep(&evidence).expect("writable");
            assert_eq!(Kept::read(&folder).expect("readable"), kept);
        }
        assert_eq!(kept.cold_because().as_deref(), Some("so"));
        let error = Kept::read(root.path()).expect_err("nothing there");
        assert!(error.to_string().contains("job.json: cannot read"));
    }
}
