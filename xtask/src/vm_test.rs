//! `vm-test` and `shell`: make the guests ready, then become the harness.

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
    /// Run so many jobs at once [default: one per core, as far as memory suffices]
    #[arg(long, value_name = "N", value_parser = value_parser!(u16).range(1..=256))]
    jobs: Option<u16>,
    /// Run each job so many times, as jobs of their own
    #[arg(long, value_name = "N", value_parser = value_parser!(u32).range(1..=10_000))]
    repeat: Option<u32>,
    /// Run a job that does not end well again, up to so many times; it is flaky if that helps
    #[arg(long, value_name = "N", value_parser = value_parser!(u32).range(..=100))]
    retries: Option<u32>,
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
            jobs: None,
            repeat: None,
            retries: None,
            report: reports.map(pair).concat(),
        }
    }

    /// Gets what is missing and builds the images.
    pub fn prepare(&self) -> Result<()> {
        let guests = guest::select(&self.guest)?;
        self.check_reports()?;
        self.check_files()?;
        make_ready(&guests)
    }

    /// A report that cannot be written is known now, not after the run; and one that was not there
    /// is not left behind empty.
    fn check_reports(&self) -> Result<()> {
        for report in self.report.chunks_exact(2) {
            let (format, file) = (&report[0], &report[1]);
            if !["json", "junit"].contains(&format.as_str()) {
                let why = format!("no report format `{format}`; there are json and junit");
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

    /// A file that is not there neither.
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

    /// The harness, called for this.
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

    /// The options that are numbers, as far as they were given.
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

    /// Does it all; comes back only with an error.
    pub fn exec(&self) -> Result<()> {
        self.prepare()?;
        Err(run::exec(self.harness(&run::shell()?)))
    }
}

/// Gets what the host lacks and builds the guests.
pub fn make_ready(guests: &[Guest]) -> Result<()> {
    host::ensure(&needs::of_workspace())?;
    build_all(guests)
}

/// Builds the guests, all of them, whatever becomes of one.
fn build_all(guests: &[Guest]) -> Result<()> {
    let failed = |guest: &Guest| Some((guest.name.clone(), image::build(guest, false).err()?));
    let mut failed: Vec<(String, Error)> = guests.iter().filter_map(failed).collect();
    match failed.len() {
        0 => Ok(()),
        1 => Err(failed.remove(0).1),
        _ => {
            for (guest, error) in &failed {
                eprintln!("{guest}: {error}");
            }
            let names: Vec<_> = failed.into_iter().map(|(guest, _)| guest).collect();
            Err(Error::Stages(format!("no image of {}", names.join(", "))))
        }
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

/// The harness.
pub fn harness(sh: &Shell) -> Cmd<'_> {
    run::cargo(sh).args(["run", "--quiet", "--package", "harness", "--"])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_harness_is_told_the_numbers_that_were_given() {
        let told = |task: &VmTest| {
            let numbers = task.numbers();
            let words = numbers.map(|(flag, number)| format!("{flag} {number}"));
            words.collect::<Vec<_>>().join(" ")
        };
        let mut task = VmTest::everything([("json", "a".into()), ("junit", "b".into())]);
        assert_eq!(told(&task), "");
        task.jobs = Some(2);
        task.retries = Some(0);
        assert_eq!(told(&task), "--jobs 2 --retries 0");
        task.repeat = Some(40);
        assert_eq!(told(&task), "--jobs 2 --repeat 40 --retries 0");
    }
}
