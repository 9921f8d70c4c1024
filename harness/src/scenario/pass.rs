//! The names of normalisation passes.

use serde::Deserialize;

/// One kind of variable output. The order here is the order of application.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Pass {
    /// CR LF becomes LF. Always applied.
    LineEnds,
    /// The number in a table's ID column becomes `<id>`, right-aligned as it was. Always applied.
    ProbeIds,
    /// A value of the guest's names becomes `${name}`. Always applied.
    Names,
    /// Trailing blanks are removed. Always applied.
    TrailingSpace,
    /// A number after `pid` or between square brackets becomes `<pid>`.
    Pids,
    /// How many probes matched, or cannot be placed, becomes `<n>`.
    Probes,
    /// The guest's kernel release becomes `<release>`.
    KernelRelease,
    /// Adjacent records are sorted by CPU, stably.
    Sort,
    /// The number in a record's CPU column becomes `<c>`, right-aligned as it was.
    Cpus,
    /// A word of text after an offset is followed by its disassembly; far branch targets are
    /// masked.
    Instructions,
    /// Equal adjacent lines become one with their count.
    Fold,
}

impl Pass {
    /// Its key in scenarios.
    pub fn name(self) -> &'static str {
        match self {
            Self::LineEnds => "line-ends",
            Self::ProbeIds => "probe-ids",
            Self::Names => "names",
            Self::TrailingSpace => "trailing-space",
            Self::Pids => "pids",
            Self::Probes => "probes",
            Self::KernelRelease => "kernel-release",
            Self::Sort => "sort",
            Self::Cpus => "cpus",
            Self::Instructions => "instructions",
            Self::Fold => "fold",
        }
    }
}
