//! What came out of a run of jobs: a table for people, JSON and JUnit for machines. Pure.

use std::fmt;
use std::time::Duration;

use quick_junit::{NonSuccessKind, Report as Junit, TestCase, TestCaseStatus, TestSuite};
use serde::Serialize;

use crate::plan::JobId;
use crate::verdict::Verdict;

/// One job's line in every report.
#[derive(Debug, Clone, Serialize)]
pub struct JobReport {
    /// `provider/claim`.
    pub scenario: String,
    /// The guest.
    pub guest: String,
    /// The seeded defect.
    pub mutant: Option<String>,
    /// What is said of it.
    pub verdict: Verdict,
    /// Why, in one line; empty for a plain pass.
    pub why: String,
    /// From QEMU's start to the first command's answer.
    pub ready_ms: u64,
    /// From then to the end.
    pub run_ms: u64,
    /// How many records the tracer delivered.
    pub events: usize,
}

impl JobReport {
    /// The report of a job that did not get to run.
    pub fn not_run(id: &JobId, verdict: Verdict, why: String) -> Self {
        Self {
            scenario: id.scenario.clone(),
            guest: id.guest.clone(),
            mutant: id.mutant.clone(),
            verdict,
            why,
            ready_ms: 0,
            run_ms: 0,
            events: 0,
        }
    }

    /// Which job it is about.
    pub fn id(&self) -> JobId {
        JobId {
            scenario: self.scenario.clone(),
            guest: self.guest.clone(),
            mutant: self.mutant.clone(),
        }
    }

    fn time(&self) -> Duration {
        Duration::from_millis(self.ready_ms + self.run_ms)
    }
}

/// `pass   armv6 fbt/three-chdir   3.1 s  why`
impl fmt::Display for JobReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let id = self.id().to_string();
        let seconds = self.time().as_secs_f64();
        let verdict = self.verdict.to_string();
        let line = format!("{verdict:6} {id:44} {seconds:5.1} s  {}", self.why);
        f.write_str(line.trim_end())
    }
}

/// How many jobs ended how.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct Totals {
    /// Claims that hold.
    pub pass: usize,
    /// Claims that do not.
    pub fail: usize,
    /// Claims not put to the test.
    pub skip: usize,
    /// Jobs that the harness could not do.
    pub broken: usize,
    /// Mutants that were caught.
    pub caught: usize,
    /// Mutants that were not.
    pub missed: usize,
}

impl Totals {
    /// The sum of `jobs`.
    fn of(jobs: &[JobReport]) -> Self {
        let count = |verdict| jobs.iter().filter(|job| job.verdict == verdict).count();
        Self {
            pass: count(Verdict::Pass),
            fail: count(Verdict::Fail),
            skip: count(Verdict::Skip),
            broken: count(Verdict::Broken),
            caught: count(Verdict::Caught),
            missed: count(Verdict::Missed),
        }
    }
}

impl fmt::Display for Totals {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let all = [
            (self.pass, "passed"),
            (self.fail, "failed"),
            (self.skip, "skipped"),
            (self.broken, "broken"),
            (self.caught, "caught"),
            (self.missed, "missed"),
        ];
        let said = all.iter().filter(|(count, _)| *count > 0);
        let parts: Vec<_> = said
            .map(|(count, word)| format!("{count} {word}"))
            .collect();
        match parts.as_slice() {
            [] => f.write_str("nothing to do"),
            parts => f.write_str(&parts.join(", ")),
        }
    }
}

/// A whole run.
#[derive(Debug, Clone, Serialize)]
pub struct Report {
    schema: u32,
    /// The jobs, in the order in which they ended.
    pub jobs: Vec<JobReport>,
    /// Their sum.
    pub totals: Totals,
}

impl Report {
    /// The report over `jobs`.
    pub fn new(jobs: Vec<JobReport>) -> Self {
        Self {
            schema: 1,
            totals: Totals::of(&jobs),
            jobs,
        }
    }

    /// The sums of the guests, in the order in which they ran.
    pub fn by_guest(&self) -> impl Iterator<Item = (&str, Totals)> {
        let guests = self.jobs.chunk_by(|a, b| a.guest == b.guest);
        guests.filter_map(|jobs| Some((jobs.first()?.guest.as_str(), Totals::of(jobs))))
    }

    /// Whether every job ended well.
    pub fn is_good(&self) -> bool {
        self.jobs.iter().all(|job| job.verdict.is_good())
    }

    /// As JSON.
    pub fn to_json(&self) -> Result<String, serde_json::Error> {
        serde_json::to_string_pretty(self).map(|text| text + "\n")
    }

    /// As JUnit XML, one suite for each guest.
    pub fn to_junit(&self) -> Result<String, quick_junit::SerializeError> {
        let mut junit = Junit::new("trapline");
        for jobs in self.jobs.chunk_by(|a, b| a.guest == b.guest) {
            let Some(first) = jobs.first() else { continue };
            let mut suite = TestSuite::new(first.guest.as_str());
            suite.add_test_cases(jobs.iter().map(test_case));
            junit.add_test_suite(suite);
        }
        junit.to_string()
    }
}

fn test_case(job: &JobReport) -> TestCase {
    let mut status = match job.verdict {
        Verdict::Pass | Verdict::Caught => TestCaseStatus::success(),
        Verdict::Skip => TestCaseStatus::skipped(),
        Verdict::Fail | Verdict::Missed => TestCaseStatus::non_success(NonSuccessKind::Failure),
        Verdict::Broken => TestCaseStatus::non_success(NonSuccessKind::Error),
    };
    status.set_type(job.verdict.to_string());
    status.set_message(job.why.as_str());
    let mut case = TestCase::new(job.id().scenario_and_mutant(), status);
    case.set_classname(job.guest.as_str());
    case.set_time(job.time());
    case
}

#[cfg(test)]
mod tests {
    use super::*;

    fn job(scenario: &str, mutant: Option<&str>, verdict: Verdict, why: &str) -> JobReport {
        JobReport {
            scenario: scenario.to_owned(),
            guest: "armv6".to_owned(),
            mutant: mutant.map(str::to_owned),
            verdict,
            why: why.to_owned(),
            ready_ms: 1_500,
            run_ms: 2_345,
            events: 3,
        }
    }

    fn report() -> Report {
        Report::new(vec![
            job("fbt/a", None, Verdict::Pass, ""),
            job("fbt/a", Some("m"), Verdict::Caught, "bash died by SIGSEGV"),
            job("fbt/b", None, Verdict::Fail, "2 records, not 3 <&\u{7}>"),
            job("cli/c", None, Verdict::Skip, "only for arm64"),
            job("cli/d", None, Verdict::Broken, "no QEMU"),
        ])
    }

    #[test]
    fn the_json_is_the_one_that_was_agreed() {
        let json = Report::new(vec![job("fbt/a", None, Verdict::Pass, "")]).to_json();
        insta::assert_snapshot!(json.expect("plain data"), @r#"
        {
          "schema": 1,
          "jobs": [
            {
              "scenario": "fbt/a",
              "guest": "armv6",
              "mutant": null,
              "verdict": "pass",
              "why": "",
              "ready_ms": 1500,
              "run_ms": 2345,
              "events": 3
            }
          ],
          "totals": {
            "pass": 1,
            "fail": 0,
            "skip": 0,
            "broken": 0,
            "caught": 0,
            "missed": 0
          }
        }
        "#);
    }

    #[test]
    fn junit_has_every_job_and_stays_xml() {
        let junit = report().to_junit().expect("plain data");
        insta::assert_snapshot!(junit, @r#"
        <?xml version="1.0" encoding="UTF-8"?>
        <testsuites name="trapline" tests="5" failures="1" errors="1">
            <testsuite name="armv6" tests="5" disabled="1" errors="1" failures="1">
                <testcase name="fbt/a" classname="armv6" time="3.845">
                </testcase>
                <testcase name="fbt/a+m" classname="armv6" time="3.845">
                </testcase>
                <testcase name="fbt/b" classname="armv6" time="3.845">
                    <failure message="2 records, not 3 &lt;&amp;&gt;" type="fail"/>
                </testcase>
                <testcase name="cli/c" classname="armv6" time="3.845">
                    <skipped message="only for arm64" type="skip"/>
                </testcase>
                <testcase name="cli/d" classname="armv6" time="3.845">
                    <error message="no QEMU" type="broken"/>
                </testcase>
            </testsuite>
        </testsuites>
        "#);
    }

    #[test]
    fn people_get_a_line_each_and_the_sum() {
        let report = report();
        let lines: Vec<String> = report.jobs.iter().map(ToString::to_string).collect();
        insta::assert_snapshot!(lines.join("\n"), @"pass   armv6 fbt/a                                    3.8 s\ncaught armv6 fbt/a+m                                  3.8 s  bash died by SIGSEGV\nfail   armv6 fbt/b                                    3.8 s  2 records, not 3 <&\u{7}>\nskip   armv6 cli/c                                    3.8 s  only for arm64\nbroken armv6 cli/d                                    3.8 s  no QEMU");
        insta::assert_snapshot!(report.totals, @"1 passed, 1 failed, 1 skipped, 1 broken, 1 caught");
        assert_eq!(Totals::default().to_string(), "nothing to do");
    }

    #[test]
    fn each_guest_has_its_sum() {
        let mut jobs = report().jobs;
        jobs[3].guest = "x86_64".to_owned();
        jobs[4].guest = "x86_64".to_owned();
        let report = Report::new(jobs);
        let told: Vec<String> = report
            .by_guest()
            .map(|(guest, sum)| format!("{guest}: {sum}"))
            .collect();
        assert_eq!(
            told,
            [
                "armv6: 1 passed, 1 failed, 1 caught",
                "x86_64: 1 skipped, 1 broken"
            ]
        );
    }

    #[test]
    fn a_suite_is_good_when_all_of_it_is() {
        assert!(!report().is_good());
        assert!(Report::new(report().jobs[..2].to_vec()).is_good());
        let missed = job("fbt/a", Some("m"), Verdict::Missed, "it passed");
        assert!(!Report::new(vec![missed]).is_good());
    }
}
