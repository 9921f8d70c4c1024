//! From observations to a verdict. Pure, so that every rule is tested without a guest.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::judge::execution::Compared;
use crate::judge::health::{Finding, Trouble};
use crate::judge::transcript::{Ending, Step, Transcript, records};
use crate::scenario::{Expect, Scenario, Status, Stop, Symptom};

/// The kinds of failure, as scenarios state them and reports print them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Kind {
    /// The guest, or the traced program, died.
    GuestCrash,
    /// The guest stopped answering without a message; a stalled host looks the same.
    GuestHang,
    /// QEMU or the connection died and the guest did not say why. Scenarios cannot state this one.
    #[serde(skip_deserializing)]
    GuestLost,
    /// The kernel survives, but reported trouble.
    GuestComplaint,
    /// The module did not load.
    LoadFailed,
    /// A command took too long although the guest answers.
    TimedOut,
    /// A command ended otherwise than stated.
    WrongStatus,
    /// The number of records is not as stated.
    WrongEvents,
    /// The tracer's output lacks a stated text.
    WrongOutput,
    /// ftrace counted another number of hits, or QEMU executed something else.
    Disagreement,
    /// The kernel's text differs from its first copy.
    TextChanged,
    /// The module did not unload, or left something behind.
    LeftBehind,
    /// The transcript differs from the snapshot.
    SnapshotDiffers,
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.serialize(f)
    }
}

/// One failure.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Failure {
    /// Its kind.
    pub kind: Kind,
    /// One line.
    pub what: String,
    /// Supporting output: a diff, the end of the console.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub detail: String,
}

impl Failure {
    /// A failure without detail.
    pub fn new(kind: Kind, what: impl Into<String>) -> Self {
        Self {
            kind,
            what: what.into(),
            detail: String::new(),
        }
    }

    /// Whether a slow or stalled host could have caused it.
    fn may_be_host(&self) -> bool {
        matches!(self.kind, Kind::GuestLost | Kind::GuestHang)
    }

    /// The same with a detail.
    pub fn with_detail(mut self, detail: impl Into<String>) -> Self {
        self.detail = detail.into();
        self
    }
}

impl From<&Finding> for Failure {
    fn from(finding: &Finding) -> Self {
        let kind = match finding.trouble {
            Trouble::Overdue => Kind::TimedOut,
            Trouble::TooMuch => Kind::WrongOutput,
            Trouble::EarlyExit | Trouble::SshLost | Trouble::LineLost | Trouble::BootTimeOut => {
                Kind::GuestLost
            }
            Trouble::Hang => Kind::GuestHang,
            Trouble::Flooded => Kind::GuestComplaint,
            trouble if trouble.is_fatal() => Kind::GuestCrash,
            _ => Kind::GuestComplaint,
        };
        Self::new(kind, finding.to_string())
    }
}

/// The result of a job.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Verdict {
    /// The claim holds.
    Pass,
    /// The claim does not hold.
    Fail,
    /// The job was not run.
    Skip,
    /// The harness or its host failed.
    Broken,
    /// The seeded defect made the scenario fail as stated.
    Caught,
    /// The seeded defect went unnoticed, or failed the scenario in another way.
    Missed,
    /// It succeeded, but not at the first attempt.
    Flaky,
}

impl Verdict {
    /// Whether it leaves a suite good. A flaky job does, since retries were requested; reports
    /// still show that it was flaky.
    pub fn is_good(self) -> bool {
        matches!(self, Self::Pass | Self::Skip | Self::Caught | Self::Flaky)
    }
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.serialize(f)
    }
}

/// What a run produced, as far as expectations need it.
#[derive(Debug, Clone, Default)]
pub struct Observed {
    /// The commands and their output.
    pub transcript: Transcript,
    /// Whether the tracer was still running when it was signalled.
    pub was_signalled: bool,
    /// ftrace's count, or why there is none; `None` if it was not armed.
    pub ftrace: Option<Result<u64, String>>,
    /// QEMU's execution log and the tracer side by side, or why they cannot be compared; `None` if
    /// there was to be no log.
    pub execution: Option<Result<Compared, String>>,
}

/// All differences between `observed` and what `scenario` states.
pub fn judge(scenario: &Scenario, observed: &Observed) -> Vec<Failure> {
    let expect = &scenario.expect;
    let mut failures = Vec::new();
    let trace = observed.transcript.step("trace");
    let events = trace.map_or(0, |step| records(&step.stdout));
    if let Some(step) = observed.transcript.step("workload") {
        let expected = expect.workload_status.clone().unwrap_or_default();
        failures.extend(judge_ending(step, &expected, events));
    }
    failures.extend(judge_sequence(scenario, observed));
    if let Some(step) = trace {
        failures.extend(judge_ending(step, &expect.status, events));
        failures.extend(judge_words("stdout", &step.stdout, &expect.stdout_contains));
        failures.extend(judge_words("stderr", &step.stderr, &expect.stderr_contains));
        failures.extend(judge_events(expect, events));
        failures.extend(judge_ftrace(expect, observed.ftrace.as_ref(), events));
        failures.extend(observed.execution.as_ref().and_then(judge_execution));
    }
    failures
}

/// Checks that everything ran, and that the tracer lived long enough.
fn judge_sequence(scenario: &Scenario, observed: &Observed) -> Option<Failure> {
    let has = |role| observed.transcript.step(role).is_some();
    let ending = observed.transcript.step("trace").map(|step| &step.ending);
    let what = match ending {
        None => "the tracer never ran",
        // A timeout is reported by `judge_ending`.
        Some(Ending::TimedOut(_)) => return None,
        Some(_) if scenario.workload.is_some() && !has("workload") => {
            "the workload never ran: the tracer had ended"
        }
        Some(_) if scenario.stop != Stop::Exits && !observed.was_signalled => {
            "the tracer ended before it was told to"
        }
        Some(_) => return None,
    };
    Some(Failure::new(Kind::WrongStatus, what))
}

fn judge_ending(step: &Step, expected: &Status, events: usize) -> Option<Failure> {
    let as_stated = match (&step.ending, expected) {
        (Ending::Status(got), Status::Code(code)) => got == code,
        (Ending::Signal(got), Status::Signal(name)) => got == name,
        _ => false,
    };
    if as_stated {
        return None;
    }
    let who = program(&step.command).unwrap_or(step.role);
    Some(
        match &step.ending {
            Ending::Signal(name) if is_crash(name) => Failure::new(
                Kind::GuestCrash,
                format!("{who} died by {name} (records until then: {events})"),
            ),
            Ending::TimedOut(_) => {
                Failure::new(Kind::TimedOut, format!("{} {}", step.role, step.ending))
            }
            ending => Failure::new(
                Kind::WrongStatus,
                format!("{} ended with {ending}, not {expected}", step.role),
            ),
        }
        .with_detail(format!("{}{}", step.stderr, step.stdout)),
    )
}

/// The program of a command line, skipping `exec`, `env`, options and assignments.
fn program(command: &str) -> Option<&str> {
    let is_before =
        |word: &str| matches!(word, "exec" | "env") || word.starts_with('-') || word.contains('=');
    command.split_whitespace().find(|word| !is_before(word))
}

/// Whether the kernel sends the signal for a program's fault, as opposed to a user.
fn is_crash(signal: &str) -> bool {
    [
        "SIGSEGV", "SIGILL", "SIGBUS", "SIGABRT", "SIGTRAP", "SIGFPE", "SIGSYS",
    ]
    .contains(&signal)
}

fn judge_words(stream: &str, text: &str, expected: &[String]) -> Vec<Failure> {
    let missing = expected.iter().filter(|words| !text.contains(*words));
    missing
        .map(|words| {
            let what = format!("the tracer's {stream} does not contain `{words}`");
            Failure::new(Kind::WrongOutput, what).with_detail(text)
        })
        .collect()
}

fn judge_events(expect: &Expect, events: usize) -> Option<Failure> {
    let what = match (expect.events, expect.events_at_least) {
        (Some(exactly), _) if events != exactly => format!("{events} records, not {exactly}"),
        (_, Some(least)) if events < least => format!("{events} records, fewer than {least}"),
        _ => return None,
    };
    Some(Failure::new(Kind::WrongEvents, what))
}

/// Compares with ftrace's count. That both saw nothing is a failure, unless `events: 0` is stated.
fn judge_ftrace(
    expect: &Expect,
    counted: Option<&Result<u64, String>>,
    events: usize,
) -> Option<Failure> {
    let what = match counted? {
        Err(why) => why.clone(),
        Ok(counted) if usize::try_from(*counted) != Ok(events) => {
            format!("the tracer delivered {events} records, ftrace counted {counted}")
        }
        Ok(0) if expect.events != Some(0) => {
            "neither the tracer nor ftrace saw a hit; set `events: 0` if that is intended"
                .to_owned()
        }
        Ok(_) => return None,
    };
    Some(Failure::new(Kind::Disagreement, what))
}

fn judge_execution(compared: &Result<Compared, String>) -> Option<Failure> {
    let compared = match compared {
        Err(why) => return Some(Failure::new(Kind::Disagreement, why)),
        Ok(compared) => compared,
    };
    let first = compared.differences.first()?;
    let what = format!("{first} ({})", compared.summary);
    Some(Failure::new(Kind::Disagreement, what).with_detail(compared.detail()))
}

/// The verdict for a job. `mutant` is the symptom a mutant's job must show; `loaded` is whether the
/// module got into the kernel.
pub fn settle(failures: &[Failure], mutant: Option<&Symptom>, loaded: bool) -> (Verdict, String) {
    match mutant {
        None if failures.is_empty() => (Verdict::Pass, String::new()),
        None => (Verdict::Fail, summary(failures)),
        Some(stated) => settle_mutant(failures, stated, loaded),
    }
}

/// A mutant that was not loaded cannot have caused the failure. A hang counts only if the scenario
/// states it: otherwise the host may be the cause.
fn settle_mutant(failures: &[Failure], stated: &Symptom, loaded: bool) -> (Verdict, String) {
    let seen = summary(failures);
    match failures.iter().find(|failure| stated.is_shown_by(failure)) {
        Some(failure) if loaded || stated.fails == Kind::LoadFailed => {
            (Verdict::Caught, failure.what.clone())
        }
        _ if !loaded => (
            Verdict::Broken,
            format!("the mutant was not loaded: {seen}"),
        ),
        _ if failures.iter().any(Failure::may_be_host) => (
            Verdict::Broken,
            format!("possibly the host's fault: {seen}"),
        ),
        None if failures.is_empty() => (Verdict::Missed, format!("it passed; expected {stated}")),
        _ => (Verdict::Missed, format!("expected {stated}, but: {seen}")),
    }
}

fn summary(failures: &[Failure]) -> String {
    match failures {
        [] => String::new(),
        [only] => only.what.clone(),
        [first, more @ ..] => format!("{} (and {} more)", first.what, more.len()),
    }
}

/// The finding that explains the others: the first one of [`from_findings`].
pub fn worst(findings: &[Finding]) -> Option<&Finding> {
    findings.iter().min_by_key(|finding| rank(finding.trouble))
}

/// Findings as failures, without duplicates, causes first.
pub fn from_findings(findings: &[Finding]) -> Vec<Failure> {
    let mut seen: Vec<&Finding> = Vec::new();
    for finding in findings {
        if !seen.contains(&finding) {
            seen.push(finding);
        }
    }
    seen.sort_by_key(|finding| rank(finding.trouble));
    seen.into_iter().map(Failure::from).collect()
}

/// An oops says more than the panic that follows it, and both more than the silence after them.
fn rank(trouble: Trouble) -> u8 {
    match trouble {
        Trouble::Oops => 0,
        Trouble::BootPanic | Trouble::Panic => 1,
        Trouble::Lockup | Trouble::Bug | Trouble::Warn => 2,
        Trouble::HungTask | Trouble::RcuStall => 3,
        Trouble::Reset
        | Trouble::EarlyExit
        | Trouble::BootTimeOut
        | Trouble::Hang
        | Trouble::Flooded
        | Trouble::SshLost
        | Trouble::LineLost => 4,
        Trouble::ProgramDied => 5,
        Trouble::Overdue | Trouble::TooMuch | Trouble::CommandFailed => 6,
    }
}

#[cfg(test)]
mod tests;
