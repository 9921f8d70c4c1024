//! `ci`: all stages, each run whatever the others say, and at the end every failure and not only
//! the first.

use std::fs;
use std::time::Instant;

use xshell::Cmd;

use crate::error::{Error, Result};
use crate::files::{self, workspace_root};
use crate::host;
use crate::needs;
use crate::progress::seconds;
use crate::run;
use crate::test;
use crate::vm_test::VmTest;

type Stage = (&'static str, fn() -> Result<()>);

const STAGES: [Stage; 5] = [
    ("fmt", fmt),
    ("clippy", clippy),
    ("test", test::run),
    ("vm-test", vm_test),
    ("harness", harness),
];

/// Runs all stages.
pub fn run() -> Result<()> {
    let results = STAGES.map(|(name, stage)| {
        eprintln!("== {name}");
        let started = Instant::now();
        let result = stage();
        let verdict = if result.is_ok() { "ok" } else { "FAILED" };
        eprintln!("== {name}: {verdict} ({})", seconds(started.elapsed()));
        (name, result)
    });
    summarise(
        results
            .into_iter()
            .filter_map(|(name, result)| Some((name, result.err()?)))
            .collect(),
    )
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

fn vm_test() -> Result<()> {
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
    run::openly(all.harness(&run::shell()?))
}

/// The harness's own tests that boot a guest, on the images that `vm-test` has made; and a few
/// scenarios once more, as tests of their own, in guests that boot instead of being restored.
fn harness() -> Result<()> {
    let sh = run::shell()?;
    sh.change_dir(workspace_root());
    let restored = || run::cargo(&sh);
    let booted = || run::cargo(&sh).env("TRAPLINE_BOOT", "cold");
    test::all([
        harness_tests(restored, "guests", ""),
        harness_tests(restored, "debugger", ""),
        harness_tests(booted, "conformance", "::cli::"),
    ])
}

/// Runs those of a test binary whose name contains `filter`; that there is none is an error, which
/// the binary itself does not take it for.
fn harness_tests<'a>(cargo: impl Fn() -> Cmd<'a>, binary: &str, filter: &str) -> Result<()> {
    let words = [
        "test",
        "--package",
        "harness",
        "--test",
        binary,
        "--",
        filter,
    ];
    let tests = || cargo().args(words);
    if !lists_any(&run::read(tests().arg("--list"))?) {
        let what = format!("the harness has no test `{filter}` in {binary}");
        return Err(Error::Stages(what));
    }
    run::openly(tests())
}

fn lists_any(list: &str) -> bool {
    list.lines().any(|line| line.ends_with(": test"))
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
        assert!(lists_any("armv6::cli::list: test\n"));
        assert!(!lists_any(""));
        assert!(!lists_any("\n0 tests, 0 benchmarks\n"));
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
