//! A guest: QEMU, the serial line to its agent, and the watch over both.
//!
//! [`image`] and [`machine`] describe what to boot, [`command_line`] turns that into QEMU's
//! arguments, [`qemu`] owns the process and its monitor, [`line`] carries commands to the agent,
//! [`console`] reads the kernel's log. [`saved`] keeps booted guests on disk and [`start`] restores
//! one or boots.
//!
//! Every wait has a deadline, most scaled by [`Guest::pace`] to the host's speed, and polls three
//! things meanwhile: the QEMU process, the console, and SIGINT. So a dead guest is noticed at once
//! and not when a limit expires. Nothing may block on the guest outside [`Guest::wait`]; [`line`]
//! and [`ssh`] are non-blocking. QEMU is killed when its [`Guest`] is dropped and when the thread
//! that started it exits. Host errors and guest trouble stay apart in [`Stop`].

pub mod command_line;
pub mod console;
pub mod emulator;
pub mod execution_log;
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
pub mod recording;
pub mod saved;
pub mod ssh;
pub mod start;

mod watch;

use std::fs;
use std::path::Path;
use std::thread;
use std::time::{Duration, Instant};

use rustix::io::Errno;
use rustix::rand::{GetRandomFlags, getrandom};

use crate::error::HostError;
use crate::guest::command_line::Launch;
use crate::guest::console::Console;
use crate::guest::flow_control::FlowControl;
use crate::guest::image::Image;
use crate::guest::line::{Exec, Line, MOST, Received};
use crate::guest::machine::Machine;
use crate::guest::qemu::Qemu;
use crate::judge::health::{Finding, Trouble};
use crate::judge::transcript::Ending;
use crate::report::evidence::Evidence;
use crate::report::printable::printable;

pub use watch::Watch;

/// From start to the agent's first message, on any supported host; not scaled.
const BOOT_LIMIT: Duration = Duration::from_secs(90);
/// Time for one of the harness's own short commands, before scaling.
pub const ASK_LIMIT: Duration = Duration::from_secs(30);
/// Time for the agent to answer an empty write, once a command is overdue.
const PULSE_LIMIT: Duration = Duration::from_secs(3);
/// Silence after which the agent is sent a heartbeat.
const HEARTBEAT: Duration = Duration::from_secs(10);
/// Time for the answer to a heartbeat; with [`HEARTBEAT`], a minute of silence is a hang.
const HEARTBEAT_LIMIT: Duration = Duration::from_secs(50);
/// Period at which a wait polls QEMU and the console.
const TICK: Duration = Duration::from_millis(20);
/// Attempts at reading kernel memory that the chosen CPU does not have mapped.
const READ_ATTEMPTS: usize = 250;
const READ_INTERVAL: Duration = Duration::from_millis(20);
/// The pace while a person debugs the guest: the shortest limit becomes a month.
const UNLIMITED: f64 = 1e6;
/// Upper bound of the pace: no host counts as slower than this many times the reference host.
pub const SLOWEST: f64 = 4.0;

/// Why a job ends early.
#[derive(Debug)]
pub enum Stop {
    /// The guest is in trouble.
    Guest(Finding),
    /// The harness or its host failed.
    Host(HostError),
    /// SIGINT or SIGTERM arrived.
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

/// The output and the ending of a command.
#[derive(Debug, Clone)]
pub struct Answer {
    /// Standard output; bytes that are not UTF-8 are escaped.
    pub stdout: String,
    /// Standard error, likewise.
    pub stderr: String,
    /// Exit status, signal or timeout.
    pub ending: Ending,
}

/// A guest, from the start of its QEMU.
#[derive(Debug)]
pub struct Guest {
    watch: Watch,
    line: Line,
    evidence: Evidence,
    started: Instant,
    boot_limit: Duration,
    /// How many times slower than the reference host this one is when otherwise idle.
    slowness: f64,
    is_unlimited: bool,
    /// When the pending heartbeat was sent, if the guest is silent.
    heartbeat_sent: Option<Instant>,
    seed: Option<u64>,
    cpus: u8,
    /// The deadline for everything that remains, once a command was overdue.
    end: Option<Instant>,
}

impl Guest {
    /// Starts QEMU, cold or with the memory of a saved guest. The agent does not answer yet.
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
                flow_control: FlowControl::default(),
                is_up: false,
            },
            line,
            evidence: evidence.clone(),
            started,
            boot_limit: BOOT_LIMIT,
            slowness: 1.0,
            is_unlimited: false,
            heartbeat_sent: None,
            seed: image.clockwork.seed,
            cpus: image.cpus,
            end: None,
        })
    }

    /// Sets the limit for the first answer.
    pub fn with_boot_limit(self, boot_limit: Duration) -> Self {
        Self { boot_limit, ..self }
    }

    /// Scales all limits by `slowness`, the host's measured factor.
    pub fn with_slowness(mut self, slowness: f64) -> Self {
        self.slowness = slowness;
        self.watch.qemu.scale_limit(self.pace());
        self
    }

    /// Lifts all limits, for a guest that a debugger may stop at any time.
    pub fn lift_limits(&mut self) {
        self.is_unlimited = true;
    }

    /// Time since QEMU was started.
    pub fn age(&self) -> Duration {
        self.started.elapsed()
    }

    /// The factor for all limits: the host's slowness times its current contention, at most
    /// [`SLOWEST`].
    pub fn pace(&self) -> f64 {
        match self.is_unlimited {
            true => UNLIMITED,
            false => (self.slowness * self.watch.qemu.contention()).clamp(1.0, SLOWEST),
        }
    }

    /// `limit` scaled by the current pace.
    pub fn paced(&self, limit: Duration) -> Duration {
        limit.mul_f64(self.pace())
    }

    /// `limit`, cut to what remains once a command was overdue.
    fn left(&self, limit: Duration) -> Duration {
        let left = self
            .end
            .map(|end| end.saturating_duration_since(Instant::now()));
        left.map_or(limit, |left| limit.min(left))
    }

    /// Restores the saved device state and resumes the guest.
    pub fn restore(&mut self, state: &Path) -> Result<(), Stop> {
        let restored = self.watch.qemu.restore(state);
        restored.map_err(|error| self.watch.explained(error.into()))?;
        self.line.was_up();
        if let Some(timer) = self.watch.machine.timer {
            let nudged = self.watch.qemu.nudge(timer, false);
            nudged.map_err(|error| self.watch.monitor_failed(error))?;
        }
        Ok(())
    }

    /// Saves the device state and stops the guest for good.
    pub fn save(&mut self, state: &Path) -> Result<(), Stop> {
        let saved = self.watch.qemu.save(state);
        saved.map_err(|error| self.watch.explained(error.into()))
    }

    /// Waits for the agent, then sends it the time and random bytes, which a restored guest lacks.
    pub fn wake(&mut self) -> Result<(), Stop> {
        let end = Instant::now() + self.boot_limit;
        let limit = self.boot_limit.as_secs();
        if !self.wait(end, Line::is_up)? {
            let line = format!("no answer after {limit} s");
            return Err(found(Trouble::BootTimeOut, line));
        }
        self.line.wake(seed(self.seed)?);
        if !self.wait(end, |line| line.awake().is_some())? {
            let line = format!("no wake-up answer within {limit} s");
            return Err(found(Trouble::BootTimeOut, line));
        }
        self.watch.is_up = true;
        match self.line.awake() {
            Some(Err(trouble)) => Err(found(Trouble::CommandFailed, trouble.clone())),
            _ => Ok(()),
        }
    }

    /// Access to QEMU and the console.
    pub fn watch(&mut self) -> &mut Watch {
        &mut self.watch
    }

    /// Copies `size` bytes of physical memory from `address` into a file.
    pub fn save_memory(&mut self, address: u64, size: u64, path: &Path) -> Result<(), Stop> {
        let saved = self.watch.qemu.save_memory(address, size, path);
        saved.map_err(|error| self.watch.explained(error.into()))
    }

    /// Copies `size` bytes from a kernel virtual address into a file. If it fails, what is mapped
    /// before the first page that is not has been copied.
    pub fn save_virtual(&mut self, address: u64, size: u64, path: &Path) -> Result<(), Stop> {
        // With page-table isolation a CPU in user mode does not have the kernel mapped, and it may
        // stay there for as long as no other task is runnable. So all CPUs are tried in turn.
        let (mut saved, mut before) = (Ok(()), 0);
        for cpu in (0..self.cpus.max(1)).cycle().take(READ_ATTEMPTS) {
            saved = self.watch.qemu.save_virtual(cpu, address, size, path);
            if saved.is_ok() {
                return Ok(());
            }
            // A CPU has the kernel mapped, and twice the same part: there is no more.
            let copied = fs::metadata(path).map_or(0, |copy| copy.len());
            if copied > 0 && copied == before {
                break;
            }
            before = before.max(copied);
            thread::sleep(READ_INTERVAL);
        }
        saved.map_err(|error| self.watch.explained(error.into()))
    }

    /// Starts a shell command, and returns without waiting for it.
    pub fn exec(&mut self, command: &str) -> Exec {
        self.line.exec(command)
    }

    /// Queues text for a command's standard input.
    pub fn send(&mut self, exec: Exec, text: &str) {
        self.line.send(exec, text.as_bytes());
    }

    /// Closes a command's standard input.
    pub fn send_end(&mut self, exec: Exec) {
        self.line.send_end(exec);
    }

    /// The output of a command so far.
    pub fn received(&self, exec: Exec) -> &Received {
        self.line.received(exec)
    }

    /// Sends a signal to a command and waits for the agent's answer until `end`; the inner error
    /// says that the command is gone already.
    pub fn signal(
        &mut self,
        exec: Exec,
        number: i32,
        end: Instant,
    ) -> Result<Result<(), String>, Stop> {
        self.line.signal(exec, number);
        self.answer(exec, &format!("signal {number}"), end)
    }

    /// Writes to an existing file by way of the agent, which starts no process in the guest.
    pub fn write(&mut self, path: &str, text: &str) -> Result<Result<(), String>, Stop> {
        let order = self.line.write(path, text);
        let end = Instant::now() + self.paced(ASK_LIMIT);
        let answer = self.answer(order, &format!("write to {path}"), end)?;
        let given = answer.as_ref().err().map_or("done", String::as_str);
        self.evidence
            .note_command(&format!("{text} > {path}\n# {given}\n"))?;
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

    /// Polls until `is_done`; false if `end` passed first.
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

    /// Polls the line, QEMU and the console once, without blocking.
    pub fn turn(&mut self) -> Result<(), Stop> {
        if self.line.is_full() && self.watch.has_drained() {
            self.line.drained();
        }
        self.line.turn().map_err(|error| self.watch.lost(&error))?;
        if self.line.take_overflow() {
            let line = format!("a command printed more than {} MiB", MOST >> 20);
            return Err(found(Trouble::TooMuch, line));
        }
        self.watch.look()?;
        self.heartbeat()
    }

    /// Sends a heartbeat to a silent guest, an empty write that starts no process there, and fails
    /// once the answer is overdue. So a hang is noticed long before a scenario's time limit.
    fn heartbeat(&mut self) -> Result<(), Stop> {
        if !self.watch.is_up || self.line.silence() < HEARTBEAT {
            self.heartbeat_sent = None;
            return Ok(());
        }
        match self.heartbeat_sent {
            None => {
                self.line.write("/dev/null", "");
                self.heartbeat_sent = Some(Instant::now());
                Ok(())
            }
            Some(since) if since.elapsed() < self.paced(HEARTBEAT_LIMIT) => Ok(()),
            Some(_) => Err(hang(self.line.silence())),
        }
    }

    /// Runs a command until it ends or `limit`, scaled, expires.
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
        let answer = Answer::of(self.received(exec), limit);
        self.note(command, &answer, started.elapsed())?;
        Ok(answer)
    }

    /// Runs one of the harness's own commands and returns its standard output. Any other ending
    /// than status 0 is an error: its output cannot be relied on.
    pub fn ask(&mut self, command: &str) -> Result<String, Stop> {
        self.feed(command, &[], ASK_LIMIT)
    }

    /// Like [`Self::ask`], with `input` on standard input and a limit of its own.
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

    /// What to report when `command` exceeds `limit`: a hang if the agent does not answer either,
    /// else an overdue command.
    pub fn overdue(&mut self, command: &str, limit: Duration) -> Stop {
        let line = format!("{command}: still running after {} s", limit.as_secs());
        let overdue = found(Trouble::Overdue, line);
        // The agent is asked once per guest: a deadline that is set means that it has answered
        // before.
        let pulse = self.end.is_none().then(|| self.pulse());
        pulse.and_then(Result::err).unwrap_or(overdue)
    }

    /// Fails with a hang unless the agent answers, after a command was overdue.
    ///
    /// The probe is an empty write: a guest that is out of processes can still answer it. From here
    /// on, all limits are cut to the same deadline.
    pub fn pulse(&mut self) -> Result<(), Stop> {
        let limit = self.paced(PULSE_LIMIT);
        let end = *self.end.get_or_insert(Instant::now() + limit);
        let pulse = self.line.write("/dev/null", "");
        match self.wait(end, |line| line.answered(pulse) > 0)? {
            true => Ok(()),
            false => Err(hang(limit)),
        }
    }

    /// Appends a command with its output and ending to the evidence.
    pub fn note(&self, command: &str, answer: &Answer, took: Duration) -> Result<(), HostError> {
        let said = [&answer.stdout, &answer.stderr].map(|stream| printable(stream));
        let said = said.concat();
        let is_cut = !said.is_empty() && !said.ends_with('\n');
        let end = if is_cut { "\n" } else { "" };
        let (ending, took) = (&answer.ending, took.as_millis());
        let entry = format!("$ {command}\n{said}{end}# {ending}, {took} ms\n");
        self.evidence.note_command(&entry)
    }

    /// Shuts QEMU down over its monitor.
    pub fn quit(self) {
        self.watch.qemu.quit();
    }
}

/// The seed of the guest's entropy pool: derived from `given` if given, so that it is reproducible.
fn seed(given: Option<u64>) -> Result<[u8; 32], HostError> {
    let mut seed = [0; 32];
    if let Some(given) = given {
        seed[..8].copy_from_slice(&given.to_le_bytes());
        return Ok(seed);
    }
    let failed = |error: Errno| HostError::Random(error.into());
    getrandom(&mut seed[..], GetRandomFlags::empty()).map_err(failed)?;
    Ok(seed)
}

impl Answer {
    /// The answer so far; a command that still runs counts as timed out after `took`.
    pub fn of(received: &Received, took: Duration) -> Self {
        Self {
            stdout: text(&received.stdout),
            stderr: text(&received.stderr),
            ending: received.ending.clone().unwrap_or(Ending::TimedOut(took)),
        }
    }

    /// Whether the command exited with status 0.
    pub fn is_good(&self) -> bool {
        self.ending == Ending::Status(0)
    }
}

/// Decodes UTF-8; invalid bytes are escaped.
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
    fn invalid_utf8_is_escaped() {
        assert_eq!(text("a\n\u{e9}\0".as_bytes()), "a\n\u{e9}\0");
        assert_eq!(text(b"a\xff\xc3b\xc3\xa9"), "a\\xff\\xc3b\u{e9}");
    }

    #[test]
    fn seed_is_reproducible_or_random() {
        let of = |given| seed(given).expect("random bytes");
        assert_eq!(of(Some(7)), of(Some(7)));
        assert_ne!(of(Some(7)), of(Some(8)));
        assert_ne!(of(None), of(None));
    }
}
