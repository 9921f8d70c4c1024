//! What a scenario asks to be normalised.

use serde::Deserialize;

/// One thing that may differ.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Pass {
    /// CR LF becomes LF. Always applied.
    LineEnds,
    /// The number in a table's ID column becomes `<id>`, right-aligned as it was. Always applied.
    ProbeIds,
    /// What the guest calls a thing becomes `${name}`, as scenarios write it. Always applied.
    Names,
    /// Blanks at the end of a line go away. Always applied.
    TrailingSpace,
    /// A number after `pid` or between square brackets becomes `<pid>`.
    Pids,
    /// The guest's kernel release becomes `<release>`.
    KernelRelease,
    /// A table's records are put in the order of their CPUs, those of one CPU as they came.
    Sort,
    /// The number in a record's CPU column becomes `<c>`, right-aligned as it was.
    Cpus,
    /// A word of text behind an offset is followed by its instruction, and not where that leads, if far away.
    Instructions,
    /// Equal lines in a row become one line that says how many there were.
    Fold,
}

impl Pass {
    /// Its name, as scenarios write it.
    pub fn name(self) -> &'static str {
        match self {
            Self::LineEnds => "line-ends",
            Self::ProbeIds => "probe-ids",
            Self::Names => "names",
            Self::TrailingSpace => "trailing-space",
            Self::Pids => "pids",
            Self::KernelRelease => "kernel-release",
            Self::Sort => "sort",
            Self::Cpus => "cpus",
            Self::Instructions => "instructions",
            Self::Fold => "fold",
        }
    }
}
