//! How much a scenario does: enough to judge a change, or all of it, as nightly runs do.

use std::env::{self, VarError};

use serde::{Deserialize, Serialize};

/// The environment variable that sets the extent.
const VARIABLE: &str = "TRAPLINE_SCALE";

/// The extent of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Extent {
    /// Enough to judge a change.
    #[default]
    Change,
    /// Everything, as nightly runs do.
    Full,
}

impl Extent {
    /// The extent of this run; the error describes a bad value.
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
                "{VARIABLE} is `{word}`; expected `change` or `full`"
            )),
        }
    }

    /// The environment setting that gives another run this extent; `None` for the default.
    pub fn setting(self) -> Option<String> {
        (self == Self::Full).then(|| format!("{VARIABLE}=full"))
    }
}

/// The values of `${scale}`, by extent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Scale {
    change: u64,
    full: u64,
}

impl Scale {
    /// The value for `extent`.
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
    fn extent_is_change_or_full() {
        assert_eq!(Extent::parse("change"), Ok(Extent::Change));
        assert_eq!(Extent::parse("full"), Ok(Extent::Full));
        let refused = Extent::parse("fuller").expect_err("none");
        assert_eq!(
            refused,
            "TRAPLINE_SCALE is `fuller`; expected `change` or `full`"
        );
        assert_eq!(
            Extent::Full.setting().as_deref(),
            Some("TRAPLINE_SCALE=full")
        );
        assert_eq!(Extent::Change.setting(), None);
    }
}
