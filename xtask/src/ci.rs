//! `ci`: runs every stage even if an earlier one failed, and reports all failures at the end.

use std::env;
use std::fs;
use std::path::PathBuf;
use std::thread;
use std::time::Instant;

use serde::Deserialize;
use xshell::Cmd;

use crate::error::{Error, Result};
use crate::files::{self, workspace_root};
use crate::guest::{self, Guest};
use crate::host;
use crate::judges;
use crate::needs;
use crate::progress::{say, seconds};
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

/// Runs in parallel with [`STAGES`]: it spends most of its time linking one program, on one core.
const IMAGES: Stage = ("images", images);

/// Stages that need the images.
const IN_GUESTS: [Stage; 3] = [
    ("vm-test", scenarios),
    ("vm-test on a newer kernel", on_newer_kernel),
    ("harness", harness),
];

/// A guest with a newer kernel, and the scenarios that a change runs there: of each part of the module
/// that differs between kernels. The nightly matrix runs all, with mutants.
const NEWER: &str = "x86_64@6.12";
const ON_NEWER: [&str; 12] = [
    "scenarios/d/kernel-types.yaml",
    "scenarios/fbt/coverage.yaml",
    "scenarios/fbt/mechanisms.yaml",
    "scenarios/fbt/returns.yaml",
    "scenarios/fbt/three-chdir.yaml",
    "scenarios/life/load.yaml",
    "scenarios/pid/cost.yaml",
    "scenarios/pid/threads.yaml",
    "scenarios/proc/life.yaml",
    "scenarios/sdt/all.yaml",
    "scenarios/syscall/execve.yaml",
    "scenarios/usdt/own.yaml",
];

/// Runs all stages.
pub fn run() -> Result<()> {
    let host = run_stage(("host", install_needs));
    let images = thread::spawn(|| run_stage(IMAGES));
    let mut outcomes = vec![host];
    outcomes.extend(STAGES.map(run_stage));
    outcomes.push(
        images
            .join()
            .unwrap_or_else(|_| (IMAGES.0, Err(panicked()))),
    );
    outcomes.extend(IN_GUESTS.map(run_stage));
    let failed = |(name, result): Outcome| Some((name, result.err()?));
    summarise(outcomes.into_iter().filter_map(failed).collect())
}

fn run_stage((name, stage): Stage) -> Outcome {
    say!("== {name}");
    let started = Instant::now();
    let result = stage();
    let verdict = match &result {
        Ok(()) => "ok".to_owned(),
        // Said here as well as in the summary, which a run that is cut off does not reach.
        Err(error) => format!("FAILED: {error}"),
    };
    say!("== {name}: {verdict} ({})", seconds(started.elapsed()));
    (name, result)
}

/// The panic's own message is further up in the log.
fn panicked() -> Error {
    Error::Stages("it panicked".into())
}

fn summarise(failures: Vec<(&str, Error)>) -> Result<()> {
    if failures.is_empty() {
        return Ok(());
    }
    let mut names = Vec::new();
    for (name, error) in failures {
        say!("\n{name} failed: {error}");
        names.push(name);
    }
    Err(Error::Stages(names.join(", ")))
}

/// Installs what [`STAGES`] need before the image build starts: two concurrent apts would collide.
fn install_needs() -> Result<()> {
    let mut needs = needs::of_judges();
    needs.extend(needs::of_tests());
    host::ensure(&needs)
}

/// Installs what only the images and guests need, while [`STAGES`] run.
fn images() -> Result<()> {
    let mut guests = guest::select("all")?;
    guests.push(Guest::load(NEWER)?);
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

/// Judges the instruction tables if they or their judges have changed; always at full scale.
fn isa() -> Result<()> {
    if is_full() {
        judges::all()
    } else {
        judges::of_change()
    }
}

/// Whether this is the full (nightly) run. The harness reads the same variable.
fn is_full() -> bool {
    env::var_os("TRAPLINE_SCALE").is_some_and(|scale| scale == "full")
}

/// The mutant tests of the instruction core, the D machine and its compiler, and at night those of the agent and the
/// judges: each seeded defect
/// must be caught. They use a target directory of their own, since the cfg would otherwise
/// invalidate every other build.
fn mutants() -> Result<()> {
    let (judges, agent) = match is_full() {
        true => (judges::mutants(), agent_mutants()),
        false => (Ok(()), Ok(())),
    };
    test::all([core_mutants(), judges, agent])
}

/// Those of the agent, which are built one after the other.
fn agent_mutants() -> Result<()> {
    let sh = run::shell()?;
    sh.change_dir(workspace_root());
    let test = ["test", "--package", "engine-dtrace", "--test", "mutants"];
    let all = ["--", "--ignored", "--nocapture"];
    run::openly(run::cargo(&sh).args(test).args(all))
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
    run_scenarios("vm-test", VmTest::everything)
}

fn on_newer_kernel() -> Result<()> {
    // From whatever folder this is run.
    let files = ON_NEWER.map(|name| workspace_root().join(name).display().to_string());
    let chosen = if is_full() { Vec::new() } else { files.into() };
    run_scenarios("vm-test-newer", |reports| {
        VmTest::part(NEWER, chosen.clone(), reports)
    })
}

/// Runs what `choose` chooses, which is to write these reports, named `report`.
fn run_scenarios(report: &str, choose: impl Fn([(&str, PathBuf); 2]) -> VmTest) -> Result<()> {
    let dir = workspace_root().join("target/trapline");
    files::create_dir(&dir)?;
    let json = dir.join(format!("{report}.json"));
    let junit = dir.join(format!("{report}.xml"));
    for report in [&json, &junit] {
        // May not exist.
        let _ = fs::remove_file(report);
    }
    let chosen = choose([("json", json.clone()), ("junit", junit)]);
    chosen.prepare()?;
    run::openly(chosen.harness(&run::shell()?)).map_err(|error| {
        let report = fs::read_to_string(&json).unwrap_or_default();
        bad_jobs(&report).map_or(error, Error::Stages)
    })
}

/// The part of vm-test's report that the summary is made of.
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
    #[serde(default)]
    failures: Vec<Failure>,
}

/// One of the reasons why a job did not end well.
#[derive(Deserialize)]
struct Failure {
    what: String,
    #[serde(default)]
    detail: String,
}

/// The jobs that did not end well, for the end of the log, which may be all that is left of it.
/// `None` without a readable report, or if it has no such job.
fn bad_jobs(report: &str) -> Option<String> {
    let report: Report = serde_json::from_str(report).ok()?;
    let is_bad = |job: &&Job| ["fail", "broken", "missed"].contains(&&*job.verdict);
    let lines: Vec<String> = report.jobs.iter().filter(is_bad).map(explained).collect();
    (!lines.is_empty()).then(|| format!("\n{}", lines.join("\n")))
}

/// Its line, and its failures with their details.
fn explained(job: &Job) -> String {
    let mutant = job.mutant.as_ref().map(|name| format!("+{name}"));
    let mutant = mutant.unwrap_or_default();
    let mut text = format!(
        "{} {} {}{mutant}: {}",
        job.verdict, job.guest, job.scenario, job.why
    );
    for failure in &job.failures {
        let lines = failure.detail.lines().filter(|line| !line.is_empty());
        for line in [&*failure.what].into_iter().chain(lines) {
            text += &format!("\n    {line}");
        }
    }
    text
}

/// The harness's own tests that boot a guest, on the images built for `vm-test`, and scenarios once
/// more as `cargo test`s, in cold-booted instead of restored guests. The harness is the same for
/// every guest, so one of them suffices for a change.
fn harness() -> Result<()> {
    let sh = run::shell()?;
    sh.change_dir(workspace_root());
    let restored = || run::cargo(&sh);
    let booted = || run::cargo(&sh).env("TRAPLINE_BOOT", "cold");
    // More after changes to the harness, by hand.
    let (guest, kills, scenarios) = if is_full() {
        ("", "50", "::cli::")
    } else {
        ("arm64::", "10", "::cli::command")
    };
    let killed = || restored().env("TRAPLINE_KILLS", kills);
    test::all([
        harness_tests(killed, "guests", guest),
        harness_tests(restored, "debugger", ""),
        harness_tests(booted, "conformance", scenarios),
    ])
}

/// Runs the tests of a binary whose names contain `filter`. A filter that selects none, or only
/// ignored ones, is an error: libtest itself would report success.
fn harness_tests<'a>(cargo: impl Fn() -> Cmd<'a>, binary: &str, filter: &str) -> Result<()> {
    // Of the guests' other kernels, images may be there that are not current.
    let words = [
        "test",
        "--workspace",
        "--test",
        binary,
        "--",
        filter,
        "--skip",
        "@",
    ];
    let tests = || cargo().args(words);
    let all = run::read(tests().arg("--list"))?;
    let ignored = run::read(tests().args(["--list", "--ignored"]))?;
    if !runs_any(&all, &ignored) {
        let what = format!("the harness has no test `{filter}` in {binary} that would run here");
        return Err(Error::Stages(what));
    }
    run::openly(tests())
}

/// Whether `all` lists a test that `ignored` does not; both as `--list` prints them.
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
    fn what_runs_on_a_newer_kernel_is_there() {
        assert!(Guest::load(NEWER).is_ok());
        let gone = ON_NEWER
            .iter()
            .find(|name| !workspace_root().join(name).exists());
        assert_eq!(gone, None);
    }

    #[test]
    fn an_empty_list_has_no_test() {
        assert!(runs_any("armv6::cli::list: test\n", ""));
        assert!(!runs_any("", ""));
        assert!(!runs_any("\n0 tests, 0 benchmarks\n", ""));
    }

    #[test]
    fn an_ignored_test_does_not_count() {
        let all = "a: test\nb: test\n\n2 tests, 0 benchmarks\n";
        assert!(runs_any(all, "b: test\n"));
        assert!(!runs_any("b: test\n", "b: test\n\n1 test, 0 benchmarks\n"));
    }

    #[test]
    fn each_bad_job_is_in_the_summary() {
        let job = |mutant: &str, verdict: &str| {
            let failures = r#"[{"what":"v"},{"what":"w","detail":"-c\n+d\n"}]"#;
            format!(
                r#"{{"guest":"armv6","scenario":"a/b","mutant":{mutant},"verdict":"{verdict}","why":"w","failures":{failures}}}"#
            )
        };
        let jobs = [("null", "pass"), ("null", "fail"), (r#""m""#, "missed")];
        let jobs = jobs.map(|(mutant, verdict)| job(mutant, verdict)).join(",");
        let summary = bad_jobs(&format!(r#"{{"jobs":[{jobs}]}}"#));
        let detail = "\n    v\n    w\n    -c\n    +d";
        let expected = format!("\nfail armv6 a/b: w{detail}\nmissed armv6 a/b+m: w{detail}");
        assert_eq!(summary, Some(expected));
        assert_eq!(bad_jobs(r#"{"jobs":[]}"#), None);
        assert_eq!(bad_jobs(""), None);
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
