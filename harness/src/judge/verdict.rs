//! From what happened to a verdict: pure, so that every rule can be tested without a guest.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::judge::health::{Finding, Trouble};
use crate::judge::transcript::{Ending, Step, Transcript, records};
use crate::scenario::{Expect, Scenario, Status, Stop, Symptom};

/// A way in which a scenario can fail.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Kind {
    /// The guest, or the program that was traced, died.
    GuestCrash,
    /// The guest does not answer and says nothing, which a host that stands still looks like too.
    GuestHang,
    /// The emulator or the connection went away, and the guest did not say why: nothing that a
    /// scenario could state.
    #[serde(skip_deserializing)]
    GuestLost,
    /// The guest's kernel lives, but complained.
    GuestComplaint,
    /// The module did not load.
    LoadFailed,
    /// A command took too long although the guest answers.
    TimedOut,
    /// A command ended in another way than stated.
    WrongStatus,
    /// The tracer delivered another number of records than stated.
    WrongEvents,
    /// The tracer did not say what was stated.
    WrongOutput,
    /// The kernel's own tracer counted something else.
    Disagreement,
    /// The kernel's text is not what it was.
    TextChanged,
    /// The module did not go, or left something.
    LeftBehind,
    /// The transcript is not what the snapshot says.
    SnapshotDiffers,
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.serialize(f)
    }
}

/// One thing that went wrong.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Failure {
    /// What sort of thing.
    pub kind: Kind,
    /// In one line.
    pub what: String,
    /// Whatever helps to see it: a diff, a console's last lines.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub detail: String,
}

impl Failure {
    /// A failure that one line tells completely.
    pub fn new(kind: Kind, what: impl Into<String>) -> Self {
        Self {
            kind,
            what: what.into(),
            detail: String::new(),
        }
    }

    /// Whether the host could have brought it about.
    fn may_be_the_hosts(&self) -> bool {
        matches!(self.kind, Kind::GuestLost | Kind::GuestHang)
    }

    /// The same with more to look at.
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

/// What is said of a job in the end.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Verdict {
    /// The claim holds.
    Pass,
    /// It does not.
    Fail,
    /// It was not put to the test.
    Skip,
    /// The harness or its host could not do its part.
    Broken,
    /// The seeded defect made the scenario fail as stated.
    Caught,
    /// The seeded defect went unnoticed, or showed in another way than stated.
    Missed,
    /// It ended well, but not at the first attempt: neither a pass nor a failure.
    Flaky,
}

impl Verdict {
    /// Whether a suite with this verdict in it is a good one. Who asks for retries lets a flaky job
    /// pass for the moment; that it was flaky stays in every report.
    pub fn is_good(self) -> bool {
        matches!(self, Self::Pass | Self::Skip | Self::Caught | Self::Flaky)
    }
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.serialize(f)
    }
}

/// What a run produced, as far as expectations look at it.
#[derive(Debug, Clone, Default)]
pub struct Observed {
    /// What was run and said.
    pub transcript: Transcript,
    /// Whether the tracer was still there to be told to end.
    pub was_told: bool,
    /// What the kernel's function tracer counted, or why it did not, where it was asked.
    pub ftrace: Option<Result<u64, String>>,
}

/// Everything in which `observed` is not what `scenario` states.
pub fn judge(scenario: &Scenario, observed: &Observed) -> Vec<Failure> {
    let expect = &scenario.expect;
    let mut failures = Vec::new();
    let trace = observed.transcript.step("trace");
    let events = trace.map_or(0, |step| records(&step.stdout));
    if let Some(step) = observed.transcript.step("workload") {
        let expected = expect.workload_status.clone().unwrap_or_default();
        failures.extend(judge_ending(step, &expected, events));
    }
    failures.extend(judge_course(scenario, observed));
    if let Some(step) = trace {
        failures.extend(judge_ending(step, &expect.status, events));
        failures.extend(judge_words("stdout", &step.stdout, &expect.stdout_contains));
        failures.extend(judge_words("stderr", &step.stderr, &expect.stderr_contains));
        failures.extend(judge_events(expect, events));
        failures.extend(judge_ftrace(expect, observed.ftrace.as_ref(), events));
    }
    failures
}

/// Whether everything was run, and the tracer lived as long as it should.
fn judge_course(scenario: &Scenario, observed: &Observed) -> Option<Failure> {
    let has = |role| observed.transcript.step(role).is_some();
    let ending = observed.transcript.step("trace").map(|step| &step.ending);
    let what = match ending {
        None => "the tracer never ran",
        // That it did not end in time is a failure of its own.
        Some(Ending::TimedOut(_)) => return None,
        Some(_) if scenario.workload.is_some() && !has("workload") => {
            "the workload never ran: the tracer had ended"
        }
        Some(_) if scenario.stop != Stop::Exits && !observed.was_told => {
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

/// The program that a command line is about, also behind `exec` and `env`.
fn program(command: &str) -> Option<&str> {
    let is_before =
        |word: &str| matches!(word, "exec" | "env") || word.starts_with('-') || word.contains('=');
    command.split_whitespace().find(|word| !is_before(word))
}

/// A signal that the kernel sends to a program which went wrong, not one that a person sends.
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
            let what = format!("the tracer's {stream} does not say `{words}`");
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

/// Two tracers that both saw nothing agree on nothing, unless nothing was to be seen.
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
            "neither the tracer nor ftrace saw a hit; state `events: 0` if that is meant".to_owned()
        }
        Ok(_) => return None,
    };
    Some(Failure::new(Kind::Disagreement, what))
}

/// The verdict over a job that found `failures`; `mutant` is how it had to fail, for a mutant's
/// job, and `loaded` whether the module was in the kernel at all.
pub fn settle(failures: &[Failure], mutant: Option<&Symptom>, loaded: bool) -> (Verdict, String) {
    match mutant {
        None if failures.is_empty() => (Verdict::Pass, String::new()),
        None => (Verdict::Fail, summary(failures)),
        Some(stated) => settle_mutant(failures, stated, loaded),
    }
}

/// A defect that never got into the kernel can't be what made the scenario fail. Where a hang is what
/// a defect does, the scenario says so; elsewhere it is no proof of any defect.
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
        _ if failures.iter().any(Failure::may_be_the_hosts) => {
            (Verdict::Broken, format!("that may be the host's: {seen}"))
        }
        None if failures.is_empty() => (Verdict::Missed, format!("it passed; {stated} was stated")),
        _ => (Verdict::Missed, format!("{stated} was stated, but: {seen}")),
    }
}

fn summary(failures: &[Failure]) -> String {
    match failures {
        [] => String::new(),
        [only] => only.what.clone(),
        [first, more @ ..] => format!("{} (and {} more)", first.what, more.len()),
    }
}

/// The trouble that explains the others: the first one of [`from_findings`].
pub fn worst(findings: &[Finding]) -> Option<&Finding> {
    findings.iter().min_by_key(|finding| rank(finding.trouble))
}

/// Troubles as failures, those that explain the others first.
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

/// An oops says more than the panic that it leads to, and both more than the silence after them.
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
