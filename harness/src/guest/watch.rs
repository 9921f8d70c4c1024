//! What every wait polls: the QEMU process, the console, and SIGINT.

use std::thread;
use std::time::{Duration, Instant};

use crate::error::HostError;
use crate::guest::console::Console;
use crate::guest::flow_control::FlowControl;
use crate::guest::line::LineError;
use crate::guest::machine::Machine;
use crate::guest::qemu::{Qemu, Replayed};
use crate::judge::health::{Finding, Trouble};
use crate::run::interrupt;

use super::{Stop, found};

/// Grace time for a dying kernel's messages to reach the console file.
const LAST_WORDS: Duration = Duration::from_millis(400);
/// Nudging interval for a timer that QEMU may have lost.
const NUDGE_INTERVAL: Duration = Duration::from_millis(250);

/// QEMU and the console of a guest.
#[derive(Debug)]
pub struct Watch {
    pub(super) machine: &'static Machine,
    pub(super) qemu: Qemu,
    pub(super) console: Console,
    pub(super) nudged: Instant,
    pub(super) flow_control: FlowControl,
    pub(super) is_up: bool,
}

impl Watch {
    /// All findings on the console so far.
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

    /// CPU time that QEMU has used.
    pub fn host_time(&self) -> Result<Duration, HostError> {
        self.qemu.host_time()
    }

    /// QEMU's process id.
    pub fn qemu_id(&self) -> u32 {
        self.qemu.id()
    }

    /// The host's loopback port that forwards to the guest's ssh.
    pub fn ssh_port(&mut self) -> Result<u16, Stop> {
        let port = self.qemu.ssh_port();
        port.map_err(|error| self.explained(error.into()))
    }

    /// Starts QEMU's gdb server and returns its address.
    pub fn debug(&mut self) -> Result<String, Stop> {
        let address = self.qemu.debug();
        address.map_err(|error| self.explained(error.into()))
    }

    /// Whether the guest was stopped, by a debugger, since the last call.
    pub fn was_stopped(&mut self) -> Result<bool, Stop> {
        let was = self.qemu.was_stopped();
        was.map_err(|error| self.explained(error.into()))
    }

    /// Whether a recorded guest has read what it was last sent.
    pub(super) fn has_drained(&mut self) -> bool {
        match self.qemu.replayed() {
            Replayed::UpTo(count) => self.flow_control.is_drained(count),
            // A QEMU that has exited is reported by `look`.
            Replayed::Over => true,
        }
    }

    /// `count` lines of the console starting at `finding`, or the last ones if it is not from
    /// there. The lines that matter come first; much may follow them.
    pub fn told_from(&mut self, finding: &Finding, count: usize) -> String {
        self.console.from_words(&finding.line, count)
    }

    /// Fails if the guest is in fatal trouble, QEMU has exited, or SIGINT arrived.
    pub fn look(&mut self) -> Result<(), Stop> {
        if interrupt::is_pending() {
            return Err(Stop::Interrupted);
        }
        if let Some(finding) = self.fatal() {
            thread::sleep(LAST_WORDS);
            return Err(Stop::Guest(finding));
        }
        match self.qemu.ended() {
            Some(status) => Err(Stop::Guest(self.end_of_qemu(&status.to_string()))),
            None => self.nudge(),
        }
    }

    fn nudge(&mut self) -> Result<(), Stop> {
        let Some(timer) = self.machine.timer else {
            return Ok(());
        };
        if self.nudged.elapsed() < NUDGE_INTERVAL {
            return Ok(());
        }
        self.nudged = Instant::now();
        let nudged = self.qemu.nudge(timer, true);
        nudged.map_err(|error| self.monitor_failed(error))
    }

    /// Explains a monitor that does not answer: QEMU may be about to exit.
    pub(super) fn monitor_failed(&mut self, error: HostError) -> Stop {
        thread::sleep(LAST_WORDS);
        match (self.fatal(), self.qemu.ended()) {
            (Some(finding), _) => Stop::Guest(finding),
            (None, Some(status)) => Stop::Guest(self.early_exit(&status.to_string())),
            (None, None) => error.into(),
        }
    }

    /// Explains QEMU's exit. A panicking kernel may reset at once, which ends QEMU, so the console
    /// comes first.
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
        let trouble = match self.qemu.was_ended_by_guest() {
            true => Trouble::Reset,
            false => Trouble::EarlyExit,
        };
        Finding {
            trouble,
            line: line.trim_end().to_owned(),
        }
    }

    /// Reports a broken line, unless there is a better explanation.
    pub(super) fn lost(&mut self, error: &LineError) -> Stop {
        let line = error.to_string();
        self.explained(found(Trouble::LineLost, line))
    }

    /// Waits briefly, then returns the cause that the console or QEMU gives, or else `stop`.
    pub fn explained(&mut self, stop: Stop) -> Stop {
        thread::sleep(LAST_WORDS);
        self.look().err().unwrap_or(stop)
    }
}
