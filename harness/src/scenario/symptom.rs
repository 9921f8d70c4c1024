//! What a seeded defect must show.

use std::collections::BTreeMap;
use std::fmt;

use serde::Deserialize;

use super::Extent;
use crate::judge::verdict::{Failure, Kind};

/// How a scenario must fail with a defect, as its file states it.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(
    deny_unknown_fields,
    expecting = "a map of how the scenario fails and what is seen, such as {fails: snapshot-differs, says: 'errno 0'}"
)]
pub struct Stated {
    /// The kind of failure.
    pub fails: Kind,
    says: Says,
    /// How far a run must go to have this defect in it.
    #[serde(default)]
    pub extent: Extent,
}

/// The words of a failure.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(untagged, expecting = "a text, or a map of guests and texts")]
enum Says {
    Everywhere(String),
    By(BTreeMap<String, String>),
}

impl Stated {
    /// What must be seen in this guest, if anything is stated for it.
    pub fn of(&self, guest: &str) -> Option<Symptom> {
        let says = match &self.says {
            Says::Everywhere(says) => Some(says),
            Says::By(guests) => guests.get(guest),
        };
        let fails = self.fails;
        says.cloned().map(|says| Symptom { fails, says })
    }

    /// The guests that have words of their own.
    pub fn guests(&self) -> impl Iterator<Item = &String> {
        let guests = match &self.says {
            Says::Everywhere(_) => None,
            Says::By(guests) => Some(guests.keys()),
        };
        guests.into_iter().flatten()
    }

    /// Whether every failure of the kind would do.
    pub fn is_vague(&self) -> bool {
        match &self.says {
            Says::Everywhere(says) => says.is_empty(),
            Says::By(guests) => guests.is_empty() || guests.values().any(String::is_empty),
        }
    }
}

/// How a scenario must fail with a defect in one guest. The kind alone would let any other failure of
/// that kind pass for the defect's.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Symptom {
    /// The kind of failure.
    pub fails: Kind,
    /// A text in the failure's line or in its detail; of a diff, only the lines that differ count.
    pub says: String,
}

impl Symptom {
    /// Whether `failure` is what the defect must show.
    pub fn is_shown_by(&self, failure: &Failure) -> bool {
        let is_said = || failure.what.contains(&self.says) || self.is_in_detail(failure);
        failure.kind == self.fails && is_said()
    }

    fn is_in_detail(&self, failure: &Failure) -> bool {
        let is_diff = failure.kind == Kind::SnapshotDiffers;
        let counts = |line: &&str| !is_diff || line.starts_with(['+', '-']);
        let mut lines = failure.detail.lines().filter(counts);
        lines.any(|line| line.contains(&self.says))
    }
}

impl fmt::Display for Symptom {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} with `{}`", self.fails, self.says)
    }
}
