//! `cargo xtask`: the tasks of this workspace.

mod again;
mod cache;
mod census;
mod ci;
mod clean;
mod doctor;
mod error;
mod files;
mod fuzz;
mod guest;
mod host;
mod image;
mod imports;
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
mod vm_test;

use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Parser, Subcommand};

use crate::again::{Hunt, Repro};
use crate::error::Result;
use crate::fuzz::Fuzz;
use crate::guest::Guest;
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
    /// Run one job again, from what it left
    Repro(Repro),
    /// Run a scenario with one setting after the other, until it fails
    Hunt(Hunt),
    /// Make a guest ready to boot: packages, kernel, root, module, programs
    Image {
        /// The guest, or `all`
        guest: String,
        /// Look for newer packages instead of using those chosen before
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
    /// Throw cases by chance at what another judges
    #[command(subcommand)]
    Fuzz(Fuzz),
    /// Have all judges judge the instruction tables, and record what has passed
    Judge {
        /// Seed defects in the tables instead, which the judges must see
        #[arg(long)]
        mutants: bool,
    },
    /// Plan every word of an instruction set, and read it a second time
    Sweep {
        /// The instruction set
        set: sweep::Set,
        /// Keep the counts instead of comparing them with those kept before
        #[arg(long)]
        update: bool,
    },
    /// Count what can be probed of a guest's kernel, beside the kernel's own probes
    Census {
        /// The guest
        guest: String,
    },
    /// Check that architectures are named only where they may be
    Tidy,
    /// Run everything that must be right before a change goes in
    Ci,
    /// Remove what runs have left: saved guests and the evidence of jobs, but nothing that was built
    Clean {
        /// The guest, or `all`
        guest: String,
    },
    /// Make one JUnit report of several
    JunitMerge {
        /// The report to write
        output: PathBuf,
        /// The reports to read
        #[arg(required = true)]
        inputs: Vec<PathBuf>,
    },
    /// Say what this host has and lacks, and how to mend it
    Doctor,
}

impl Task {
    fn run(&self) -> Result<()> {
        match self {
            Self::VmTest(vm_test) => vm_test.exec(),
            Self::Repro(repro) => repro.exec(),
            Self::Hunt(hunt) => hunt.exec(),
            Self::Image { guest, update } => guest::select(guest)?
                .iter()
                .try_for_each(|g| image::build(g, *update)),
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
            Self::JunitMerge { output, inputs } => junit::merge(output, inputs),
            Self::Doctor => doctor::run(),
        }
    }
}

fn main() -> ExitCode {
    match Cli::parse().task.run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::from(error.exit_code())
        }
    }
}
