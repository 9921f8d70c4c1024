//! The stretch that a scenario is about: the tracer live, the workload under it, the tracer ended.
//!
//! Starting a program makes the guest's kernel do much that would be counted. So every process that
//! the stretch needs is there before it and held: its shell waits for one line and only then becomes
//! the command. What the harness itself does meanwhile, the agent does without starting anything.

use std::time::{Duration, Instant};

use crate::guest::line::{Exec, Line};
use crate::guest::{Answer, Guest, Stop};
use crate::judge::ftrace::Ftrace;
use crate::judge::transcript::{Step, is_live};
use crate::judge::verdict::Observed;
use crate::scenario::{self, Scenario};

/// How long a command may take to be ready.
const READY_LIMIT: Duration = Duration::from_secs(20);
const SIGINT: i32 = 2;
const SIGKILL: i32 = 9;

/// A command that waits for the word to go.
struct Held {
    role: &'static str,
    command: String,
    exec: Exec,
    started: Option<Instant>,
}

/// Everything that the stretch needs, ready before it begins.
struct Stretch<'a> {
    scenario: &'a Scenario,
    ftrace: Option<&'a Ftrace>,
    trace: Held,
    workload: Option<Held>,
}

/// Runs the scenario's commands, once everything is ready and `before_go` has returned; what they said goes to `observed`, also when the guest dies.
pub fn run(
    guest: &mut Guest,
    scenario: &Scenario,
    ftrace: Option<&Ftrace>,
    before_go: impl FnOnce(&mut Guest) -> Result<(), Stop>,
    observed: &mut Observed,
) -> Result<(), Stop> {
    let mut stretch = Stretch::ready(guest, scenario, ftrace)?;
    before_go(guest)?;
    let outcome = stretch.play(guest, observed);
    let workload = stretch.workload.as_ref();
    for held in [Some(&stretch.trace), workload].into_iter().flatten() {
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

impl<'a> Stretch<'a> {
    fn ready(
        guest: &mut Guest,
        scenario: &'a Scenario,
        ftrace: Option<&'a Ftrace>,
    ) -> Result<Self, Stop> {
        let trace = Held::new(guest, "trace", &scenario.trace, "exec ")?;
        let workload = scenario.workload.as_ref();
        let workload = workload.map(|command| Held::new(guest, "workload", command, ""));
        Ok(Self {
            scenario,
            ftrace,
            trace,
            workload: workload.transpose()?,
        })
    }

    fn play(&mut self, guest: &mut Guest, observed: &mut Observed) -> Result<(), Stop> {
        self.window(guest, true, observed)?;
        let end = Instant::now() + guest.paced(self.scenario.time_limit.duration());
        self.trace.go(guest);
        let trace = self.trace.exec;
        let is_live = guest.wait(end, |line| {
            line.is_over(trace) || has_live_probes(line, trace)
        })?;
        if !is_live || !self.work(guest, end)? || !self.stop(guest, end, observed)? {
            return guest.pulse();
        }
        self.window(guest, false, observed)
    }

    /// Opens or closes the window of the judge of counts; without a window it can't judge.
    fn window(
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

    /// The workload, if the tracer still lives to see it; false if it did not end in time.
    fn work(&mut self, guest: &mut Guest, end: Instant) -> Result<bool, Stop> {
        let is_traced = !is_over(guest, self.trace.exec);
        let Some(workload) = self.workload.as_mut().filter(|_| is_traced) else {
            return Ok(true);
        };
        workload.go(guest);
        let exec = workload.exec;
        guest.wait(end, |line| line.is_over(exec))
    }

    /// Ends the tracer as the scenario says; false if it did not end.
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
            observed.was_told = guest.signal(trace, signal, end)?.is_ok();
        }
        guest.wait(end, |line| line.is_over(trace))
    }
}

fn is_over(guest: &Guest, exec: Exec) -> bool {
    guest.heard(exec).ending.is_some()
}

fn has_live_probes(line: &Line, exec: Exec) -> bool {
    is_live(&String::from_utf8_lossy(&line.heard(exec).stderr))
}

impl Held {
    /// A shell that says one line, its last before it waits.
    fn new(
        guest: &mut Guest,
        role: &'static str,
        command: &str,
        prefix: &str,
    ) -> Result<Self, Stop> {
        let exec = guest.exec(&format!("echo; IFS= read -r go || exit\n{prefix}{command}"));
        let end = Instant::now() + guest.paced(READY_LIMIT);
        let has_said = |line: &Line| !line.heard(exec).stdout.is_empty();
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

    /// What came of it, if it was told to go.
    fn step(&self, guest: &Guest) -> Result<Option<Step>, Stop> {
        let Some(started) = self.started else {
            return Ok(None);
        };
        let mut answer = Answer::of(guest.heard(self.exec), started.elapsed());
        answer.ending = answer.ending.told_by_shell();
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
