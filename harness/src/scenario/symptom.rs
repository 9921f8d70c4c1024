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
#[serde(
    untagged,
    expecting = "a text, or a map of guests, each with a text or with {fails: ..., says: ...}"
)]
enum Says {
    Everywhere(String),
    By(BTreeMap<String, Own>),
}

/// What a guest shows: a text, and another kind of failure if it fails in another way.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(
    untagged,
    deny_unknown_fields,
    expecting = "a text, or {fails: ..., says: ...}"
)]
enum Own {
    Text(String),
    Symptom { fails: Kind, says: String },
}

impl Own {
    fn text(&self) -> &str {
        match self {
            Self::Text(says) | Self::Symptom { says, .. } => says,
        }
    }

    /// The symptom, of this kind unless it states another.
    fn symptom(&self, usual: Kind) -> Symptom {
        let fails = match self {
            Self::Text(_) => usual,
            Self::Symptom { fails, .. } => *fails,
        };
        let says = self.text().to_owned();
        Symptom { fails, says }
    }
}

impl Stated {
    /// The symptom in `guest`, if one is stated.
    pub fn of(&self, guest: &str) -> Option<Symptom> {
        let fails = self.fails;
        match &self.says {
            Says::Everywhere(says) => Some(Symptom {
                fails,
                says: says.clone(),
            }),
            Says::By(guests) => variant::stated(guests, guest).map(|(_, own)| own.symptom(fails)),
        }
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
            Says::By(guests) => {
                guests.is_empty() || guests.values().any(|own| own.text().is_empty())
            }
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_guest_may_fail_in_another_way() {
        let text = "{fails: guest-crash, says: {a: x, a@2: {fails: guest-hang, says: y}}}";
        let stated: Stated = serde_yaml::from_str(text).unwrap();
        let shown = |guest: &str| stated.of(guest).map(|symptom| symptom.to_string());
        assert_eq!(shown("a").as_deref(), Some("guest-crash with `x`"));
        assert_eq!(shown("a@1").as_deref(), Some("guest-crash with `x`"));
        assert_eq!(shown("a@2").as_deref(), Some("guest-hang with `y`"));
        assert_eq!(shown("b"), None);
    }
}
