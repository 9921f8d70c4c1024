//! One job, from starting a guest to a verdict.
//!
//! Start a guest, arm ftrace if the scenario compares with it, copy the kernel's text, load the
//! module unless the guest was saved with it, run the trace window, compare the text, unload the
//! module and check for leftovers, compare the text again, scan the kernel's log, compare the
//! transcript with its snapshot.

mod done;
mod review;

use std::time::{Duration, Instant};

use crate::error::HostError;
use crate::files;
use crate::guest::execution_log::{self, ExecutionLog};
use crate::guest::image::Image;
use crate::guest::machine::Machine;
use crate::guest::module;
use crate::guest::overrides::Overrides;
use crate::guest::saved::Level;
use crate::guest::start::{self, Ready};
use crate::guest::{Answer, Guest, Stop, Watch};
use crate::judge::execution;
use crate::judge::ftrace::Ftrace;
use crate::judge::health::{self, Finding};
use crate::judge::snapshot::Update;
use crate::judge::text::{self, TextJudge};
use crate::judge::trace_window;
use crate::judge::transcript::{Ending, records};
use crate::judge::verdict::{self, Failure, Kind, Observed, Verdict};
use crate::report::evidence::{self, Evidence};
use crate::report::{self, JobReport};
use crate::run::job_file::{JobFile, Start};
use crate::run::plan::Job;
use crate::run::progress::Progress;
use crate::scenario::{Module, Symptom};
use crate::tree::Tree;

pub use done::Done;

/// Time for loading or unloading the module, before scaling.
const MODULE_LIMIT: Duration = Duration::from_secs(30);
/// Console lines in the detail of a failure.
const CONSOLE_LINES: usize = 60;
/// Prints what of the module is visible to users. The shell tests for existence, so the command
/// cannot fail.
const LEFTOVERS: &str =
    "for f in /proc/dtrace /dev/dtrace /sys/module/trapline; do [ ! -e $f ] || echo $f; done";

/// A job that is running.
struct Run<'a> {
    job: &'a Job,
    overrides: &'a Overrides<'a>,
    job_file: JobFile,
    image: Image,
    progress: &'a Progress,
    evidence: Evidence,
    started: Instant,
    /// Time spent on saving a guest before this one could start.
    waited: Duration,
    ready: Option<Duration>,
    /// CPU time that QEMU used.
    host_time: Duration,
    /// The factor that limits were scaled by.
    pace: Option<f64>,
    /// How the guest started, if it did.
    start: Option<report::Start>,
    /// Whether the module got into the kernel; true as well if the scenario loads none.
    loaded: bool,
    /// Whether the snapshot was written from this transcript.
    accepted: bool,
    failures: Vec<Failure>,
    kernel_changed: Vec<String>,
    observed: Observed,
}

/// Runs a job. It never fails: errors become a verdict.
pub fn run(job: &Job, image: &Image, tree: &Tree, update: Update, progress: &Progress) -> Done {
    run_in(&Overrides::default(), job, image, tree, update, progress)
}

/// The same with overrides.
pub fn run_in(
    overrides: &Overrides<'_>,
    job: &Job,
    image: &Image,
    tree: &Tree,
    update: Update,
    progress: &Progress,
) -> Done {
    let folder = overrides.folder.clone();
    let folder = folder.unwrap_or_else(|| evidence::folder(tree, &job.id));
    let evidence = Evidence::locked(folder).and_then(|held| held.for_attempt(job.attempt));
    match evidence {
        Ok(evidence) => run_with(evidence, overrides, job, image, tree, update, progress),
        Err(error) => Done::broken(job, &error),
    }
}

/// The same for a caller that holds the evidence folder's lock for longer.
pub fn run_with(
    evidence: Evidence,
    overrides: &Overrides<'_>,
    job: &Job,
    image: &Image,
    tree: &Tree,
    update: Update,
    progress: &Progress,
) -> Done {
    let mut run = Run {
        job,
        overrides,
        job_file: JobFile::of(job, &overrides.setting, tree),
        image: image
            .clone()
            .with_wishes(&job.scenario)
            .with_overrides(overrides),
        progress,
        evidence,
        started: Instant::now(),
        waited: Duration::ZERO,
        ready: None,
        host_time: Duration::ZERO,
        pace: None,
        start: None,
        loaded: false,
        accepted: false,
        failures: Vec::new(),
        kernel_changed: Vec::new(),
        observed: Observed::default(),
    };
    let outcome = run
        .in_guest(tree)
        .and_then(|()| Ok(run.snapshot(tree, update)?));
    let done = run.settle(outcome);
    run.keep(done)
}

impl Run<'_> {
    /// Runs everything that needs the guest. Its troubles become failures; host errors and
    /// interruptions are passed on.
    fn in_guest(&mut self, tree: &Tree) -> Result<(), Stop> {
        self.progress.now("starts");
        let machine = self.machine()?;
        if self.job.scenario.executed().is_some() {
            let file = self.evidence.execution_log();
            let range = machine.with_unlimited_stack.clone();
            let log = ExecutionLog::create(file, range, self.image.emulator)?;
            self.image.execution_log = Some(log);
        }
        let level = match (&self.job.mutant, self.job.scenario.module) {
            (None, Module::Plain) => Level::Loaded,
            _ => Level::Booted,
        };
        self.job_file.write(&self.evidence)?;
        let cold = self.job.scenario.cold_because().map(str::to_owned);
        let cold = cold.or_else(|| self.overrides.cold_because());
        let cold = cold.or_else(start::forbidden);
        let is_asked = cold.is_some();
        let started = start::guest(tree, &self.image, machine, level, cold, &self.evidence)?;
        self.start = Some(report::Start::of(started.cold.is_some(), is_asked));
        self.job_file.start = Some(started.cold.map_or(Start::Restored, Start::Cold));
        self.job_file.write(&self.evidence)?;
        let mut guest = started.guest;
        self.waited = self.started.elapsed().saturating_sub(guest.age());
        let outcome = started
            .ready
            .and_then(|ready| self.with_guest(&mut guest, machine, ready, tree));
        let log = match &outcome {
            Ok(()) => self.kernel_log(&mut guest)?,
            Err(Stop::Guest(finding)) if !finding.trouble.is_fatal() => {
                self.kernel_log(&mut guest)?
            }
            Err(_) => Vec::new(),
        };
        match outcome {
            Err(stop) => self.trouble(guest.watch(), stop, &log)?,
            Ok(()) => self.health(guest.watch(), &log),
        }
        // The time of a QEMU that has exited is lost.
        self.host_time = guest.watch().host_time().unwrap_or_default();
        guest.quit();
        Ok(())
    }

    fn machine(&self) -> Result<&'static Machine, HostError> {
        self.image.machine().ok_or_else(|| {
            let name = &self.image.machine;
            HostError::Qemu(format!("unknown machine `{name}`"))
        })
    }

    fn with_guest(
        &mut self,
        guest: &mut Guest,
        machine: &'static Machine,
        ready: Ready,
        tree: &Tree,
    ) -> Result<(), Stop> {
        self.check_release(&guest.ask("uname -r")?)?;
        self.ready = Some(guest.age());
        files::copy_in(guest, tree, &self.job.scenario.files)?;
        let ftrace = self.arm_ftrace(guest)?;
        let text = TextJudge::before(guest, machine, ready.symbols, &self.evidence)?;
        self.loaded = ready.is_loaded;
        if !self.loaded {
            self.progress.now("loads the module");
            self.loaded = self.load(guest)?;
        }
        if !self.loaded {
            return Ok(());
        }
        self.progress.now("traces");
        self.pace = Some(guest.pace());
        let scenario = &self.job.scenario;
        let hold = |guest: &mut Guest| match self.overrides.hold {
            Some(hold) => hold.before_go(guest, &self.evidence),
            None => Ok(()),
        };
        let log = self.image.execution_log.as_ref();
        let observed = &mut self.observed;
        trace_window::run(guest, scenario, ftrace.as_ref(), log, hold, observed)?;
        self.compare_execution(guest)?;
        let scenario = &self.job.scenario;
        self.failures
            .extend(verdict::judge(scenario, &self.observed));
        if self.is_overdue() {
            return Ok(());
        }
        self.compare_text(guest, &text, "after the tracer ended")?;
        self.progress.now("unloads the module");
        if self.unload(guest)? {
            self.compare_text(guest, &text, "after the module was unloaded")?;
        }
        Ok(())
    }

    /// Checks that `guest.json` belongs to the kernel that booted.
    fn check_release(&self, booted: &str) -> Result<(), HostError> {
        let described = &self.image.kernel_release;
        if booted.trim() == described {
            return Ok(());
        }
        Err(HostError::OtherKernel {
            guest: self.image.guest.clone(),
            described: described.clone(),
            booted: booted.trim().to_owned(),
        })
    }

    fn compare_text(
        &mut self,
        guest: &mut Guest,
        text: &TextJudge,
        when: &str,
    ) -> Result<(), Stop> {
        let compared = text.compare(guest, when, &self.evidence)?;
        self.failures.extend(compared.failure);
        self.kernel_changed = compared.own;
        Ok(())
    }

    /// Whether a command timed out: it may still hold the device open, so unloading would only
    /// fail.
    fn is_overdue(&self) -> bool {
        let mut steps = self.observed.transcript.steps.iter();
        steps.any(|step| matches!(step.ending, Ending::TimedOut(_)))
    }

    fn compare_execution(&mut self, guest: &mut Guest) -> Result<(), Stop> {
        let counts = self.job.scenario.executed();
        let log = self.image.execution_log.as_ref();
        let Some((counts, log)) = counts.zip(log).filter(|_| !self.is_overdue()) else {
            return Ok(());
        };
        self.progress.now("compares what QEMU executed");
        let compared = execution::judge(guest, counts, log, &self.evidence)?;
        self.observed.execution = Some(compared);
        Ok(())
    }

    fn arm_ftrace(&mut self, guest: &mut Guest) -> Result<Option<Ftrace>, Stop> {
        let other = self.job.scenario.expect.agrees_with.as_ref();
        let Some(function) = other.and_then(|other| other.ftrace.as_ref()) else {
            return Ok(None);
        };
        match Ftrace::arm(guest, function)? {
            Ok(ftrace) => Ok(Some(ftrace)),
            Err(failure) => {
                self.failures.push(failure);
                Ok(None)
            }
        }
    }

    fn load(&mut self, guest: &mut Guest) -> Result<bool, Stop> {
        let module = self.job.scenario.module;
        if module == Module::None {
            return Ok(true);
        }
        let command = module::load(&self.image, module, self.job.mutant.as_ref());
        let answer = guest.run(&command, MODULE_LIMIT)?;
        self.expect_good(guest, &command, &answer, Kind::LoadFailed)
    }

    fn unload(&mut self, guest: &mut Guest) -> Result<bool, Stop> {
        if self.job.scenario.module != Module::None {
            let answer = guest.run("rmmod trapline", MODULE_LIMIT)?;
            if !self.expect_good(guest, "rmmod trapline", &answer, Kind::LeftBehind)? {
                return Ok(false);
            }
        }
        let left = guest.ask(LEFTOVERS)?;
        if !left.is_empty() {
            let what = format!(
                "left behind by the module: {}",
                left.trim().replace('\n', ", ")
            );
            self.failures.push(Failure::new(Kind::LeftBehind, what));
        }
        Ok(true)
    }

    fn expect_good(
        &mut self,
        guest: &mut Guest,
        command: &str,
        answer: &Answer,
        kind: Kind,
    ) -> Result<bool, Stop> {
        if answer.is_good() {
            return Ok(true);
        }
        if matches!(answer.ending, Ending::TimedOut(_)) {
            guest.pulse()?;
        }
        let said = answer.stderr.trim();
        let what = format!("{command}: {} {said}", answer.ending);
        self.failures.push(Failure::new(kind, what.trim_end()));
        Ok(false)
    }

    fn kernel_log(&mut self, guest: &mut Guest) -> Result<Vec<Finding>, Stop> {
        match guest.ask("dmesg") {
            Ok(log) => Ok(health::scan(&log)),
            // A guest that the workload has exhausted may not manage this either.
            Err(Stop::Guest(finding)) if self.is_overdue() && !finding.trouble.is_fatal() => {
                Ok(Vec::new())
            }
            Err(Stop::Guest(finding)) => Ok(vec![finding]),
            Err(other) => Err(other),
        }
    }

    fn trouble(&mut self, watch: &mut Watch, stop: Stop, log: &[Finding]) -> Result<(), Stop> {
        match stop {
            Stop::Guest(finding) => {
                let log = [log, &[finding]].concat();
                self.health(watch, &log);
                Ok(())
            }
            other => Err(other),
        }
    }

    /// Puts what the kernel's logs report first, since it explains the rest.
    fn health(&mut self, watch: &mut Watch, log: &[Finding]) {
        let findings = [watch.findings().as_slice(), log].concat();
        let mut failures = verdict::from_findings(&findings);
        if let (Some(first), Some(worst)) = (failures.first_mut(), verdict::worst(&findings)) {
            first.detail = watch.told_from(worst, CONSOLE_LINES);
            if let Some(program) = health::victim(&first.detail) {
                first.what = format!("{}, in {program}", first.what);
            }
        }
        self.failures.splice(0..0, failures);
    }

    fn settle(&self, outcome: Result<(), Stop>) -> Done {
        let mutant = self.job.mutant.as_ref();
        let expected = mutant.and_then(|mutant| mutant.expected.as_ref());
        let interrupted = matches!(outcome, Err(Stop::Interrupted));
        let (verdict, why) = match outcome {
            Ok(()) => self.judged(expected),
            Err(Stop::Host(error)) => (Verdict::Broken, error.to_string()),
            Err(Stop::Guest(finding)) => (Verdict::Broken, finding.to_string()),
            Err(Stop::Interrupted) => (Verdict::Broken, "interrupted".to_owned()),
        };
        Done {
            report: self.report(verdict, why),
            failures: self.failures.clone(),
            kernel_changed: self.kernel_changed.clone(),
            normalised_by: self.pass_names(),
            interrupted,
        }
    }

    fn judged(&self, expected: Option<&Symptom>) -> (Verdict, String) {
        let (verdict, why) = verdict::settle(&self.failures, expected, self.loaded);
        if self.accepted && verdict == Verdict::Pass {
            return (verdict, "snapshot accepted".to_owned());
        }
        (verdict, why)
    }

    fn report(&self, verdict: Verdict, why: String) -> JobReport {
        let total = self.started.elapsed().saturating_sub(self.waited);
        let ready = self.ready.unwrap_or_default();
        let trace = self.observed.transcript.step("trace");
        JobReport {
            start: self.start,
            cold: self.job_file.cold_because(),
            waited_ms: millis(self.waited),
            ready_ms: millis(ready),
            run_ms: millis(total.saturating_sub(ready)),
            cpu_ms: millis(self.host_time),
            pace: self.pace,
            events: trace.map_or(0, |step| records(&step.stdout)),
            ..JobReport::not_run(&self.job.id, verdict, why)
        }
    }

    /// Writes `result.json`. If that fails, for instance on a full disk, the job is broken, with
    /// the rest of its result intact.
    fn keep(&self, done: Done) -> Done {
        let text = serde_json::to_string_pretty(&done).unwrap_or_else(|e| e.to_string());
        let written = self.evidence.write("result.json", &text);
        let tidied = match done.report.verdict.is_good() {
            true => text::discard(&self.evidence)
                .and_then(|()| self.evidence.remove(&self.evidence.execution_log())),
            false => execution_log::trim(&self.evidence.execution_log()),
        };
        match written.and(tidied) {
            Ok(()) => done,
            Err(error) => done.unkept(&error),
        }
    }
}

/// A duration in milliseconds, for reports.
pub fn millis(time: Duration) -> u64 {
    u64::try_from(time.as_millis()).unwrap_or(u64::MAX)
}
