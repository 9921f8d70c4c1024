//! `ci`: all stages, each run whatever the others say, and at the end every failure and not only
//! the first.

use std::env;
use std::fs;
use std::thread;
use std::time::Instant;

use serde::Deserialize;
use xshell::Cmd;

use crate::error::{Error, Result};
use crate::files::{self, workspace_root};
use crate::guest;
use crate::host;
use crate::judges;
use crate::needs;
use crate::progress::seconds;
use crate::run;
use crate::test;
use crate::vm_test::{self, VmTest};

type Stage = (&'static str, fn() -> Result<()>);
type Outcome = (&'static str, Result<()>);

const STAGES: [Stage; 5] = [
    ("fmt", fmt),
    ("clippy", clippy),
    ("test", test::run),
    ("isa", isa),
    ("mutants", mutants),
];

/// Made beside those: most of its time one compiler puts one program together, which leaves the other
/// processors free.
const IMAGES: Stage = ("images", images);

/// What needs the images.
const IN_GUESTS: [Stage; 2] = [("vm-test", scenarios), ("harness", harness)];

/// Runs all stages.
pub fn run() -> Result<()> {
    let host = run_stage(("host", get_needs));
    let images = thread::spawn(|| run_stage(IMAGES));
    let mut outcomes = vec![host];
    outcomes.extend(STAGES.map(run_stage));
    outcomes.push(images.join().expect("a stage that fails says so"));
    outcomes.extend(IN_GUESTS.map(run_stage));
    let failed = |(name, result): Outcome| Some((name, result.err()?));
    summarise(outcomes.into_iter().filter_map(failed).collect())
}

fn run_stage((name, stage): Stage) -> Outcome {
    eprintln!("== {name}");
    let started = Instant::now();
    let result = stage();
    let verdict = if result.is_ok() { "ok" } else { "FAILED" };
    eprintln!("== {name}: {verdict} ({})", seconds(started.elapsed()));
    (name, result)
}

fn summarise(failures: Vec<(&str, Error)>) -> Result<()> {
    if failures.is_empty() {
        return Ok(());
    }
    let mut names = Vec::new();
    for (name, error) in failures {
        eprintln!("\n{name} failed: {error}");
        names.push(name);
    }
    Err(Error::Stages(names.join(", ")))
}

/// What the stages beside the images need of the host: two of them at a time could not install it.
fn get_needs() -> Result<()> {
    host::ensure(&needs::of_judges())
}

/// What they need beyond that is installed here, at once, while the others go on.
fn images() -> Result<()> {
    let guests = guest::select("all")?;
    let mut needs = needs::of_harness();
    needs.extend(guests.iter().flat_map(needs::of_guest));
    host::ensure(&needs)?;
    vm_test::make_ready(&guests)
}

fn fmt() -> Result<()> {
    cargo(&["fmt", "--all", "--check"])
}

fn clippy() -> Result<()> {
    host::ensure(&needs::of_workspace())?;
    cargo(&[
        "clippy",
        "--quiet",
        "--workspace",
        "--all-targets",
        "--",
        "-D",
        "warnings",
    ])
}

/// The instruction tables, if they or their judges have changed; at night in any case.
fn isa() -> Result<()> {
    if is_full() {
        judges::all()
    } else {
        judges::of_change()
    }
}

/// Whether nothing is to be left out, as the harness is told, too.
fn is_full() -> bool {
    env::var_os("TRAPLINE_SCALE").is_some_and(|scale| scale == "full")
}

/// The tests of the instruction core, of D's machine and of its compiler, each of whose seeded defects
/// they must see. They are built in a folder of their own, or everything else would be built anew too.
fn mutants() -> Result<()> {
    let judges = if is_full() { judges::mutants() } else { Ok(()) };
    test::all([core_mutants(), judges])
}

fn core_mutants() -> Result<()> {
    let sh = run::shell()?;
    sh.change_dir(workspace_root());
    let packages = ["engine-isa", "engine-dvm", "engine-dlang"].map(|name| ["--package", name]);
    let tests = ["mutants", "dvm", "programs", "values"].map(|name| ["--test", name]);
    let tests = run::cargo(&sh)
        .args(["test", "--quiet"])
        .args(packages.as_flattened())
        .args(tests.as_flattened());
    run::openly(
        tests
            .env("RUSTFLAGS", "--cfg trapline_mutants")
            .env("CARGO_TARGET_DIR", workspace_root().join("target/mutants")),
    )
}

fn scenarios() -> Result<()> {
    let dir = workspace_root().join("target/trapline");
    files::create_dir(&dir)?;
    let reports = [
        ("json", dir.join("vm-test.json")),
        ("junit", dir.join("vm-test.xml")),
    ];
    for (_, report) in &reports {
        // Gone is as good as never there.
        let _ = fs::remove_file(report);
    }
    let all = VmTest::everything(reports);
    all.prepare()?;
    run::openly(all.harness(&run::shell()?)).map_err(|error| {
        let told = fs::read_to_string(dir.join("vm-test.json")).unwrap_or_default();
        not_good(&told).map_or(error, Error::Stages)
    })
}

/// The part of vm-test's report that says what is wrong.
#[derive(Deserialize)]
struct Report {
    jobs: Vec<Job>,
}

#[derive(Deserialize)]
struct Job {
    guest: String,
    scenario: String,
    mutant: Option<String>,
    verdict: String,
    why: String,
}

/// A line for each job that did not end as it should, since whoever reads a log reads its end; none
/// without a report, or if that has nothing against any job.
fn not_good(report: &str) -> Option<String> {
    let report: Report = serde_json::from_str(report).ok()?;
    let is_bad = |job: &&Job| ["fail", "broken", "missed"].contains(&&*job.verdict);
    let lines: Vec<String> = report.jobs.iter().filter(is_bad).map(line).collect();
    (!lines.is_empty()).then(|| format!("\n{}", lines.join("\n")))
}

fn line(job: &Job) -> String {
    let mutant = job.mutant.as_ref().map(|name| format!("+{name}"));
    let mutant = mutant.unwrap_or_default();
    format!(
        "{} {} {}{mutant}: {}",
        job.verdict, job.guest, job.scenario, job.why
    )
}

/// The harness's own tests that boot a guest, on the images that `vm-test` has made; and a few
/// scenarios once more, as tests of their own, in guests that boot instead of being restored.
fn harness() -> Result<()> {
    let sh = run::shell()?;
    sh.change_dir(workspace_root());
    let restored = || run::cargo(&sh);
    let booted = || run::cargo(&sh).env("TRAPLINE_BOOT", "cold");
    // Fifty are for whoever changes the harness, and for nights.
    let kills = if is_full() { "50" } else { "10" };
    let killed = || restored().env("TRAPLINE_KILLS", kills);
    test::all([
        harness_tests(killed, "guests", ""),
        harness_tests(restored, "debugger", ""),
        harness_tests(booted, "conformance", "::cli::"),
    ])
}

/// Runs those of a test binary whose name contains `filter`; that there is none, or that all are ignored, is
/// an error, which the binary itself does not take it for.
fn harness_tests<'a>(cargo: impl Fn() -> Cmd<'a>, binary: &str, filter: &str) -> Result<()> {
    let words = ["test", "--workspace", "--test", binary, "--", filter];
    let tests = || cargo().args(words);
    let all = run::read(tests().arg("--list"))?;
    let ignored = run::read(tests().args(["--list", "--ignored"]))?;
    if !runs_any(&all, &ignored) {
        let what = format!("the harness has no test `{filter}` in {binary} that would run here");
        return Err(Error::Stages(what));
    }
    run::openly(tests())
}

/// Whether a list of tests has one that the list of those ignored does not have.
fn runs_any(all: &str, ignored: &str) -> bool {
    let mut tests = all.lines().filter(|line| line.ends_with(": test"));
    tests.any(|test| !ignored.lines().any(|other| other == test))
}

fn cargo(args: &[&str]) -> Result<()> {
    let sh = run::shell()?;
    sh.change_dir(workspace_root());
    run::openly(run::cargo(&sh).args(args))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_empty_list_has_no_test() {
        assert!(runs_any("armv6::cli::list: test\n", ""));
        assert!(!runs_any("", ""));
        assert!(!runs_any("\n0 tests, 0 benchmarks\n", ""));
    }

    #[test]
    fn a_test_that_is_ignored_is_none() {
        let all = "a: test\nb: test\n\n2 tests, 0 benchmarks\n";
        assert!(runs_any(all, "b: test\n"));
        assert!(!runs_any("b: test\n", "b: test\n\n1 test, 0 benchmarks\n"));
    }

    #[test]
    fn what_went_wrong_in_the_guests_is_told_job_by_job() {
        let job = |mutant: &str, verdict: &str| {
            format!(
                r#"{{"guest":"armv6","scenario":"a/b","mutant":{mutant},"verdict":"{verdict}","why":"w"}}"#
            )
        };
        let jobs = [("null", "pass"), ("null", "fail"), (r#""m""#, "missed")];
        let jobs = jobs.map(|(mutant, verdict)| job(mutant, verdict)).join(",");
        let told = not_good(&format!(r#"{{"jobs":[{jobs}]}}"#));
        let lines = "\nfail armv6 a/b: w\nmissed armv6 a/b+m: w";
        assert_eq!(told.as_deref(), Some(lines));
        assert_eq!(not_good(r#"{"jobs":[]}"#), None);
        assert_eq!(not_good(""), None);
    }

    #[test]
    fn every_failure_is_in_the_summary() {
        let failures = vec![
            ("fmt", Error::Module("a".into())),
            ("test", Error::Module("b".into())),
        ];
        assert_eq!(
            summarise(failures).unwrap_err().to_string(),
            "failed: fmt, test"
        );
        assert!(summarise(Vec::new()).is_ok());
    }
}
