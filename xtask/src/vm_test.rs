//! `vm-test` and `shell`: bring the guests' images up to date, then exec the harness.

use std::fs::{self, OpenOptions};
use std::path::{Path, PathBuf};

use clap::{Args, value_parser};
use xshell::{Cmd, Shell};

use crate::error::{At, Error, Result};
use crate::guest::{self, Guest};
use crate::host;
use crate::image;
use crate::needs;
use crate::run;

/// Options of a run, passed on to the harness.
#[derive(Args)]
pub struct VmTest {
    /// The guest, `all`, or `all@all` for each of its kernels
    guest: String,
    /// Only scenarios whose name contains one of these
    filter: Vec<String>,
    /// Also run each scenario against its mutants, which it must catch
    #[arg(long)]
    mutants: bool,
    /// Run this many jobs at once [default: one per core, memory permitting]
    #[arg(long, value_name = "N", value_parser = value_parser!(u16).range(1..=256))]
    jobs: Option<u16>,
    /// Run each job this many times, as separate jobs
    #[arg(long, value_name = "N", value_parser = value_parser!(u32).range(1..=10_000))]
    repeat: Option<u32>,
    /// Rerun a job that fails, up to this many times; it is flaky if one passes
    #[arg(long, value_name = "N", value_parser = value_parser!(u32).range(..=100))]
    retries: Option<u32>,
    /// Write a report; may be repeated
    #[arg(long, num_args = 2, value_names = ["json|junit", "FILE"], action = clap::ArgAction::Append)]
    report: Vec<String>,
}

impl VmTest {
    /// Every scenario and every mutant on every guest, with these reports. A job that fails is run once
    /// more, and is reported as flaky if it passes then.
    pub fn everything(reports: [(&str, PathBuf); 2]) -> Self {
        Self {
            mutants: true,
            ..Self::part("all", Vec::new(), reports)
        }
    }

    /// These scenarios on this guest, without mutants; else as [`Self::everything`].
    pub fn part(guest: &str, filter: Vec<String>, reports: [(&str, PathBuf); 2]) -> Self {
        let pair =
            |(format, file): (&str, PathBuf)| [format.to_owned(), file.display().to_string()];
        Self {
            guest: guest.into(),
            filter,
            mutants: false,
            jobs: None,
            repeat: None,
            retries: Some(1),
            report: reports.map(pair).concat(),
        }
    }

    /// Checks the arguments, installs what is missing and builds the images.
    pub fn prepare(&self) -> Result<()> {
        let guests = guest::select(&self.guest)?;
        self.check_reports()?;
        self.check_files()?;
        make_ready(&guests)
    }

    /// Fails before the run if a report cannot be written, and leaves no empty file behind.
    fn check_reports(&self) -> Result<()> {
        for report in self.report.chunks_exact(2) {
            let (format, file) = (&report[0], &report[1]);
            if !["json", "junit"].contains(&format.as_str()) {
                let why = format!("unknown report format `{format}`; known: json, junit");
                return Err(Error::Usage(why));
            }
            let was_there = Path::new(file).exists();
            let opened = OpenOptions::new().create(true).append(true).open(file);
            opened.map_err(|why| Error::Usage(format!("cannot write the report {file}: {why}")))?;
            if !was_there {
                fs::remove_file(file).at("remove", Path::new(file))?;
            }
        }
        Ok(())
    }

    /// Fails before the run if a scenario file does not exist.
    fn check_files(&self) -> Result<()> {
        let is_file = |filter: &&String| filter.ends_with(".yaml") || filter.ends_with(".yml");
        match self
            .filter
            .iter()
            .filter(is_file)
            .find(|file| !Path::new(file).exists())
        {
            Some(file) => Err(Error::Usage(format!("there is no file {file}"))),
            None => Ok(()),
        }
    }

    /// The harness's command line for this run.
    pub fn harness<'a>(&self, sh: &'a Shell) -> Cmd<'a> {
        let mut cmd = harness(sh).arg("run").arg(&self.guest).args(&self.filter);
        if self.mutants {
            cmd = cmd.arg("--mutants");
        }
        for (flag, number) in self.numbers() {
            cmd = cmd.arg(flag).arg(number.to_string());
        }
        for report in self.report.chunks_exact(2) {
            cmd = cmd.arg("--report").args(report);
        }
        cmd
    }

    /// The numeric options that were given.
    fn numbers(&self) -> impl Iterator<Item = (&str, u32)> {
        let jobs = self.jobs.map(u32::from);
        [
            ("--jobs", jobs),
            ("--repeat", self.repeat),
            ("--retries", self.retries),
        ]
        .into_iter()
        .filter_map(|(flag, number)| Some((flag, number?)))
    }

    /// Prepares, then execs the harness; returns only on error.
    pub fn exec(&self) -> Result<()> {
        self.prepare()?;
        Err(run::exec(self.harness(&run::shell()?)))
    }
}

/// Installs what the host lacks and builds the guests.
pub fn make_ready(guests: &[Guest]) -> Result<()> {
    host::ensure(&needs::of_workspace())?;
    image::build_all(guests, false)
}

/// Execs an interactive shell in a guest; returns only on error.
pub fn shell(guest: &Guest) -> Result<()> {
    host::ensure(&needs::of_workspace())?;
    image::build(guest, false)?;
    Err(run::exec(
        harness(&run::shell()?).args(["shell", &guest.name]),
    ))
}

/// The harness, built and run through cargo.
pub fn harness(sh: &Shell) -> Cmd<'_> {
    run::cargo(sh).args(["run", "--quiet", "--package", "harness", "--"])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_given_numbers_are_passed_to_the_harness() {
        let options = |task: &VmTest| {
            let numbers = task.numbers();
            let words = numbers.map(|(flag, number)| format!("{flag} {number}"));
            words.collect::<Vec<_>>().join(" ")
        };
        let mut task = VmTest::everything([("json", "a".into()), ("junit", "b".into())]);
        assert_eq!(options(&task), "--retries 1");
        task.jobs = Some(2);
        task.retries = Some(0);
        assert_eq!(options(&task), "--jobs 2 --retries 0");
        task.repeat = Some(40);
        assert_eq!(options(&task), "--jobs 2 --repeat 40 --retries 0");
    }
}
