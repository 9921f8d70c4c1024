//! Reports on a run: lines and sums for a terminal, JSON and JUnit for machines, an HTML page.
//!
//! [`JobReport`] is the row of one job, [`Entry`] adds its attempts, [`Report`] holds a whole run.
//! [`keep`] bounds what is taken from each job, since a guest's output is unbounded, and
//! [`printable`] escapes it, since it is untrusted. [`evidence`] is the folder that has everything
//! and touches files; the rest is pure.

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
    /// Restored from a saved guest.
    Restored,
    /// Booted, as requested.
    Cold,
    /// Booted because none could be restored: slower than necessary, possibly for all jobs.
    Fallback,
}

impl Start {
    /// Combines whether it booted with whether that was requested.
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

/// One job's row in every report.
#[derive(Debug, Clone, Serialize)]
pub struct JobReport {
    /// Its identity.
    #[serde(flatten)]
    pub id: JobId,
    /// The verdict.
    pub verdict: Verdict,
    /// The reason, in one line; empty for a plain pass.
    pub why: String,
    /// How the guest started; `None` if none did.
    pub start: Option<Start>,
    /// Why the guest was booted instead of restored, if it was.
    pub cold: Option<String>,
    /// Milliseconds spent waiting for the folder's lock and for a guest to be saved.
    pub waited_ms: u64,
    /// Milliseconds from QEMU's start to the first command's answer.
    pub ready_ms: u64,
    /// Milliseconds from then to the end.
    pub run_ms: u64,
    /// QEMU's CPU time in milliseconds, which is meaningful on a busy host as well.
    pub cpu_ms: u64,
    /// The factor that limits were scaled by for a slow or busy host; `None` without a guest.
    pub pace: Option<f64>,
    /// Number of records that the tracer delivered.
    pub events: usize,
}

impl JobReport {
    /// The row of a job that was not run.
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

    /// The guest's lifetime, without what the job waited for before.
    fn total_ms(&self) -> u64 {
        self.ready_ms.saturating_add(self.run_ms)
    }

    fn time(&self) -> Duration {
        Duration::from_millis(self.total_ms())
    }

    /// Why the guest was booted unrequested, if it was.
    fn fallback(&self) -> Option<&str> {
        let is_fallback = self.start == Some(Start::Fallback);
        self.cold.as_deref().filter(|_| is_fallback)
    }
}

/// `pass   armv6 fbt/three-chdir   3.1 s  why`, and `(cold: why)` after a fallback.
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

/// A job in the report of a run; times and failures are those of the last attempt.
#[derive(Debug, Clone, Serialize)]
pub struct Entry {
    /// The last attempt's row.
    #[serde(flatten)]
    pub job: JobReport,
    /// Milliseconds from the start of the run to that of the attempt.
    pub started_ms: u64,
    /// The worker that ran it, from 1.
    pub worker: usize,
    /// Number of attempts; 0 for a skip.
    pub attempts: u32,
    /// The evidence folder, relative to `target/trapline`.
    pub evidence: String,
    /// The command that runs it again.
    pub rerun: String,
    /// The failures, cut to what a report [keeps](keep).
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub failures: Vec<Failure>,
    /// The end of the console, if the job did not succeed.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub console: String,
    /// Earlier attempts.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub earlier: Vec<Entry>,
}

impl Entry {
    /// All attempts in order.
    pub fn tries(&self) -> impl Iterator<Item = &Entry> {
        self.earlier.iter().chain([self])
    }
}

/// The job's row, with the number of attempts unless `why` has it.
impl fmt::Display for Entry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.job.fmt(f)?;
        match self.attempts {
            many @ 2.. if self.job.verdict != Verdict::Flaky => write!(f, " ({many} attempts)"),
            _ => Ok(()),
        }
    }
}

/// Number of jobs by verdict.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct Totals {
    /// Claims that hold.
    pub pass: usize,
    /// Claims that do not hold.
    pub fail: usize,
    /// Claims that were not tested.
    pub skip: usize,
    /// Jobs that the harness or the host broke.
    pub broken: usize,
    /// Mutants that were caught.
    pub caught: usize,
    /// Mutants that were missed.
    pub missed: usize,
    /// Jobs that succeeded on a retry.
    pub flaky: usize,
    /// Jobs, among all of these, with an attempt that fell back to booting.
    pub fallback: usize,
}

impl Totals {
    /// Counts `jobs`.
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

/// The time span and parallelism of a run.
#[derive(Debug, Clone, Serialize)]
pub struct Span {
    /// The start.
    pub started: DateTime<Utc>,
    /// The duration in milliseconds.
    pub wall_ms: u64,
    /// Number of workers.
    pub workers: usize,
    /// Number of planned jobs; an interrupted run has fewer.
    pub planned: usize,
}

/// A whole run.
#[derive(Debug, Clone, Serialize)]
pub struct Report {
    schema: u32,
    /// Its time span.
    #[serde(flatten)]
    pub span: Span,
    /// The finished jobs, in order of the plan.
    pub jobs: Vec<Entry>,
    /// Their counts.
    pub totals: Totals,
}

impl Report {
    /// The report on `jobs`.
    pub fn new(span: Span, jobs: Vec<Entry>) -> Self {
        Self {
            schema: 2,
            span,
            totals: Totals::of(&jobs),
            jobs,
        }
    }

    /// The jobs by guest, in order of the plan.
    fn of_guests(&self) -> impl Iterator<Item = (&str, &[Entry])> {
        let guests = self.jobs.chunk_by(|a, b| a.job.id.guest == b.job.id.guest);
        guests.filter_map(|jobs| Some((jobs.first()?.job.id.guest.as_str(), jobs)))
    }

    /// The counts by guest, in order of the plan.
    pub fn by_guest(&self) -> impl Iterator<Item = (&str, Totals)> {
        let guests = self.of_guests();
        guests.map(|(guest, jobs)| (guest, Totals::of(jobs)))
    }

    /// Whether every verdict is a good one.
    pub fn is_good(&self) -> bool {
        self.jobs.iter().all(|entry| entry.job.verdict.is_good())
    }

    /// Pretty-printed JSON.
    pub fn to_json(&self) -> Result<String, serde_json::Error> {
        serde_json::to_string_pretty(self).map(|text| text + "\n")
    }

    /// JUnit XML, one suite per guest.
    pub fn to_junit(&self) -> Result<String, quick_junit::SerializeError> {
        junit::of(self).to_string()
    }
}

#[cfg(test)]
mod fixture;
#[cfg(test)]
mod tests;
