//! What came of a job, whether or not it got to run.

use serde::Serialize;

use crate::error::HostError;
use crate::judge::verdict::{Failure, Verdict};
use crate::report::JobReport;
use crate::report::printable::{in_line, printable};
use crate::run::plan::Job;
use crate::tree;

/// What came of a job.
#[derive(Debug, Clone, Serialize)]
pub struct Done {
    /// Its line in the reports.
    #[serde(flatten)]
    pub report: JobReport,
    /// Everything that went wrong.
    pub failures: Vec<Failure>,
    /// What the kernel changed in its text on its own.
    pub kernel_changed: Vec<String>,
    /// The passes that its transcript went through.
    pub normalised_by: Vec<&'static str>,
    /// Whether the user left before it was over.
    #[serde(skip)]
    pub interrupted: bool,
}

impl Done {
    /// What there is to say of a job that was not run.
    pub fn without_a_run(report: JobReport) -> Self {
        Self {
            report,
            failures: Vec::new(),
            kernel_changed: Vec::new(),
            normalised_by: Vec::new(),
            interrupted: false,
        }
    }

    /// What there is to say of a job that could not begin.
    pub fn broken(job: &Job, why: &impl ToString) -> Self {
        let why = why.to_string();
        Self::without_a_run(JobReport::not_run(&job.id, Verdict::Broken, why))
    }

    /// The same where it could not be kept, which breaks it however it ended.
    pub(super) fn unkept(mut self, error: &HostError) -> Self {
        let report = &mut self.report;
        let ended = format!("{} {}", report.verdict, report.why);
        report.why = format!("{error}; it had ended as {}", ended.trim_end());
        report.verdict = Verdict::Broken;
        self
    }

    /// Everything there is to say, for those who see no table, and where there is more.
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
        let told = failures.collect::<String>();
        format!("{}\n{told}see {}", in_line(&report), in_line(&folder))
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
    fn what_cannot_be_kept_is_broken_and_still_told() {
        let full = HostError::file("write", "result.json".as_ref());
        let done = failed().unkept(&full(std::io::ErrorKind::StorageFull.into()));
        assert_eq!(done.failures.len(), 1);
        assert_eq!(done.report.verdict, Verdict::Broken);
        insta::assert_snapshot!(in_line(&done.report.why), @r"result.json: cannot write: no storage space; it had ended as fail died\npass");
    }

    #[test]
    fn a_story_says_where_there_is_more_and_a_guest_ends_no_line_of_it() {
        insta::assert_snapshot!(failed().story(), @r"
        fail   armv6 fbt/a+m                                  0.0 s  died\npass
        guest-crash: died\npass
        at \u{1b}
        x
        see target/trapline/armv6/fbt/a+m
        ");
    }
}
