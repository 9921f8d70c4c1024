//! A running guest: commands go in, answers come out, and whatever happens to it is noticed.
//!
//! Every wait in here has a limit and looks at three things meanwhile: QEMU, the console and
//! whether the user wants to leave. So a dead guest is known at once, not when a time is over.

pub mod command_line;
pub mod console;
pub mod emulator;
pub mod flow_control;
pub mod image;
pub mod image_file;
pub mod line;
pub mod lock;
pub mod machine;
pub mod module;
pub mod overrides;
pub mod qemu;
pub mod quote;
pub mod saved;
pub mod ssh;
pub mod start;
pub mod tape;

mod watch;

use std::path::Path;
use std::thread;
use std::time::{Duration, Instant};

use rustix::io::Errno;
use rustix::rand::{GetRandomFlags, getrandom};

use crate::error::HostError;
use crate::guest::command_line::Launch;
use crate::guest::console::Console;
use crate::guest::flow_control::Sips;
use crate::guest::image::Image;
use crate::guest::line::{Exec, Heard, Line, MOST};
use crate::guest::machine::Machine;
use crate::guest::qemu::Qemu;
use crate::judge::health::{Finding, Trouble};
use crate::judge::transcript::Ending;
use crate::report::evidence::Evidence;
use crate::report::printable::printable;

pub use watch::Watch;

/// How long a guest may take from its start to its first answer, on whatever host.
const BOOT_LIMIT: Duration = Duration::from_secs(90);
/// How long the harness's own small commands may take.
pub const ASK_LIMIT: Duration = Duration::from_secs(30);
/// How long a sound guest takes at most for the smallest thing, on whatever host.
const PULSE_LIMIT: Duration = Duration::from_secs(3);
/// After how much silence a guest is asked for a sign of life.
const BEAT: Duration = Duration::from_secs(10);
/// How long the answer may take before the guest hangs: a minute of silence in all.
const BEAT_LIMIT: Duration = Duration::from_secs(50);
/// How often a wait looks around.
const TICK: Duration = Duration::from_millis(20);
/// How often memory is looked at that a processor does not have before it.
const LOOKS: usize = 250;
const BETWEEN_LOOKS: Duration = Duration::from_millis(20);
/// So many times as long as usual is long enough for a person: the shortest limit becomes months.
const NO_HURRY: f64 = 1e6;
/// A host is never taken for more than so many times as slow as the one that the limits are for.
pub const SLOWEST: f64 = 4.0;

/// Why a job can't go on.
#[derive(Debug)]
pub enum Stop {
    /// The guest is in trouble.
    Guest(Finding),
    /// The harness is.
    Host(HostError),
    /// The user wants to leave.
    Interrupted,
}

impl From<HostError> for Stop {
    fn from(error: HostError) -> Self {
        match error {
            HostError::Interrupted => Self::Interrupted,
            error => Self::Host(error),
        }
    }
}

/// What a command said and how it ended.
#[derive(Debug, Clone)]
pub struct Answer {
    /// Its standard output.
    pub stdout: String,
    /// Its standard error.
    pub stderr: String,
    /// How it ended.
    pub ending: Ending,
}

/// A guest, from its start on.
#[derive(Debug)]
pub struct Guest {
    watch: Watch,
    line: Line,
    evidence: Evidence,
    started: Instant,
    boot_limit: Duration,
    /// How many times as slow as intended the host is when it has nothing else to do.
    slowness: f64,
    is_unhurried: bool,
    /// Since when a sign of life is waited for, where the guest was silent.
    asked: Option<Instant>,
    seed: Option<u64>,
    cpus: u8,
    /// When the last thing has to be done, once one took too long.
    end: Option<Instant>,
}

impl Guest {
    /// Starts a guest, or what of one was saved. It is not up yet.
    pub fn start(
        machine: &'static Machine,
        image: &Image,
        launch: Launch<'_>,
        evidence: &Evidence,
    ) -> Result<Self, HostError> {
        let started = Instant::now();
        let console = Console::new(evidence.console());
        let (qemu, line) = Qemu::start(machine, image, launch, evidence)?;
        Ok(Self {
            watch: Watch {
                machine,
                qemu,
                console,
                nudged: Instant::now(),
                sips: Sips::default(),
                is_up: false,
            },
            line,
            evidence: evidence.clone(),
            started,
            boot_limit: BOOT_LIMIT,
            slowness: 1.0,
            is_unhurried: false,
            asked: None,
            seed: image.clockwork.seed,
            cpus: image.cpus,
            end: None,
        })
    }

    /// Gives the guest so long to answer for the first time.
    pub fn with_boot_limit(self, boot_limit: Duration) -> Self {
        Self { boot_limit, ..self }
    }

    /// Gives it so many times as long for everything: hosts differ.
    pub fn with_slowness(mut self, slowness: f64) -> Self {
        self.slowness = slowness;
        self.watch.qemu.be_patient(self.pace());
        self
    }

    /// From now on it may take as long as it likes: someone stops it and looks at it.
    pub fn lift_limits(&mut self) {
        self.is_unhurried = true;
    }

    /// How long ago its QEMU was started.
    pub fn age(&self) -> Duration {
        self.started.elapsed()
    }

    /// How many times as long as intended everything may take: the host is slow, or it has other things
    /// to do, or both.
    pub fn pace(&self) -> f64 {
        match self.is_unhurried {
            true => NO_HURRY,
            false => (self.slowness * self.watch.qemu.crowding()).clamp(1.0, SLOWEST),
        }
    }

    /// As long as `limit` is on this host, as it is now.
    pub fn paced(&self, limit: Duration) -> Duration {
        limit.mul_f64(self.pace())
    }

    /// As much of `limit` as there is, once something took too long.
    fn left(&self, limit: Duration) -> Duration {
        let left = self
            .end
            .map(|end| end.saturating_duration_since(Instant::now()));
        left.map_or(limit, |left| limit.min(left))
    }

    /// Lets a restored guest go on where it was saved.
    pub fn restore(&mut self, state: &Path) -> Result<(), Stop> {
        let restored = self.watch.qemu.restore(state);
        restored.map_err(|error| self.watch.explained(error.into()))?;
        self.line.was_up();
        if let Some(timer) = self.watch.machine.timer {
            let nudged = self.watch.qemu.nudge(timer, false);
            nudged.map_err(|error| self.watch.unspoken(error))?;
        }
        Ok(())
    }

    /// Saves it, with which it stops for good.
    pub fn save(&mut self, state: &Path) -> Result<(), Stop> {
        let saved = self.watch.qemu.save(state);
        saved.map_err(|error| self.watch.explained(error.into()))
    }

    /// Waits until the guest answers, and tells it what no saved guest can know.
    pub fn wake(&mut self) -> Result<(), Stop> {
        let end = Instant::now() + self.boot_limit;
        let limit = self.boot_limit.as_secs();
        if !self.wait(end, Line::is_up)? {
            let line = format!("no answer after {limit} s");
            return Err(found(Trouble::BootTimeOut, line));
        }
        self.line.wake(seed(self.seed)?);
        if !self.wait(end, |line| line.awake().is_some())? {
            let line = format!("it did not wake in {limit} s");
            return Err(found(Trouble::BootTimeOut, line));
        }
        self.watch.is_up = true;
        match self.line.awake() {
            Some(Err(trouble)) => Err(found(Trouble::CommandFailed, trouble.clone())),
            _ => Ok(()),
        }
    }

    /// What happens to it.
    pub fn watch(&mut self) -> &mut Watch {
        &mut self.watch
    }

    /// Copies physical memory into a file.
    pub fn save_memory(&mut self, address: u64, size: u64, path: &Path) -> Result<(), Stop> {
        let saved = self.watch.qemu.save_memory(address, size, path);
        saved.map_err(|error| self.watch.explained(error.into()))
    }

    /// Copies memory into a file, by the kernel's addresses.
    pub fn save_seen(&mut self, address: u64, size: u64, path: &Path) -> Result<(), Stop> {
        // A processor that is in a process may not have the kernel's memory before it, where a kernel hides it
        // there; and one may stay in a process for as long as nobody else wants it.
        let mut saved = Ok(());
        for cpu in (0..self.cpus.max(1)).cycle().take(LOOKS) {
            saved = self.watch.qemu.save_seen(cpu, address, size, path);
            if saved.is_ok() {
                return Ok(());
            }
            thread::sleep(BETWEEN_LOOKS);
        }
        saved.map_err(|error| self.watch.explained(error.into()))
    }

    /// Starts a command.
    pub fn exec(&mut self, command: &str) -> Exec {
        self.line.exec(command)
    }

    /// Gives a command something to read.
    pub fn send(&mut self, exec: Exec, text: &str) {
        self.line.send(exec, text.as_bytes());
    }

    /// Gives a command the end of what it has to read.
    pub fn send_end(&mut self, exec: Exec) {
        self.line.send_end(exec);
    }

    /// What a command has said so far.
    pub fn heard(&self, exec: Exec) -> &Heard {
        self.line.heard(exec)
    }

    /// Sends a signal to a command, by `end`; an error if it is gone already.
    pub fn signal(
        &mut self,
        exec: Exec,
        number: i32,
        end: Instant,
    ) -> Result<Result<(), String>, Stop> {
        self.line.signal(exec, number);
        self.answer(exec, &format!("signal {number}"), end)
    }

    /// Writes a text to a file that is there, which runs nothing in the guest.
    pub fn write(&mut self, path: &str, text: &str) -> Result<Result<(), String>, Stop> {
        let order = self.line.write(path, text);
        let end = Instant::now() + self.paced(ASK_LIMIT);
        let answer = self.answer(order, &format!("write to {path}"), end)?;
        let told = answer.as_ref().err().map_or("done", String::as_str);
        self.evidence
            .note_command(&format!("{text} > {path}\n# {told}\n"))?;
        Ok(answer)
    }

    fn answer(&mut self, exec: Exec, what: &str, end: Instant) -> Result<Result<(), String>, Stop> {
        let started = Instant::now();
        let known = self.line.answered(exec);
        let is_answered = self.wait(end, |line| line.answered(exec) > known)?;
        match self.line.answer(exec) {
            Some(answer) if is_answered => Ok(answer.clone()),
            _ => Err(self.overdue(what, started.elapsed())),
        }
    }

    /// Waits until `is_done` says so; false when `end` came first.
    pub fn wait(&mut self, end: Instant, is_done: impl Fn(&Line) -> bool) -> Result<bool, Stop> {
        loop {
            self.turn()?;
            if is_done(&self.line) {
                return Ok(true);
            }
            if Instant::now() >= end {
                return Ok(false);
            }
            self.line.rest(TICK);
        }
    }

    /// Looks at everything once, without waiting.
    pub fn turn(&mut self) -> Result<(), Stop> {
        if self.line.is_full() && self.watch.has_swallowed() {
            self.line.swallowed();
        }
        self.line.turn().map_err(|error| self.watch.lost(&error))?;
        if self.line.take_too_much() {
            let line = format!("a command said more than {} MiB", MOST >> 20);
            return Err(found(Trouble::TooMuch, line));
        }
        self.watch.look()?;
        self.beat()
    }

    /// Asks a silent guest for a sign of life, for which nothing is started in it: an error once it owes one
    /// for too long. So a hang is known long before a scenario's time is over.
    fn beat(&mut self) -> Result<(), Stop> {
        if !self.watch.is_up || self.line.silence() < BEAT {
            self.asked = None;
            return Ok(());
        }
        match self.asked {
            None => {
                self.line.write("/dev/null", "");
                self.asked = Some(Instant::now());
                Ok(())
            }
            Some(since) if since.elapsed() < self.paced(BEAT_LIMIT) => Ok(()),
            Some(_) => Err(hang(self.line.silence())),
        }
    }

    /// Runs a command to its end, or until `limit` is over.
    pub fn run(&mut self, command: &str, limit: Duration) -> Result<Answer, Stop> {
        self.run_on(command, &[], limit)
    }

    fn run_on(&mut self, command: &str, input: &[u8], limit: Duration) -> Result<Answer, Stop> {
        let started = Instant::now();
        let limit = self.left(self.paced(limit));
        let exec = self.exec(command);
        self.line.send(exec, input);
        self.send_end(exec);
        self.wait(started + limit, |line| line.is_over(exec))?;
        let answer = Answer::of(self.heard(exec), limit);
        self.note(command, &answer, started.elapsed())?;
        Ok(answer)
    }

    /// Runs one of the harness's own commands and returns what it printed. One that fails has
    /// found out nothing, so that is an error and no answer.
    pub fn ask(&mut self, command: &str) -> Result<String, Stop> {
        self.feed(command, &[], ASK_LIMIT)
    }

    /// The same, of a command that reads `input`.
    pub fn feed(&mut self, command: &str, input: &[u8], limit: Duration) -> Result<String, Stop> {
        let answer = self.run_on(command, input, limit)?;
        match answer.ending {
            Ending::Status(0) => Ok(answer.stdout),
            Ending::TimedOut(limit) => Err(self.overdue(command, limit)),
            ending => {
                let line = format!("{command}: {ending} {}", answer.stderr.trim());
                Err(found(Trouble::CommandFailed, line.trim_end().to_owned()))
            }
        }
    }

    /// What it means that `command` did not end within `limit`: a guest with a pulse does not hang.
    pub fn overdue(&mut self, command: &str, limit: Duration) -> Stop {
        let line = format!("{command}: still running after {} s", limit.as_secs());
        let overdue = found(Trouble::Overdue, line);
        // Where there is no time left, it is because there was a pulse before.
        let pulse = self.end.is_none().then(|| self.pulse());
        pulse.and_then(Result::err).unwrap_or(overdue)
    }

    /// After a command took too long: an error if it is the guest that hangs.
    ///
    /// A guest that is full of processes has one as well, so nothing is started for it. From here on
    /// nothing is waited for that is not soon.
    pub fn pulse(&mut self) -> Result<(), Stop> {
        let limit = self.paced(PULSE_LIMIT);
        let end = *self.end.get_or_insert(Instant::now() + limit);
        let pulse = self.line.write("/dev/null", "");
        match self.wait(end, |line| line.answered(pulse) > 0)? {
            true => Ok(()),
            false => Err(hang(limit)),
        }
    }

    /// Adds what was run to the evidence.
    pub fn note(&self, command: &str, answer: &Answer, took: Duration) -> Result<(), HostError> {
        let said = [&answer.stdout, &answer.stderr].map(|stream| printable(stream));
        let said = said.concat();
        let is_cut = !said.is_empty() && !said.ends_with('\n');
        let end = if is_cut { "\n" } else { "" };
        let (ending, took) = (&answer.ending, took.as_millis());
        let entry = format!("$ {command}\n{said}{end}# {ending}, {took} ms\n");
        self.evidence.note_command(&entry)
    }

    /// Ends the guest, in order.
    pub fn quit(self) {
        self.watch.qemu.quit();
    }
}

/// What the guest's randomness begins with; the same again for the same `told`.
fn seed(told: Option<u64>) -> Result<[u8; 32], HostError> {
    let mut seed = [0; 32];
    if let Some(told) = told {
        seed[..8].copy_from_slice(&told.to_le_bytes());
        return Ok(seed);
    }
    let failed = |error: Errno| HostError::Random(error.into());
    getrandom(&mut seed[..], GetRandomFlags::empty()).map_err(failed)?;
    Ok(seed)
}

impl Answer {
    /// What was heard of a command; without an ending, it still runs after `took`.
    pub fn of(heard: &Heard, took: Duration) -> Self {
        Self {
            stdout: text(&heard.stdout),
            stderr: text(&heard.stderr),
            ending: heard.ending.clone().unwrap_or(Ending::TimedOut(took)),
        }
    }

    /// Whether it ended with status 0.
    pub fn is_good(&self) -> bool {
        self.ending == Ending::Status(0)
    }
}

/// Bytes as text; those that are none are spelled out.
fn text(bytes: &[u8]) -> String {
    let chunks = bytes.utf8_chunks();
    chunks
        .map(|chunk| format!("{}{}", chunk.valid(), chunk.invalid().escape_ascii()))
        .collect()
}

fn hang(limit: Duration) -> Stop {
    let line = format!("no answer within {} s", limit.as_secs());
    found(Trouble::Hang, line)
}

fn found(trouble: Trouble, line: String) -> Stop {
    Stop::Guest(Finding { trouble, line })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_that_are_no_text_are_spelled_out() {
        assert_eq!(text("a\n\u{e9}\0".as_bytes()), "a\n\u{e9}\0");
        assert_eq!(text(b"a\xff\xc3b\xc3\xa9"), "a\\xff\\xc3b\u{e9}");
    }

    #[test]
    fn the_same_seed_comes_of_the_same_number_and_another_of_none() {
        let of = |told| seed(told).expect("random bytes");
        assert_eq!(of(Some(7)), of(Some(7)));
        assert_ne!(of(Some(7)), of(Some(8)));
        assert_ne!(of(None), of(None));
    }
}
