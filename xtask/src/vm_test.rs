//! `vm-test` and `shell`: make the guests ready, then become the harness.

use std::path::PathBuf;

use clap::Args;
use xshell::{Cmd, Shell};

use crate::error::{Error, Result};
use crate::guest::{self, Guest};
use crate::host;
use crate::image;
use crate::needs;
use crate::run;

/// What to run, as the harness takes it.
#[derive(Args)]
pub struct VmTest {
    /// The guest, or `all`
    guest: String,
    /// Only scenarios whose name contains one of these
    filter: Vec<String>,
    /// Also run each scenario against its seeded defects, which it must catch
    #[arg(long)]
    mutants: bool,
    /// Write a report; may be given more than once
    #[arg(long, num_args = 2, value_names = ["json|junit", "FILE"], action = clap::ArgAction::Append)]
    report: Vec<String>,
}

impl VmTest {
    /// Every scenario and every mutant on every guest, with these reports.
    pub fn everything(reports: [(&str, PathBuf); 2]) -> Self {
        let pair =
            |(format, file): (&str, PathBuf)| [format.to_owned(), file.display().to_string()];
        Self {
            guest: "all".into(),
            filter: Vec::new(),
            mutants: true,
            report: reports.map(pair).concat(),
        }
    }

    /// Gets what is missing and builds the images.
    pub fn prepare(&self) -> Result<()> {
        let guests = guest::select(&self.guest)?;
        self.check_reports()?;
        host::ensure(&needs::of_workspace())?;
        guests.iter().try_for_each(|g| image::build(g, false))
    }

    fn check_reports(&self) -> Result<()> {
        match self
            .report
            .iter()
            .step_by(2)
            .find(|f| !["json", "junit"].contains(&f.as_str()))
        {
            Some(format) => Err(Error::Usage(format!(
                "no report format `{format}`; there are json and junit"
            ))),
            None => Ok(()),
        }
    }

    /// The harness, called for this.
    pub fn harness<'a>(&self, sh: &'a Shell) -> Cmd<'a> {
        let mut cmd = harness(sh).arg("run").arg(&self.guest).args(&self.filter);
        if self.mutants {
            cmd = cmd.arg("--mutants");
        }
        for report in self.report.chunks_exact(2) {
            cmd = cmd.arg("--report").args(report);
        }
        cmd
    }

    /// Does it all; comes back only with an error.
    pub fn exec(&self) -> Result<()> {
        self.prepare()?;
        Err(run::exec(self.harness(&run::shell()?)))
    }
}

/// Opens a shell in a guest; comes back only with an error.
pub fn shell(guest: &Guest) -> Result<()> {
    host::ensure(&needs::of_workspace())?;
    image::build(guest, false)?;
    Err(run::exec(
        harness(&run::shell()?).args(["shell", &guest.name]),
    ))
}

fn harness(sh: &Shell) -> Cmd<'_> {
    run::cargo(sh).args(["run", "--quiet", "--package", "harness", "--"])
}
