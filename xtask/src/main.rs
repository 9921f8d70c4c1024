//! `cargo xtask`: builds the guests, checks the tree, and starts the harness.
//!
//! Tasks are idempotent. A task first installs what it needs (`needs`, `host`) and brings the
//! guest's image up to date (`image`); a build step whose inputs have not changed is skipped.
//! `vm-test`, `repro`, `hunt` and `shell` then exec the harness, which knows a guest only by its
//! `guest.json` (`manifest`). xtask itself boots no guest and runs no scenario.
//!
//! Invariants:
//! - A file is replaced atomically (`files::write`). What an interrupted run leaves behind has a
//!   `.partial-` name and is removed by the next holder of the directory's lock.
//! - Locks are flocks, so they end with their process. A guest's directory has two: `build.lock`,
//!   held by the xtask that builds it, and `lock`, which users share and a build takes exclusively
//!   before it changes what they use. `build.lock` comes first.
//! - An error says what failed and how to fix it. The exit status is 2 for usage, 3 for a host that
//!   lacks something, and 1 for anything else.
//! - `ci`, and a build of several guests, run to the end and report every failure.

mod again;
mod cache;
mod census;
mod ci;
mod clean;
mod deb;
mod dist;
mod doctor;
mod error;
mod files;
mod fuzz;
mod guest;
mod host;
mod image;
mod imports;
mod install;
mod judges;
mod junit;
mod manifest;
mod needs;
mod progress;
mod run;
mod sweep;
mod test;
mod tidy;
mod toolchain;
mod trial;
mod vm_test;

use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Parser, Subcommand};

use crate::again::{Hunt, Repro};
use crate::error::Result;
use crate::fuzz::Fuzz;
use crate::guest::Guest;
use crate::install::Install;
use crate::progress::say;
use crate::vm_test::VmTest;

#[derive(Parser)]
#[command(name = "cargo xtask", about = "The tasks of this workspace")]
struct Cli {
    #[command(subcommand)]
    task: Task,
}

#[derive(Subcommand)]
enum Task {
    /// Boot guests and run scenarios in them
    VmTest(VmTest),
    /// Rerun one job from its job file
    Repro(Repro),
    /// Rerun a scenario with one variation after the other until it fails
    Hunt(Hunt),
    /// Build a guest up to where it boots: packages, kernel, root, module, programs
    Image {
        /// The guest, `all`, or `all@all` for each of its kernels
        guest: String,
        /// Look for newer packages instead of using the recorded ones
        #[arg(long)]
        update: bool,
    },
    /// Boot a guest and open a shell in it
    Shell {
        /// The guest
        guest: String,
    },
    /// Run every test that needs no guest
    Test,
    /// Feed pseudo-random cases to the judges
    #[command(subcommand)]
    Fuzz(Fuzz),
    /// Run every judge of the instruction tables and record the pass
    Judge {
        /// Seed defects in the tables instead; the judges must catch them
        #[arg(long)]
        mutants: bool,
    },
    /// Plan every word of an instruction set and cross-check the plans
    Sweep {
        /// The instruction set
        set: sweep::Set,
        /// Record the counts instead of comparing them with the recorded ones
        #[arg(long)]
        update: bool,
    },
    /// Count what is probeable in a guest's kernel, compared with the kernel's own probes
    Census {
        /// The guest
        guest: String,
    },
    /// Check that architectures are named only where they may be, and for import cycles
    Tidy,
    /// Run every check that a change must pass
    Ci,
    /// Remove what runs have left (saved guests and evidence of jobs), but nothing that was built
    Clean {
        /// The guest, `all`, or `all@all` for each of its kernels
        guest: String,
    },
    /// Build the packages `trapline` and `trapline-dkms` for a guest's architecture
    Deb {
        /// The guest
        #[arg(default_value = "x86_64")]
        guest: String,
    },
    /// Install the command and the module's sources below a prefix
    Install(Install),
    /// Install, use and remove the packages in a guest with a whole Debian
    Trial {
        /// The release of Debian
        suite: trial::Suite,
    },
    /// Merge several JUnit reports into one
    JunitMerge {
        /// The report to write
        output: PathBuf,
        /// The reports to read
        #[arg(required = true)]
        inputs: Vec<PathBuf>,
    },
    /// List what this host has and lacks, and how to get what is missing
    Doctor,
}

impl Task {
    fn run(&self) -> Result<()> {
        match self {
            Self::VmTest(vm_test) => vm_test.exec(),
            Self::Repro(repro) => repro.exec(),
            Self::Hunt(hunt) => hunt.exec(),
            Self::Image { guest, update } => image::build_all(&guest::select(guest)?, *update),
            Self::Shell { guest } => vm_test::shell(&Guest::load(guest)?),
            Self::Test => test::run(),
            Self::Fuzz(fuzz) => fuzz.exec(),
            Self::Judge { mutants: false } => judges::and_record(),
            Self::Judge { mutants: true } => judges::mutants(),
            Self::Sweep { set, update } => sweep::run(*set, *update),
            Self::Census { guest } => census::run(guest),
            Self::Tidy => tidy::check(),
            Self::Ci => ci::run(),
            Self::Clean { guest } => clean::run(guest),
            Self::Deb { guest } => deb::run(guest),
            Self::Install(install) => install.exec(),
            Self::Trial { suite } => trial::run(*suite),
            Self::JunitMerge { output, inputs } => junit::merge(output, inputs),
            Self::Doctor => doctor::run(),
        }
    }
}

fn main() -> ExitCode {
    match Cli::parse().task.run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            say!("error: {error}");
            ExitCode::from(error.exit_code())
        }
    }
}
