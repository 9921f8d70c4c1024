//! The stretch that a scenario is about: the tracer live, the workload under it, the tracer ended.
//!
//! Opening a session makes the guest's ssh server call `chdir`, `fork` and much else, which would
//! be counted. So every session that the stretch needs is opened before it and held: its shell
//! waits for one line and only then becomes the command.

use std::time::{Duration, Instant};

use crate::ftrace::Ftrace;
use crate::guest::{Answer, Guest, Stop, quote};
use crate::scenario::{self, Scenario};
use crate::ssh::Exec;
use crate::transcript::{Ending, Step, is_live};
use crate::verdict::Observed;

/// How long a session may take to be ready.
const READY_LIMIT: Duration = Duration::from_secs(20);
/// How long the tracer may take at least to end, and print what is left, once it was told to.
const STOP_LIMIT: Duration = Duration::from_secs(10);
/// What a control session prints after each command; no command of the harness prints it.
const DONE: &str = "--trapline-done--";

/// A command that waits in its session for the word to go.
struct Held {
    role: &'static str,
    command: String,
    exec: Exec,
    pid: String,
    started: Option<Instant>,
}

/// A shell in the guest that does what it is told without a new session.
struct Control {
    shell: Exec,
    read: usize,
}

/// Everything that the stretch needs, ready before it begins.
struct Stretch<'a> {
    scenario: &'a Scenario,
    ftrace: Option<&'a Ftrace>,
    control: Control,
    trace: Held,
    workload: Option<Held>,
}

/// Runs the scenario's commands; what they said goes to `observed`, also when the guest dies.
pub fn run(
    guest: &mut Guest,
    scenario: &Scenario,
    ftrace: Option<&Ftrace>,
    observed: &mut Observed,
) -> Result<(), Stop> {
    let mut stretch = Stretch::ready(guest, scenario, ftrace)?;
    let outcome = stretch.play(guest, observed);
    let workload = stretch.workload.as_ref();
    for held in [Some(&stretch.trace), workload].into_iter().flatten() {
        if let Some(step) = held.step(guest)? {
            observed.transcript.steps.push(step);
        }
    }
    outcome?;
    stretch.control.end(guest)?;
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
        let held = |guest: &mut Guest, command: &String| Held::new(guest, "workload", command, "");
        Ok(Self {
            scenario,
            ftrace,
            control: Control::open(guest)?,
            trace: Held::new(guest, "trace", &scenario.trace, "exec ")?,
            workload: match &scenario.workload {
                Some(command) => Some(held(guest, command)?),
                None => None,
            },
        })
    }

    fn play(&mut self, guest: &mut Guest, observed: &mut Observed) -> Result<(), Stop> {
        self.window(guest, &Ftrace::open(), observed)?;
        let end = Instant::now() + self.scenario.time_limit.duration();
        self.trace.go();
        let is_live = guest.wait(&mut [&mut self.trace.exec], end, |execs| {
            execs
                .iter()
                .all(|exec| is_over(exec) || has_live_probes(exec))
        })?;
        if !is_live || !self.work(guest, end)? || !self.stop(guest, end, observed)? {
            return guest.pulse();
        }
        self.window(guest, &Ftrace::close(), observed)
    }

    /// Opens or closes the window of the judge of counts; without a window it can't judge.
    fn window(
        &mut self,
        guest: &mut Guest,
        command: &str,
        observed: &mut Observed,
    ) -> Result<(), Stop> {
        if self.ftrace.is_none() {
            return Ok(());
        }
        let answer = self.control.tell(guest, command)?;
        if !answer.is_good() {
            let said = answer.stdout.trim();
            observed.ftrace = Some(Err(format!("{command}: {} {said}", answer.ending)));
        }
        Ok(())
    }

    /// The workload, if the tracer still lives to see it; false if it did not end in time.
    fn work(&mut self, guest: &mut Guest, end: Instant) -> Result<bool, Stop> {
        let trace = &mut self.trace.exec;
        let Some(workload) = self.workload.as_mut().filter(|_| !is_over(trace)) else {
            return Ok(true);
        };
        workload.go();
        guest.wait(&mut [&mut workload.exec, trace], end, |execs| {
            is_over(execs[0])
        })
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
            scenario::Stop::Interrupt => Some("INT"),
            scenario::Stop::Kill => Some("KILL"),
        };
        let mut end = end;
        if let Some(signal) = signal.filter(|_| !is_over(&self.trace.exec)) {
            let kill = format!("kill -{signal} {}", self.trace.pid);
            observed.was_told = self.control.tell(guest, &kill)?.is_good();
            end = end.max(Instant::now() + STOP_LIMIT);
        }
        guest.wait(&mut [&mut self.trace.exec], end, |execs| {
            execs.iter().all(|exec| is_over(exec))
        })
    }
}

fn is_over(exec: &Exec) -> bool {
    exec.ending().is_some()
}

fn has_live_probes(exec: &Exec) -> bool {
    is_live(&String::from_utf8_lossy(&exec.stderr))
}

impl Held {
    /// An outer shell reports a death by any signal; an inner one waits, and says its pid first.
    fn new(
        guest: &mut Guest,
        role: &'static str,
        command: &str,
        prefix: &str,
    ) -> Result<Self, Stop> {
        let inner = format!("echo $$; IFS= read -r go || exit\n{prefix}{command}");
        let outer = format!(
            "exec 3>&2 2>/dev/null; sh -c {} 2>&3 3>&-; exit $?",
            quote(&inner)
        );
        let mut exec = guest.start(&outer)?;
        let pid = first_line(guest, &mut exec)?;
        Ok(Self {
            role,
            command: command.to_owned(),
            exec,
            pid,
            started: None,
        })
    }

    fn go(&mut self) {
        self.exec.send("go\n");
        self.started = Some(Instant::now());
    }

    /// What came of it, if it was told to go.
    fn step(&self, guest: &Guest) -> Result<Option<Step>, Stop> {
        let Some(started) = self.started else {
            return Ok(None);
        };
        let mut answer = Answer::of(&self.exec, started.elapsed());
        answer.ending = answer.ending.told_by_shell();
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

impl Control {
    fn open(guest: &mut Guest) -> Result<Self, Stop> {
        let shell = guest.start("exec sh 2>&1")?;
        let mut control = Self { shell, read: 0 };
        control.tell(guest, ":")?;
        Ok(control)
    }

    fn tell(&mut self, guest: &mut Guest, command: &str) -> Result<Answer, Stop> {
        let started = Instant::now();
        self.shell.send(format!("{command}\necho {DONE} $?\n"));
        let read = self.read;
        guest.wait(&mut [&mut self.shell], started + READY_LIMIT, |execs| {
            execs.iter().all(|exec| {
                is_over(exec) || said_since(exec, read).is_some_and(|(_, rest)| rest.contains('\n'))
            })
        })?;
        match said_since(&self.shell, read) {
            Some((said, status)) => self.told(guest, command, &said, &status, started),
            None => Err(guest.overdue(command, READY_LIMIT)),
        }
    }

    /// Lets the shell go, and sees it gone: of a session that is closed while its program lives, the
    /// guest's ssh server can end the whole connection ("Failed assertion: !channel->sent_close").
    fn end(&mut self, guest: &mut Guest) -> Result<(), Stop> {
        self.shell.send_end();
        let end = Instant::now() + READY_LIMIT;
        guest.wait(&mut [&mut self.shell], end, |execs| {
            execs.iter().all(|exec| is_over(exec))
        })?;
        Ok(())
    }

    fn told(
        &mut self,
        guest: &Guest,
        command: &str,
        said: &str,
        status: &str,
        started: Instant,
    ) -> Result<Answer, Stop> {
        self.read = self.shell.stdout.len();
        let answer = Answer {
            stdout: said.to_owned(),
            stderr: String::new(),
            ending: Ending::Status(status.trim().parse().unwrap_or(-1)),
        };
        guest.note(command, &answer, started.elapsed())?;
        Ok(answer)
    }
}

/// What a control shell said before and after the mark.
fn said_since(exec: &Exec, read: usize) -> Option<(String, String)> {
    let fresh = String::from_utf8_lossy(exec.stdout.get(read..)?);
    let (said, status) = fresh.split_once(DONE)?;
    Some((said.to_owned(), status.to_owned()))
}

/// Takes the first line away from what the command prints.
fn first_line(guest: &mut Guest, exec: &mut Exec) -> Result<String, Stop> {
    let newline = |exec: &Exec| exec.stdout.iter().position(|byte| *byte == b'\n');
    guest.wait(&mut [exec], Instant::now() + READY_LIMIT, |execs| {
        execs
            .iter()
            .all(|exec| is_over(exec) || newline(exec).is_some())
    })?;
    let Some(end) = newline(exec) else {
        return Err(guest.overdue("a session's shell", READY_LIMIT));
    };
    let line: Vec<u8> = exec.stdout.drain(..=end).collect();
    Ok(String::from_utf8_lossy(&line).trim().to_owned())
}
