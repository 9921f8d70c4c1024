//! `repro` and `hunt`: rerun one job, or one scenario many times. Like `vm-test` they bring the
//! guest's image up to date, then exec the harness.

use std::fs;
use std::path::Path;

use clap::{Args, value_parser};
use serde::Deserialize;
use xshell::Cmd;

use crate::error::Result;
use crate::guest;
use crate::run;
use crate::vm_test;

/// The job to rerun, and how.
#[derive(Args)]
pub struct Repro {
    /// The job, as printed by any list, test or report, or its folder of evidence
    #[arg(required = true)]
    job: Vec<String>,
    /// Stop at the first probe hit and wait for gdb
    #[arg(long)]
    gdb: bool,
    /// Record the run in QEMU, for a later replay
    #[arg(long, conflicts_with = "gdb")]
    record: bool,
    /// Replay the recorded run
    #[arg(long, conflicts_with = "record")]
    replay: bool,
}

/// Options of a hunt, passed on to the harness.
#[derive(Args)]
pub struct Hunt {
    /// The scenario: `provider/claim`, a part of it, or its file
    scenario: String,
    /// Hunt in this guest only [default: every guest the scenario is for, in turn]
    #[arg(long)]
    guest: Option<String>,
    /// Hunt with this seeded defect
    #[arg(long)]
    mutant: Option<String>,
    /// Stop after this many runs
    #[arg(long, value_name = "N", required_unless_present = "minutes", value_parser = value_parser!(u32).range(1..))]
    runs: Option<u32>,
    /// Start no run after this many minutes
    #[arg(long, value_name = "N", value_parser = value_parser!(u32).range(1..))]
    minutes: Option<u32>,
    /// Start with this run, numbered as in an earlier hunt
    #[arg(long, value_name = "K", value_parser = value_parser!(u32).range(1..))]
    from: Option<u32>,
    /// Seed of the variations
    #[arg(long)]
    seed: Option<u64>,
    /// Run this many at once [default: one per core, memory permitting]
    #[arg(long, value_name = "N", value_parser = value_parser!(u16).range(1..=256))]
    jobs: Option<u16>,
}

impl Repro {
    /// Execs the harness; returns only on error. A job that names no known guest is left to the
    /// harness to refuse.
    pub fn exec(&self) -> Result<()> {
        let known = guest::with_other_kernels()?;
        if let Some(name) = guest_of(&self.job.join(" "), &known) {
            vm_test::make_ready(&guest::select(&name)?)?;
        }
        let sh = run::shell()?;
        Err(run::exec(self.flags(vm_test::harness(&sh).arg("repro"))))
    }

    fn flags<'a>(&self, cmd: Cmd<'a>) -> Cmd<'a> {
        let flags = [
            ("--gdb", self.gdb),
            ("--record", self.record),
            ("--replay", self.replay),
        ];
        let given = flags.into_iter().filter(|(_, is_given)| *is_given);
        cmd.args(&self.job).args(given.map(|(flag, _)| flag))
    }
}

impl Hunt {
    /// Execs the harness; returns only on error.
    pub fn exec(&self) -> Result<()> {
        vm_test::make_ready(&guest::select(self.guest.as_deref().unwrap_or("all"))?)?;
        let sh = run::shell()?;
        Err(run::exec(self.flags(vm_test::harness(&sh).arg("hunt"))))
    }

    fn flags<'a>(&self, cmd: Cmd<'a>) -> Cmd<'a> {
        let flags = [
            ("--runs", self.runs.map(|runs| runs.to_string())),
            ("--minutes", self.minutes.map(|minutes| minutes.to_string())),
            ("--guest", self.guest.clone()),
            ("--mutant", self.mutant.clone()),
            ("--from", self.from.map(|from| from.to_string())),
            ("--seed", self.seed.map(|seed| seed.to_string())),
            ("--jobs", self.jobs.map(|jobs| jobs.to_string())),
        ];
        let cmd = cmd.arg(&self.scenario);
        let given = flags
            .into_iter()
            .filter_map(|(flag, value)| Some([flag.to_owned(), value?]));
        cmd.args(given.flatten())
    }
}

/// The part of a job file that xtask reads.
#[derive(Deserialize)]
struct JobFile {
    guest: String,
}

/// The guest of a job: from its job file, or else the first component of its name.
fn guest_of(job: &str, known: &[String]) -> Option<String> {
    let file = fs::read_to_string(Path::new(job).join("job.json")).ok();
    let file = file.and_then(|text| serde_json::from_str::<JobFile>(&text).ok());
    let first = job
        .split(|c: char| c.is_whitespace() || c == ':' || c == '/')
        .next();
    let name = file.map(|file| file.guest).or(first.map(str::to_owned))?;
    known.contains(&name).then_some(name)
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::*;

    #[derive(Parser)]
    struct Line {
        #[command(flatten)]
        hunt: Hunt,
    }

    #[test]
    fn the_guest_is_read_from_a_jobs_name_or_folder() {
        let known = ["armv6".to_owned(), "arm64".to_owned()];
        let guest = |job: &str| guest_of(job, &known);
        for job in ["armv6::fbt::a+m", "armv6 fbt/a", "armv6/fbt/a#7"] {
            assert_eq!(guest(job).as_deref(), Some("armv6"), "{job}");
        }
        assert_eq!(guest("armv7 fbt/a"), None);
        let folder = tempfile::tempdir().unwrap();
        fs::write(
            folder.path().join("job.json"),
            r#"{"schema": 1, "guest": "arm64"}"#,
        )
        .unwrap();
        assert_eq!(
            guest(folder.path().to_str().unwrap()).as_deref(),
            Some("arm64")
        );
    }

    #[test]
    fn the_given_options_are_passed_to_the_harness() {
        let sh = run::shell().unwrap();
        let words = "x a/b --runs 9 --minutes 60 --mutant m --from 3".split(' ');
        let hunt = Line::parse_from(words).hunt;
        let command = hunt.flags(sh.cmd("harness")).to_string();
        assert_eq!(
            command,
            "harness a/b --runs 9 --minutes 60 --mutant m --from 3"
        );
    }

    #[test]
    fn a_hunt_needs_a_limit() {
        assert!(Line::try_parse_from(["x", "a/b"]).is_err());
        for end in ["--runs", "--minutes"] {
            assert!(Line::try_parse_from(["x", "a/b", end, "1"]).is_ok());
            assert!(Line::try_parse_from(["x", "a/b", end, "0"]).is_err());
        }
    }
}
