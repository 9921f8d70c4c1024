//! The trace window: the tracer goes live, the workload runs, the tracer ends.
//!
//! Starting a process makes the kernel do much that would be traced. So every process of the window
//! is started before it and held: its shell blocks on reading one line, and only then execs or runs
//! the command. What the harness does during the window goes through the agent and starts nothing.

use std::time::{Duration, Instant};

use crate::guest::execution_log::ExecutionLog;
use crate::guest::line::{Exec, Line};
use crate::guest::{Answer, Guest, Stop};
use crate::judge::ftrace::Ftrace;
use crate::judge::transcript::{Step, is_live};
use crate::judge::verdict::Observed;
use crate::scenario::{self, Scenario};

/// Time for a held shell to start, before scaling.
const READY_LIMIT: Duration = Duration::from_secs(20);
const SIGINT: i32 = 2;
const SIGKILL: i32 = 9;

/// A command whose shell waits to be released.
struct Held {
    role: &'static str,
    command: String,
    exec: Exec,
    started: Option<Instant>,
}

/// The processes of a window, all held before it opens.
struct Window<'a> {
    scenario: &'a Scenario,
    ftrace: Option<&'a Ftrace>,
    /// QEMU's record, if it is to be made.
    log: Option<&'a ExecutionLog>,
    trace: Held,
    workload: Option<Held>,
}

/// Runs the scenario's commands, once all are held and `before_go` has returned. Their output goes
/// to `observed` even if the guest dies.
pub fn run(
    guest: &mut Guest,
    scenario: &Scenario,
    ftrace: Option<&Ftrace>,
    log: Option<&ExecutionLog>,
    before_go: impl FnOnce(&mut Guest) -> Result<(), Stop>,
    observed: &mut Observed,
) -> Result<(), Stop> {
    let mut window = Window::ready(guest, scenario, ftrace, log)?;
    before_go(guest)?;
    let outcome = window.run_window(guest, observed);
    let workload = window.workload.as_ref();
    for held in [Some(&window.trace), workload].into_iter().flatten() {
        if let Some(step) = held.step(guest)? {
            observed.transcript.steps.push(step);
        }
    }
    outcome?;
    if let (Some(ftrace), None) = (ftrace, &observed.ftrace) {
        observed.ftrace = Some(ftrace.count(guest)?);
    }
    Ok(())
}

impl<'a> Window<'a> {
    fn ready(
        guest: &mut Guest,
        scenario: &'a Scenario,
        ftrace: Option<&'a Ftrace>,
        log: Option<&'a ExecutionLog>,
    ) -> Result<Self, Stop> {
        let trace = Held::new(guest, "trace", &scenario.trace, "exec ")?;
        let workload = scenario.workload.as_ref();
        let workload = workload.map(|command| Held::new(guest, "workload", command, ""));
        Ok(Self {
            scenario,
            ftrace,
            log,
            trace,
            workload: workload.transpose()?,
        })
    }

    fn run_window(&mut self, guest: &mut Guest, observed: &mut Observed) -> Result<(), Stop> {
        self.set_recording(guest, true, observed)?;
        let end = Instant::now() + guest.paced(self.scenario.time_limit.duration());
        self.trace.go(guest);
        let trace = self.trace.exec;
        let is_live = guest.wait(end, |line| {
            line.is_over(trace) || has_live_probes(line, trace)
        })?;
        if !is_live || !self.work(guest, end)? || !self.stop(guest, end, observed)? {
            return guest.pulse();
        }
        self.set_recording(guest, false, observed)
    }

    /// Starts or stops ftrace's recording. If that fails, there is no count to judge by.
    fn set_recording(
        &mut self,
        guest: &mut Guest,
        is_open: bool,
        observed: &mut Observed,
    ) -> Result<(), Stop> {
        let Some(ftrace) = self.ftrace else {
            return Ok(());
        };
        if let Err(why) = ftrace.record(guest, is_open)? {
            observed.ftrace = Some(Err(why));
        }
        Ok(())
    }

    /// Releases the workload unless the tracer has ended; false if it did not end in time.
    fn work(&mut self, guest: &mut Guest, end: Instant) -> Result<bool, Stop> {
        let is_traced = !is_over(guest, self.trace.exec);
        let Some(workload) = self.workload.as_mut().filter(|_| is_traced) else {
            return Ok(true);
        };
        if let Some(log) = self.log {
            log.switch(true)?;
        }
        workload.go(guest);
        let exec = workload.exec;
        let is_over = guest.wait(end, |line| line.is_over(exec))?;
        if let Some(log) = self.log {
            log.switch(false)?;
        }
        Ok(is_over)
    }

    /// Ends the tracer as the scenario states; false if it did not end in time.
    fn stop(
        &mut self,
        guest: &mut Guest,
        end: Instant,
        observed: &mut Observed,
    ) -> Result<bool, Stop> {
        let signal = match self.scenario.stop {
            scenario::Stop::Exits => None,
            scenario::Stop::Interrupt => Some(SIGINT),
            scenario::Stop::Kill => Some(SIGKILL),
        };
        let trace = self.trace.exec;
        if let Some(signal) = signal.filter(|_| !is_over(guest, trace)) {
            observed.was_signalled = guest.signal(trace, signal, end)?.is_ok();
        }
        guest.wait(end, |line| line.is_over(trace))
    }
}

fn is_over(guest: &Guest, exec: Exec) -> bool {
    guest.received(exec).ending.is_some()
}

fn has_live_probes(line: &Line, exec: Exec) -> bool {
    is_live(&String::from_utf8_lossy(&line.received(exec).stderr))
}

impl Held {
    /// Starts a shell that prints an empty line and then blocks until [`Held::go`].
    fn new(
        guest: &mut Guest,
        role: &'static str,
        command: &str,
        prefix: &str,
    ) -> Result<Self, Stop> {
        let exec = guest.exec(&format!("echo; IFS= read -r go || exit\n{prefix}{command}"));
        let end = Instant::now() + guest.paced(READY_LIMIT);
        let has_said = |line: &Line| !line.received(exec).stdout.is_empty();
        if !guest.wait(end, |line| line.is_over(exec) || has_said(line))? {
            return Err(guest.overdue("a shell that should wait", READY_LIMIT));
        }
        Ok(Self {
            role,
            command: command.to_owned(),
            exec,
            started: None,
        })
    }

    fn go(&mut self, guest: &mut Guest) {
        guest.send(self.exec, "go\n");
        guest.send_end(self.exec);
        self.started = Some(Instant::now());
    }

    /// The command's output and ending, if it was released.
    fn step(&self, guest: &Guest) -> Result<Option<Step>, Stop> {
        let Some(started) = self.started else {
            return Ok(None);
        };
        let mut answer = Answer::of(guest.received(self.exec), started.elapsed());
        answer.ending = answer.ending.from_shell();
        answer.stdout = answer.stdout.replacen('\n', "", 1);
        guest.note(&self.command, &answer, started.elapsed())?;
        Ok(Some(Step {
            role: self.role,
            command: self.command.clone(),
            stdout: answer.stdout,
            stderr: answer.stderr,
            ending: answer.ending,
        }))
    }
}
