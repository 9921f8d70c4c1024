//! The report as JUnit XML, with the attempts as Maven's Surefire tells them: a flaky job is a success
//! that has failures before it, a failed one a failure with reruns.

use std::time::Duration;

use quick_junit::{
    NonSuccessKind, Report as Junit, TestCase, TestCaseStatus, TestRerun, TestSuite,
};

use super::{Entry, Report};
use crate::verdict::Verdict;

/// One suite for each guest.
pub fn of(report: &Report) -> Junit {
    let mut junit = Junit::new("trapline");
    junit.set_timestamp(report.span.started);
    junit.set_time(Duration::from_millis(report.span.wall_ms));
    for (guest, jobs) in report.of_guests() {
        let mut suite = TestSuite::new(guest);
        suite.add_test_cases(jobs.iter().map(test_case));
        junit.add_test_suite(suite);
    }
    junit
}

fn test_case(entry: &Entry) -> TestCase {
    let job = &entry.job;
    let mut case = TestCase::new(job.id().scenario_and_mutant(), status(entry));
    case.set_classname(job.guest.as_str());
    case.set_time(job.time());
    if !entry.console.is_empty() {
        case.set_system_out(entry.console.as_str());
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
    status.set_message(entry.job.why.as_str());
    status.add_reruns(entry.earlier.iter().filter_map(rerun));
    status
}

/// The first attempt is the failure, those after it are reruns.
fn failed(kind: NonSuccessKind, entry: &Entry) -> TestCaseStatus {
    let mut tries = entry.tries();
    let first = tries.next().unwrap_or(entry);
    let mut status = TestCaseStatus::non_success(unsuccess(first.job.verdict).unwrap_or(kind));
    status.set_type(first.job.verdict.to_string());
    status.set_message(first.job.why.as_str());
    if !first.failures.is_empty() {
        status.set_description(details(first));
    }
    status.add_reruns(tries.filter_map(rerun));
    status
}

fn rerun(entry: &Entry) -> Option<TestRerun> {
    let mut rerun = TestRerun::new(unsuccess(entry.job.verdict)?);
    rerun.set_type(entry.job.verdict.to_string());
    rerun.set_message(entry.job.why.as_str());
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
    let told = entry.failures.iter().map(|failure| {
        let detail = failure.detail.trim_end();
        let break_ = if detail.is_empty() { "" } else { "\n" };
        format!("{}: {}{break_}{detail}\n", failure.kind, failure.what)
    });
    told.collect()
}
