//! What is looked at by every wait: whether QEMU lives, what the console says, whether the user wants to
//! leave.

use std::thread;
use std::time::{Duration, Instant};

use crate::error::HostError;
use crate::guest::console::Console;
use crate::guest::flow_control::Sips;
use crate::guest::line::LineError;
use crate::guest::machine::Machine;
use crate::guest::qemu::{Qemu, Replayed};
use crate::judge::health::{Finding, Trouble};
use crate::run::interrupt;

use super::{Stop, found};

/// How long a dying kernel is given to say why.
const LAST_WORDS: Duration = Duration::from_millis(400);
/// How often a timer that forgets is nudged.
const NUDGES: Duration = Duration::from_millis(250);

/// QEMU and the console, looked at by every wait.
#[derive(Debug)]
pub struct Watch {
    pub(super) machine: &'static Machine,
    pub(super) qemu: Qemu,
    pub(super) console: Console,
    pub(super) nudged: Instant,
    pub(super) sips: Sips,
    pub(super) is_up: bool,
}

impl Watch {
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

    /// How much of the host's time its QEMU has taken.
    pub fn host_time(&self) -> Result<Duration, HostError> {
        self.qemu.host_time()
    }

    /// The process id of its QEMU.
    pub fn qemu_id(&self) -> u32 {
        self.qemu.id()
    }

    /// The port of the loopback device behind which the guest's ssh is.
    pub fn ssh_port(&mut self) -> Result<u16, Stop> {
        let port = self.qemu.ssh_port();
        port.map_err(|error| self.explained(error.into()))
    }

    /// Has QEMU wait for a debugger; where, is the answer.
    pub fn debug(&mut self) -> Result<String, Stop> {
        let address = self.qemu.debug();
        address.map_err(|error| self.explained(error.into()))
    }

    /// Whether the guest has been stopped from outside since this was last asked.
    pub fn was_stopped(&mut self) -> Result<bool, Stop> {
        let was = self.qemu.was_stopped();
        was.map_err(|error| self.explained(error.into()))
    }

    /// Whether a recorded guest has taken what it was last sent.
    pub(super) fn has_swallowed(&mut self) -> bool {
        match self.qemu.replayed() {
            Replayed::UpTo(count) => self.sips.is_swallowed(count),
            // What has become of it is found elsewhere.
            Replayed::Over => true,
        }
    }

    /// What the console said from `finding` on, or last if the finding is not the console's: `count`
    /// lines of it. A kernel in trouble can say much after the line that matters.
    pub fn told_from(&mut self, finding: &Finding, count: usize) -> String {
        self.console.from_words(&finding.line, count)
    }

    /// An error once the guest is in trouble, or the user wants to leave.
    pub fn look(&mut self) -> Result<(), Stop> {
        if interrupt::asked() {
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
        if self.nudged.elapsed() < NUDGES {
            return Ok(());
        }
        self.nudged = Instant::now();
        let nudged = self.qemu.nudge(timer, true);
        nudged.map_err(|error| self.unspoken(error))
    }

    /// A QEMU that does not answer may be about to end.
    pub(super) fn unspoken(&mut self, error: HostError) -> Stop {
        thread::sleep(LAST_WORDS);
        match (self.fatal(), self.qemu.ended()) {
            (Some(finding), _) => Stop::Guest(finding),
            (None, Some(status)) => Stop::Guest(self.early_exit(&status.to_string())),
            (None, None) => error.into(),
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
        let trouble = match self.qemu.was_left() {
            true => Trouble::Reset,
            false => Trouble::EarlyExit,
        };
        Finding {
            trouble,
            line: line.trim_end().to_owned(),
        }
    }

    /// A broken line is the least of the explanations for itself.
    pub(super) fn lost(&mut self, error: &LineError) -> Stop {
        let line = error.to_string();
        self.explained(found(Trouble::LineLost, line))
    }

    /// What the guest's end explains, if it came to one, or else `stop`.
    pub fn explained(&mut self, stop: Stop) -> Stop {
        thread::sleep(LAST_WORDS);
        self.look().err().unwrap_or(stop)
    }
}
