//! The symptom that a mutant must show.

use std::collections::BTreeMap;
use std::fmt;

use serde::Deserialize;

use super::{Extent, variant};
use crate::judge::verdict::{Failure, Kind};

/// The symptom of a mutant, as its scenario states it.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(
    deny_unknown_fields,
    expecting = "a map of how the scenario fails and what is seen, such as {fails: snapshot-differs, says: 'errno 0'}"
)]
pub struct Stated {
    /// The kind of failure.
    pub fails: Kind,
    says: Says,
    /// The least extent of runs that include this mutant.
    #[serde(default)]
    pub extent: Extent,
}

/// The required text, for all guests or by guest.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(untagged, expecting = "a text, or a map of guests and texts")]
enum Says {
    Everywhere(String),
    By(BTreeMap<String, String>),
}

impl Stated {
    /// The symptom in `guest`, if one is stated.
    pub fn of(&self, guest: &str) -> Option<Symptom> {
        let says = match &self.says {
            Says::Everywhere(says) => Some(says),
            Says::By(guests) => variant::stated(guests, guest).map(|(_, says)| says),
        };
        let fails = self.fails;
        says.cloned().map(|says| Symptom { fails, says })
    }

    /// The guests with a text of their own.
    pub fn guests(&self) -> impl Iterator<Item = &String> {
        let guests = match &self.says {
            Says::Everywhere(_) => None,
            Says::By(guests) => Some(guests.keys()),
        };
        guests.into_iter().flatten()
    }

    /// Whether an empty text would match every failure of the kind.
    pub fn is_vague(&self) -> bool {
        match &self.says {
            Says::Everywhere(says) => says.is_empty(),
            Says::By(guests) => guests.is_empty() || guests.values().any(String::is_empty),
        }
    }
}

/// The symptom of a mutant in one guest. The kind alone does not suffice: an unrelated failure may
/// have the same.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Symptom {
    /// The kind of failure.
    pub fails: Kind,
    /// A text in the failure's line or detail; in a diff, only changed lines count.
    pub says: String,
}

impl Symptom {
    /// Whether `failure` is this symptom.
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
