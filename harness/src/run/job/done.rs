//! The result of a job, run or not.

use serde::Serialize;

use crate::error::HostError;
use crate::judge::verdict::{Failure, Verdict};
use crate::report::JobReport;
use crate::report::printable::{in_line, printable};
use crate::run::plan::Job;
use crate::tree;

/// The result of a job; also the contents of `result.json`.
#[derive(Debug, Clone, Serialize)]
pub struct Done {
    /// Its row in the reports.
    #[serde(flatten)]
    pub report: JobReport,
    /// All failures.
    pub failures: Vec<Failure>,
    /// Changes that the kernel made to its own text.
    pub kernel_changed: Vec<String>,
    /// The passes applied to its transcript.
    pub normalised_by: Vec<&'static str>,
    /// Whether a signal ended it early.
    #[serde(skip)]
    pub interrupted: bool,
}

impl Done {
    /// The result of a job that was not run.
    pub fn without_a_run(report: JobReport) -> Self {
        Self {
            report,
            failures: Vec::new(),
            kernel_changed: Vec::new(),
            normalised_by: Vec::new(),
            interrupted: false,
        }
    }

    /// The result of a job that could not start.
    pub fn broken(job: &Job, why: &impl ToString) -> Self {
        let why = why.to_string();
        Self::without_a_run(JobReport::not_run(&job.id, Verdict::Broken, why))
    }

    /// The same for a result that could not be written, which makes any verdict broken.
    pub(super) fn unkept(mut self, error: &HostError) -> Self {
        let report = &mut self.report;
        let ended = format!("{} {}", report.verdict, report.why);
        report.why = format!("{error}; it had ended as {}", ended.trim_end());
        report.verdict = Verdict::Broken;
        self
    }

    /// The full result as text, for test runners: verdict, failures, and the evidence folder.
    pub fn story(&self) -> String {
        let report = self.report.to_string();
        let failures = self.failures.iter().map(|failure| {
            let (what, detail) = (in_line(&failure.what), printable(&failure.detail));
            format!("{}: {what}\n{detail}\n", failure.kind)
        });
        let id = &self.report.id;
        let folder = format!(
            "{}/{}/{}",
            tree::EVIDENCE,
            id.guest,
            id.scenario_and_mutant()
        );
        let details = failures.collect::<String>();
        format!("{}\n{details}see {}", in_line(&report), in_line(&folder))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::judge::verdict::Kind;
    use crate::run::plan::JobId;

    fn failed() -> Done {
        let id = JobId {
            scenario: "fbt/a".to_owned(),
            guest: "armv6".to_owned(),
            mutant: Some("m".to_owned()),
            copy: None,
        };
        let report = JobReport::not_run(&id, Verdict::Fail, "died\npass".to_owned());
        let failure = Failure::new(Kind::GuestCrash, "died\npass").with_detail("at \u{1b}\nx");
        Done {
            failures: vec![failure],
            ..Done::without_a_run(report)
        }
    }

    #[test]
    fn unwritable_result_is_broken_but_reported() {
        let full = HostError::file("write", "result.json".as_ref());
        let done = failed().unkept(&full(std::io::ErrorKind::StorageFull.into()));
        assert_eq!(done.failures.len(), 1);
        assert_eq!(done.report.verdict, Verdict::Broken);
        insta::assert_snapshot!(in_line(&done.report.why), @r"result.json: cannot write: no storage space; it had ended as fail died\npass");
    }

    #[test]
    fn story_names_the_evidence_and_escapes_newlines() {
        insta::assert_snapshot!(failed().story(), @r"
        fail   armv6 fbt/a+m                                  0.0 s  died\npass
        guest-crash: died\npass
        at \u{1b}
        x
        see target/trapline/armv6/fbt/a+m
        ");
    }
}
