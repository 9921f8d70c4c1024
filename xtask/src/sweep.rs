//! `sweep`: a plan for every word that there is, and how many words each row of the table has.

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
    let walk = [
        "run",
        "--quiet",
        "--release",
        "--package",
        "engine-isa",
        "--example",
        "sweep",
    ];
    let update = update.then_some("--update");
    run::openly(
        run::cargo(&sh)
            .args(walk)
            .arg("--")
            .arg(set.name())
            .args(update),
    )
}
