//! How much of something a scenario does: enough to judge a change by, or all of it, as at night.

use std::env::{self, VarError};

use serde::{Deserialize, Serialize};

/// Where the extent of a run is stated.
const VARIABLE: &str = "TRAPLINE_SCALE";

/// How far a run goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Extent {
    /// What a change is judged by.
    #[default]
    Change,
    /// Everything.
    Full,
}

impl Extent {
    /// The extent of this run; the error says what is wrong with the environment.
    pub fn of_run() -> Result<Self, String> {
        match env::var(VARIABLE) {
            Err(VarError::NotPresent) => Ok(Self::default()),
            Ok(word) => Self::parse(&word),
            Err(VarError::NotUnicode(word)) => Self::parse(&word.to_string_lossy()),
        }
    }

    fn parse(word: &str) -> Result<Self, String> {
        match word {
            "change" => Ok(Self::Change),
            "full" => Ok(Self::Full),
            _ => Err(format!(
                "{VARIABLE} is `{word}`; it may be `change` or `full`"
            )),
        }
    }

    /// What the environment has to say for another run to go as far, if it has to say anything.
    pub fn setting(self) -> Option<String> {
        (self == Self::Full).then(|| format!("{VARIABLE}=full"))
    }
}

/// What `${scale}` stands for, by the extent of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Scale {
    change: u64,
    full: u64,
}

impl Scale {
    /// The number for this extent.
    pub fn at(self, extent: Extent) -> u64 {
        match extent {
            Extent::Change => self.change,
            Extent::Full => self.full,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_extent_is_one_of_two_words() {
        assert_eq!(Extent::parse("change"), Ok(Extent::Change));
        assert_eq!(Extent::parse("full"), Ok(Extent::Full));
        let refused = Extent::parse("fuller").expect_err("none");
        assert_eq!(
            refused,
            "TRAPLINE_SCALE is `fuller`; it may be `change` or `full`"
        );
        assert_eq!(
            Extent::Full.setting().as_deref(),
            Some("TRAPLINE_SCALE=full")
        );
        assert_eq!(Extent::Change.setting(), None);
    }
}
