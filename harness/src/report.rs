//! What came out of a run of jobs: lines and sums for people, JSON and JUnit for machines, a page
//! for a browser. Pure.

pub mod evidence;

pub mod html;
mod junit;
pub mod keep;
pub mod printable;

use std::fmt;
use std::time::Duration;

use chrono::{DateTime, Utc};
use serde::Serialize;

use crate::judge::verdict::{Failure, Verdict};
use crate::run::plan::JobId;

/// How a job's guest started.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Start {
    /// It went on from a saved one.
    Restored,
    /// It booted, as was asked for.
    Cold,
    /// It booted, since none could be restored: slower than need be, and perhaps all jobs do so.
    Fallback,
}

impl Start {
    /// How a guest started that booted or not, and was to boot or not.
    pub fn of(is_cold: bool, is_asked: bool) -> Self {
        match (is_cold, is_asked) {
            (false, _) => Self::Restored,
            (true, true) => Self::Cold,
            (true, false) => Self::Fallback,
        }
    }

    /// Whether it booted.
    pub fn is_cold(self) -> bool {
        self != Self::Restored
    }
}

/// One job's line in every report.
#[derive(Debug, Clone, Serialize)]
pub struct JobReport {
    /// Which job it is.
    #[serde(flatten)]
    pub id: JobId,
    /// What is said of it.
    pub verdict: Verdict,
    /// Why, in one line; empty for a plain pass.
    pub why: String,
    /// How its guest started; nothing where none did.
    pub start: Option<Start>,
    /// Why its guest booted instead of going on from a saved one, if it did.
    pub cold: Option<String>,
    /// How long it waited for its folder, and for a guest to be saved that it could go on from.
    pub waited_ms: u64,
    /// From QEMU's start to the first command's answer.
    pub ready_ms: u64,
    /// From then to the end.
    pub run_ms: u64,
    /// How much of the host's processors its QEMU took, which tells what a job costs on a busy host, too.
    pub cpu_ms: u64,
    /// How many times as long as stated it was given, as the host was slow or busy; nothing where there was no guest.
    pub pace: Option<f64>,
    /// How many records the tracer delivered.
    pub events: usize,
}

impl JobReport {
    /// The report of a job that did not get to run.
    pub fn not_run(id: &JobId, verdict: Verdict, why: String) -> Self {
        Self {
            id: id.clone(),
            verdict,
            why,
            start: None,
            cold: None,
            waited_ms: 0,
            ready_ms: 0,
            run_ms: 0,
            cpu_ms: 0,
            pace: None,
            events: 0,
        }
    }

    /// Its guest's life; what it waited for before is not of its making.
    fn total_ms(&self) -> u64 {
        self.ready_ms.saturating_add(self.run_ms)
    }

    fn time(&self) -> Duration {
        Duration::from_millis(self.total_ms())
    }

    /// Why its guest booted although nobody asked for that.
    fn fallback(&self) -> Option<&str> {
        let is_fallback = self.start == Some(Start::Fallback);
        self.cold.as_deref().filter(|_| is_fallback)
    }
}

/// `pass   armv6 fbt/three-chdir   3.1 s  why`, and `(cold: why)` where that was not asked for.
impl fmt::Display for JobReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let id = self.id.to_string();
        let seconds = self.time().as_secs_f64();
        let verdict = self.verdict.to_string();
        let line = format!("{verdict:6} {id:44} {seconds:5.1} s  {}", self.why);
        f.write_str(line.trim_end())?;
        match self.fallback() {
            None => Ok(()),
            Some(why) => write!(f, " (cold: {why})"),
        }
    }
}

/// A job as the whole run sees it; what it says of times and failures is that of its last attempt.
#[derive(Debug, Clone, Serialize)]
pub struct Entry {
    /// What came of it.
    #[serde(flatten)]
    pub job: JobReport,
    /// When it began, from the start of the run on.
    pub started_ms: u64,
    /// Which of the workers did it, from 1.
    pub worker: usize,
    /// How many attempts there were; none at a job that is skipped.
    pub attempts: u32,
    /// Where its evidence lies, below `target/trapline`.
    pub evidence: String,
    /// The command that runs it again.
    pub rerun: String,
    /// What went wrong, as much of it as a report [keeps](keep).
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub failures: Vec<Failure>,
    /// What the guest's kernel said last, where the job did not end well.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub console: String,
    /// The attempts before the last.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub earlier: Vec<Entry>,
}

impl Entry {
    /// All attempts, from the first to the last.
    pub fn tries(&self) -> impl Iterator<Item = &Entry> {
        self.earlier.iter().chain([self])
    }
}

/// The job's line, with the number of attempts where `why` does not tell it.
impl fmt::Display for Entry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.job.fmt(f)?;
        match self.attempts {
            many @ 2.. if self.job.verdict != Verdict::Flaky => write!(f, " ({many} attempts)"),
            _ => Ok(()),
        }
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
    /// Jobs that ended well at a later attempt.
    pub flaky: usize,
    /// Jobs, among all those, with an attempt whose guest booted since it could not be restored.
    pub fallback: usize,
}

impl Totals {
    /// The sum of `jobs`.
    fn of(jobs: &[Entry]) -> Self {
        let fell_back = |entry: &&Entry| entry.tries().any(|one| one.job.fallback().is_some());
        let is = |verdict| move |entry: &&Entry| entry.job.verdict == verdict;
        let count = |verdict| jobs.iter().filter(is(verdict)).count();
        Self {
            pass: count(Verdict::Pass),
            fail: count(Verdict::Fail),
            skip: count(Verdict::Skip),
            broken: count(Verdict::Broken),
            caught: count(Verdict::Caught),
            missed: count(Verdict::Missed),
            flaky: count(Verdict::Flaky),
            fallback: jobs.iter().filter(fell_back).count(),
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
            (self.flaky, "flaky"),
        ];
        let said = all.iter().filter(|(count, _)| *count > 0);
        let parts: Vec<_> = said
            .map(|(count, word)| format!("{count} {word}"))
            .collect();
        match parts.as_slice() {
            [] => f.write_str("nothing to do")?,
            parts => f.write_str(&parts.join(", "))?,
        }
        match self.fallback {
            0 => Ok(()),
            count => write!(f, "; {count} booted, since they could not be restored"),
        }
    }
}

/// When a run was, and how many jobs it did at once.
#[derive(Debug, Clone, Serialize)]
pub struct Span {
    /// When it began.
    pub started: DateTime<Utc>,
    /// How long it took.
    pub wall_ms: u64,
    /// How many workers it had.
    pub workers: usize,
    /// How many jobs it was to do; an interrupted one did fewer.
    pub planned: usize,
}

/// A whole run.
#[derive(Debug, Clone, Serialize)]
pub struct Report {
    schema: u32,
    /// When it was.
    #[serde(flatten)]
    pub span: Span,
    /// The jobs that came to an end, in the order of the plan.
    pub jobs: Vec<Entry>,
    /// Their sum.
    pub totals: Totals,
}

impl Report {
    /// The report over `jobs`.
    pub fn new(span: Span, jobs: Vec<Entry>) -> Self {
        Self {
            schema: 2,
            span,
            totals: Totals::of(&jobs),
            jobs,
        }
    }

    /// The jobs of each guest, in the order of the plan.
    fn of_guests(&self) -> impl Iterator<Item = (&str, &[Entry])> {
        let guests = self.jobs.chunk_by(|a, b| a.job.id.guest == b.job.id.guest);
        guests.filter_map(|jobs| Some((jobs.first()?.job.id.guest.as_str(), jobs)))
    }

    /// The sums of the guests, in the order of the plan.
    pub fn by_guest(&self) -> impl Iterator<Item = (&str, Totals)> {
        let guests = self.of_guests();
        guests.map(|(guest, jobs)| (guest, Totals::of(jobs)))
    }

    /// Whether every job ended well.
    pub fn is_good(&self) -> bool {
        self.jobs.iter().all(|entry| entry.job.verdict.is_good())
    }

    /// As JSON.
    pub fn to_json(&self) -> Result<String, serde_json::Error> {
        serde_json::to_string_pretty(self).map(|text| text + "\n")
    }

    /// As JUnit XML, one suite for each guest.
    pub fn to_junit(&self) -> Result<String, quick_junit::SerializeError> {
        junit::of(self).to_string()
    }
}

#[cfg(test)]
mod fixture;
#[cfg(test)]
mod tests;
