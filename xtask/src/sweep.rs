//! `sweep`: plans every word of an instruction set, cross-checks the plans, and counts the words of
//! each row of the table. The work is an ignored test of `engine-isa`, built with optimizations.

use clap::ValueEnum;

use crate::error::Result;
use crate::files::workspace_root;
use crate::run;

/// An instruction set small enough to be enumerated.
#[derive(Clone, Copy, ValueEnum)]
pub enum Set {
    /// A32
    Arm,
    /// T16 and T32
    T32,
    /// A64
    Arm64,
}

impl Set {
    const fn name(self) -> &'static str {
        match self {
            Self::Arm => "arm",
            Self::T32 => "t32",
            Self::Arm64 => "arm64",
        }
    }
}

/// Sweeps a set and compares the counts with the recorded ones; `update` records them instead.
pub fn run(set: Set, update: bool) -> Result<()> {
    let sh = run::shell()?;
    sh.change_dir(workspace_root());
    let walk = ["test", "--quiet", "--release", "--package", "engine-isa"];
    let tests = format!("{}::", set.name());
    let how = if update { "update" } else { "compare" };
    run::openly(
        run::cargo(&sh)
            .args(walk)
            .args(["--test", "isa", "--", &tests, "--ignored", "--nocapture"])
            .env("TRAPLINE_SWEEP", how),
    )
}
