//! JUnit XML. Attempts follow Maven Surefire: a flaky job is a success with flaky failures, a
//! failed job a failure with reruns. Guest output is escaped for XML.

use std::time::Duration;

use quick_junit::{
    NonSuccessKind, Report as Junit, TestCase, TestCaseStatus, TestRerun, TestSuite,
};

use super::printable::{in_line, printable};
use super::{Entry, Report};
use crate::judge::verdict::Verdict;

/// One suite per guest.
pub fn of(report: &Report) -> Junit {
    let mut junit = Junit::new("trapline");
    junit.set_timestamp(report.span.started);
    junit.set_time(Duration::from_millis(report.span.wall_ms));
    for (guest, jobs) in report.of_guests() {
        let mut suite = TestSuite::new(&*in_line(guest));
        suite.add_test_cases(jobs.iter().map(test_case));
        junit.add_test_suite(suite);
    }
    junit
}

fn test_case(entry: &Entry) -> TestCase {
    let job = &entry.job;
    let name = job.id.scenario_and_mutant();
    let mut case = TestCase::new(&*in_line(&name), status(entry));
    case.set_classname(&*in_line(&job.id.guest));
    case.set_time(job.time());
    if let Some(why) = &job.cold {
        case.add_property(("cold", &*in_line(why)));
    }
    if !entry.console.is_empty() {
        case.set_system_out(&*printable(&entry.console));
    }
    case
}

fn status(entry: &Entry) -> TestCaseStatus {
    let mut status = match entry.job.verdict {
        Verdict::Skip => TestCaseStatus::skipped(),
        verdict => match unsuccess(verdict) {
            Some(kind) => return failed(kind, entry),
            None => TestCaseStatus::success(),
        },
    };
    status.set_type(entry.job.verdict.to_string());
    status.set_message(&*in_line(&entry.job.why));
    status.add_reruns(entry.earlier.iter().filter_map(rerun));
    status
}

/// The first attempt is the failure; later ones are reruns.
fn failed(kind: NonSuccessKind, entry: &Entry) -> TestCaseStatus {
    let mut tries = entry.tries();
    let first = tries.next().unwrap_or(entry);
    let mut status = TestCaseStatus::non_success(unsuccess(first.job.verdict).unwrap_or(kind));
    status.set_type(first.job.verdict.to_string());
    status.set_message(&*in_line(&first.job.why));
    if !first.failures.is_empty() {
        status.set_description(details(first));
    }
    status.add_reruns(tries.filter_map(rerun));
    status
}

fn rerun(entry: &Entry) -> Option<TestRerun> {
    let mut rerun = TestRerun::new(unsuccess(entry.job.verdict)?);
    rerun.set_type(entry.job.verdict.to_string());
    rerun.set_message(&*in_line(&entry.job.why));
    rerun.set_time(entry.job.time());
    if !entry.failures.is_empty() {
        rerun.set_description(details(entry));
    }
    Some(rerun)
}

fn unsuccess(verdict: Verdict) -> Option<NonSuccessKind> {
    match verdict {
        Verdict::Fail | Verdict::Missed => Some(NonSuccessKind::Failure),
        Verdict::Broken => Some(NonSuccessKind::Error),
        Verdict::Pass | Verdict::Skip | Verdict::Caught | Verdict::Flaky => None,
    }
}

fn details(entry: &Entry) -> String {
    let lines = entry.failures.iter().map(|failure| {
        let what = in_line(&failure.what);
        let detail = printable(failure.detail.trim_end());
        let break_ = if detail.is_empty() { "" } else { "\n" };
        format!("{}: {what}{break_}{detail}\n", failure.kind)
    });
    lines.collect()
}
