//! Fixtures for the tests of all reports.

use chrono::DateTime;

use super::{Entry, JobReport, Report, Span, Start};
use crate::judge::verdict::{Failure, Kind, Verdict};
use crate::run::plan::JobId;

/// A job of armv6 that worker 1 started first.
pub fn entry(scenario: &str, mutant: Option<&str>, verdict: Verdict, why: &str) -> Entry {
    let is_skip = verdict == Verdict::Skip;
    let behind = mutant
        .map(|mutant| format!("+{mutant}"))
        .unwrap_or_default();
    Entry {
        job: JobReport {
            id: JobId {
                scenario: scenario.to_owned(),
                guest: "armv6".to_owned(),
                mutant: mutant.map(str::to_owned),
                copy: None,
            },
            verdict,
            why: why.to_owned(),
            start: (!is_skip).then_some(Start::Restored),
            cold: None,
            waited_ms: 0,
            ready_ms: if is_skip { 0 } else { 1_500 },
            run_ms: if is_skip { 0 } else { 2_345 },
            cpu_ms: if is_skip { 0 } else { 3_400 },
            pace: (!is_skip).then_some(1.0),
            events: 3,
        },
        started_ms: 0,
        worker: 1,
        attempts: u32::from(!is_skip),
        evidence: format!("armv6/{scenario}{behind}"),
        rerun: format!("cargo xtask vm-test armv6 {scenario}"),
        failures: Vec::new(),
        console: String::new(),
        earlier: Vec::new(),
    }
}

/// A job that failed.
pub fn failing(scenario: &str, verdict: Verdict, detail: &str) -> Entry {
    let what = "2 records, not 3 <&\u{7}>";
    let failure = Failure::new(Kind::WrongEvents, what).with_detail(detail);
    Entry {
        failures: vec![failure],
        console: "[    1.0] last words\n".to_owned(),
        ..entry(scenario, None, verdict, what)
    }
}

/// A job that fell back to booting.
pub fn fallback(scenario: &str) -> Entry {
    let mut entry = entry(scenario, None, Verdict::Pass, "");
    entry.job.start = Some(Start::Fallback);
    entry.job.cold = Some("saved: the disk is full".to_owned());
    entry
}

/// A job with a failed first attempt of two.
pub fn flaky(scenario: &str) -> Entry {
    let first = Entry {
        evidence: format!("armv6/{scenario}/attempt-1"),
        ..failing(scenario, Verdict::Fail, "-3\n+2\n")
    };
    Entry {
        started_ms: 3_845,
        attempts: 2,
        earlier: vec![first],
        ..entry(
            scenario,
            None,
            Verdict::Flaky,
            "pass at attempt 2; first fail: 2 records, not 3",
        )
    }
}

/// A report on `jobs`.
pub fn report(jobs: Vec<Entry>) -> Report {
    let span = Span {
        started: DateTime::UNIX_EPOCH,
        wall_ms: 9_000,
        workers: 2,
        planned: jobs.len(),
    };
    Report::new(span, jobs)
}

/// A job for every verdict.
pub fn every_verdict() -> Vec<Entry> {
    vec![
        entry("fbt/a", None, Verdict::Pass, ""),
        entry("fbt/a", Some("m"), Verdict::Caught, "bash died by SIGSEGV"),
        entry(
            "fbt/a",
            Some("n"),
            Verdict::Missed,
            "it passed; expected guest-crash",
        ),
        failing("fbt/b", Verdict::Fail, "-3\n+2\n"),
        entry("cli/c", None, Verdict::Skip, "only for arm64"),
        entry("cli/d", None, Verdict::Broken, "no QEMU"),
        flaky("cli/e"),
    ]
}
