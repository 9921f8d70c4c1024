//! `sweep`: a plan for every word that there is, read a second time, and how many words each row of the
//! table has: an ignored test of `engine-isa`, which is built to be quick.

use clap::ValueEnum;

use crate::error::Result;
use crate::files::workspace_root;
use crate::run;

/// An instruction set all of whose words can be walked over.
#[derive(Clone, Copy, ValueEnum)]
pub enum Set {
    /// A32
    Arm,
    /// A64
    Arm64,
}

impl Set {
    const fn name(self) -> &'static str {
        match self {
            Self::Arm => "arm",
            Self::Arm64 => "arm64",
        }
    }
}

/// Walks over all words of a set, and compares the counts with those that are kept; with `update`
/// it keeps them.
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
