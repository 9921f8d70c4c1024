//! A running guest: commands go in, answers come out, and whatever happens to it is noticed.
//!
//! Every wait in here has a limit and looks at three things meanwhile: QEMU, the console and
//! whether the user wants to leave. So a dead guest is known at once, not when a time is over.

use std::path::Path;
use std::time::{Duration, Instant};

use ssh2::Channel;

use crate::console::Console;
use crate::error::HostError;
use crate::evidence::Evidence;
use crate::health::{Finding, Trouble};
use crate::image::{Image, Keys};
use crate::interrupt;
use crate::machine::Machine;
use crate::qemu::Qemu;
use crate::ssh::{Connecting, Exec, Poll, Ssh, SshError};
use crate::transcript::Ending;

/// How long a guest may take from its start to its first answer.
const BOOT_LIMIT: Duration = Duration::from_secs(90);
/// How long the harness's own small commands may take.
pub const ASK_LIMIT: Duration = Duration::from_secs(30);
/// How long a sound guest takes at most for the smallest command.
const PULSE_LIMIT: Duration = Duration::from_secs(5);
/// How long a dying kernel is given to say why.
const LAST_WORDS: Duration = Duration::from_millis(400);
/// How often a wait looks around.
const TICK: Duration = Duration::from_millis(20);
/// How long a first attempt to connect is kept up before the next.
const FIRST_PATIENCE: Duration = Duration::from_millis(150);
/// How long the last ones are.
const LAST_PATIENCE: Duration = Duration::from_secs(3);

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
        Self::Host(error)
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

/// QEMU and the console, looked at by every wait.
#[derive(Debug)]
pub struct Watch {
    qemu: Qemu,
    console: Console,
    boot_limit: Duration,
    is_up: bool,
}

/// A guest that answers.
#[derive(Debug)]
pub struct Guest {
    watch: Watch,
    ssh: Ssh,
    evidence: Evidence,
}

impl Watch {
    /// Starts the guest.
    pub fn start(
        machine: &'static Machine,
        image: &Image,
        evidence: &Evidence,
    ) -> Result<Self, HostError> {
        Ok(Self {
            console: Console::new(evidence.console()),
            qemu: Qemu::start(machine, image, evidence)?,
            boot_limit: BOOT_LIMIT,
            is_up: false,
        })
    }

    /// Gives the guest so long to answer for the first time.
    pub fn with_boot_limit(self, boot_limit: Duration) -> Self {
        Self { boot_limit, ..self }
    }

    /// Every trouble that the console tells of by now.
    pub fn findings(&mut self) -> Vec<Finding> {
        let is_up = self.is_up;
        let found = self.console.look().iter().cloned();
        found
            .map(|finding| match finding.trouble {
                Trouble::Panic if !is_up => Finding {
                    trouble: Trouble::BootPanic,
                    ..finding
                },
                _ => finding,
            })
            .collect()
    }

    /// The process id of its QEMU.
    pub fn qemu_id(&self) -> u32 {
        self.qemu.id()
    }

    /// What the console said from `finding` on, or last if the finding is not the console's: `count`
    /// lines of it. A kernel in trouble can say much after the line that matters.
    pub fn told_from(&mut self, finding: &Finding, count: usize) -> String {
        self.console.from_words(&finding.line, count)
    }

    fn look(&mut self) -> Result<(), Stop> {
        if interrupt::asked() {
            return Err(Stop::Interrupted);
        }
        if let Some(finding) = self.fatal() {
            std::thread::sleep(LAST_WORDS);
            return Err(Stop::Guest(finding));
        }
        match self.qemu.ended() {
            Some(status) => Err(Stop::Guest(self.end_of_qemu(&status.to_string()))),
            None => Ok(()),
        }
    }

    /// A kernel that panics may reboot at once, with which QEMU ends: its last words came before.
    fn end_of_qemu(&mut self, status: &str) -> Finding {
        match self.fatal() {
            Some(finding) => finding,
            None => self.early_exit(status),
        }
    }

    fn fatal(&mut self) -> Option<Finding> {
        let mut found = self.findings().into_iter();
        found.find(|finding| finding.trouble.is_fatal())
    }

    fn early_exit(&mut self, status: &str) -> Finding {
        let line = format!("{status} {}", self.qemu.said());
        Finding {
            trouble: Trouble::EarlyExit,
            line: line.trim_end().to_owned(),
        }
    }

    /// A broken connection is the least of the explanations for itself.
    fn lost(&mut self, error: &SshError) -> Stop {
        let line = error.to_string();
        self.explained(found(Trouble::SshLost, line))
    }

    /// What the guest's end explains, if it came to one, or else `stop`.
    fn explained(&mut self, stop: Stop) -> Stop {
        std::thread::sleep(LAST_WORDS);
        self.look().err().unwrap_or(stop)
    }

    fn connect(&mut self, keys: &Keys) -> Result<Ssh, Stop> {
        let port = self.qemu.ssh_port();
        let port = port.map_err(|error| self.explained(error.into()))?;
        let mut last = String::new();
        let end = Instant::now() + self.boot_limit;
        let mut patience = FIRST_PATIENCE;
        while Instant::now() < end {
            match self.attempt(port, keys, patience, end)? {
                Ok(Some(ssh)) => return Ok(ssh),
                Ok(None) => patience = (patience * 2).min(LAST_PATIENCE),
                Err(SshError::WrongHostKey) => {
                    return Err(HostError::Monitor(SshError::WrongHostKey.to_string()).into());
                }
                Err(error) => {
                    last = format!(" (the last attempt: {error})");
                    std::thread::sleep(TICK);
                }
            }
        }
        let seconds = self.boot_limit.as_secs();
        let line = format!("no answer after {seconds} s{last}");
        Err(found(Trouble::BootTimeOut, line))
    }

    /// One attempt; `None` when nobody spoke for as long as `patience` lasted.
    fn attempt(
        &mut self,
        port: u16,
        keys: &Keys,
        patience: Duration,
        end: Instant,
    ) -> Result<Poll<Ssh>, Stop> {
        let mut connecting = match Connecting::start(port, keys) {
            Ok(connecting) => connecting,
            Err(error) => return Ok(Err(error)),
        };
        let unheard = Instant::now() + patience;
        loop {
            self.look()?;
            match connecting.step(keys) {
                Ok(true) => return Ok(Ok(Some(connecting.finish()))),
                Ok(false) => connecting.rest(TICK),
                Err(error) => return Ok(Err(error)),
            }
            let give_up = if connecting.is_heard() { end } else { unheard };
            if Instant::now() > give_up {
                return Ok(Ok(None));
            }
        }
    }
}

impl Guest {
    /// Waits until the guest answers; gives the watch back if it does not, for a look at it.
    pub fn up(
        mut watch: Watch,
        keys: &Keys,
        evidence: &Evidence,
    ) -> Result<Self, (Box<Watch>, Stop)> {
        let ssh = match watch.connect(keys) {
            Ok(ssh) => ssh,
            Err(stop) => return Err((Box::new(watch), stop)),
        };
        watch.is_up = true;
        Ok(Self {
            watch,
            ssh,
            evidence: evidence.clone(),
        })
    }

    /// What happens to it.
    pub fn watch(&mut self) -> &mut Watch {
        &mut self.watch
    }

    /// The connection to it.
    pub fn ssh(&self) -> &Ssh {
        &self.ssh
    }

    /// Copies physical memory into a file.
    pub fn save_memory(&mut self, address: u64, size: u64, path: &Path) -> Result<(), Stop> {
        let saved = self.watch.qemu.save_memory(address, size, path);
        saved.map_err(|error| self.watch.explained(error.into()))
    }

    /// Starts a command.
    pub fn start(&mut self, command: &str) -> Result<Exec, Stop> {
        self.start_within(command, ASK_LIMIT)
    }

    fn start_within(&mut self, command: &str, limit: Duration) -> Result<Exec, Stop> {
        let mut channel = self.insist(limit, Ssh::open)?;
        self.insist(limit, |ssh| ssh.exec(&mut channel, command))?;
        Ok(Exec::new(channel))
    }

    /// Opens a channel.
    pub fn channel(&mut self) -> Result<Channel, Stop> {
        self.insist(ASK_LIMIT, Ssh::open)
    }

    /// Repeats `step` until it is done; a guest that does not let it be done in time hangs.
    pub fn insist<T>(
        &mut self,
        limit: Duration,
        mut step: impl FnMut(&Ssh) -> Poll<T>,
    ) -> Result<T, Stop> {
        let end = Instant::now() + limit;
        while Instant::now() < end {
            self.watch.look()?;
            match step(&self.ssh) {
                Ok(Some(value)) => return Ok(value),
                Ok(None) => self.ssh.rest(TICK),
                Err(error) => return Err(self.watch.lost(&error)),
            }
        }
        Err(hang(limit))
    }

    /// Pumps `execs` until `is_done` says so; false when `end` came first.
    pub fn wait(
        &mut self,
        execs: &mut [&mut Exec],
        end: Instant,
        mut is_done: impl FnMut(&[&mut Exec]) -> bool,
    ) -> Result<bool, Stop> {
        loop {
            for exec in execs.iter_mut() {
                exec.pump().map_err(|error| self.watch.lost(&error))?;
            }
            if is_done(execs) {
                return Ok(true);
            }
            if Instant::now() >= end {
                return Ok(false);
            }
            self.watch.look()?;
            self.ssh.rest(TICK);
        }
    }

    /// Moves what `exec` has, without waiting.
    pub fn turn(&mut self, exec: &mut Exec) -> Result<(), Stop> {
        self.watch.look()?;
        exec.pump().map_err(|error| self.watch.lost(&error))
    }

    /// Runs a command to its end, or until `limit` is over.
    pub fn run(&mut self, command: &str, limit: Duration) -> Result<Answer, Stop> {
        let started = Instant::now();
        let mut exec = self.start_within(command, limit.clamp(PULSE_LIMIT, ASK_LIMIT))?;
        self.wait(&mut [&mut exec], started + limit, |execs| {
            execs.iter().all(|exec| exec.ending().is_some())
        })?;
        let answer = Answer::of(&exec, limit);
        self.note(command, &answer, started.elapsed())?;
        Ok(answer)
    }

    /// Runs one of the harness's own commands and returns what it printed. One that fails has
    /// found out nothing, so that is an error and no answer.
    pub fn ask(&mut self, command: &str) -> Result<String, Stop> {
        let answer = self.run(command, ASK_LIMIT)?;
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
        self.pulse().err().unwrap_or(overdue)
    }

    /// After a command took too long: an error if it is the guest that hangs.
    pub fn pulse(&mut self) -> Result<(), Stop> {
        match self.run("echo pulse", PULSE_LIMIT)?.ending {
            Ending::TimedOut(_) => Err(hang(PULSE_LIMIT)),
            _ => Ok(()),
        }
    }

    /// Adds what was run to the evidence.
    pub fn note(&self, command: &str, answer: &Answer, took: Duration) -> Result<(), HostError> {
        self.evidence.note_command(&format!(
            "$ {command}\n{}{}# {}, {} ms\n",
            answer.stdout,
            answer.stderr,
            answer.ending,
            took.as_millis()
        ))
    }

    /// Ends the guest, in order.
    pub fn quit(self) {
        drop(self.ssh);
        self.watch.qemu.quit();
    }
}

impl Answer {
    /// What `exec` has said by now; without an ending, it still runs after `took`.
    pub fn of(exec: &Exec, took: Duration) -> Self {
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        Self {
            stdout: text(&exec.stdout),
            stderr: text(&exec.stderr),
            ending: exec.ending().cloned().unwrap_or(Ending::TimedOut(took)),
        }
    }

    /// Whether it ended with status 0.
    pub fn is_good(&self) -> bool {
        self.ending == Ending::Status(0)
    }
}

fn hang(limit: Duration) -> Stop {
    let line = format!("no answer within {} s", limit.as_secs());
    found(Trouble::Hang, line)
}

fn found(trouble: Trouble, line: String) -> Stop {
    Stop::Guest(Finding { trouble, line })
}

/// `text` as one word of a POSIX shell.
pub fn quote(text: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "-_./:=,+@%".contains(c);
    if !text.is_empty() && text.chars().all(is_plain) {
        text.to_owned()
    } else {
        format!("'{}'", text.replace('\'', r"'\''"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_quoted_where_a_shell_would_read_more_into_them() {
        assert_eq!(quote("raspi0"), "raspi0");
        assert_eq!(quote("tcp:127.0.0.1:0-:22"), "tcp:127.0.0.1:0-:22");
        assert_eq!(quote("it's $HOME"), r"'it'\''s $HOME'");
        assert_eq!(quote(""), "''");
    }
}
