//! The agent's event loop. Nothing in it blocks except [`Agent::wait`].

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, Write};
use std::path::Path;
use std::time::Duration;

use harness_agent::{Channel, End, Order, VERSION, Word};
use rustix::event::{PollFd, Timespec, poll};
use rustix::time::{ClockId, clock_settime};

use crate::immunity::Immunity;
use crate::line::{Line, LineError};
use crate::log;
use crate::process::Process;
use crate::random::Random;

/// How long to wait before a line that is down is tried again: nothing reports that it is back.
const PAUSE: Timespec = Timespec {
    tv_sec: 0,
    tv_nsec: 100_000_000,
};

/// Why the agent cannot start.
#[derive(Debug, thiserror::Error)]
pub enum AgentError {
    /// The line to the harness cannot be opened.
    #[error(transparent)]
    Line(#[from] LineError),
    /// /dev/urandom cannot be opened, so a restored guest could not be reseeded.
    #[error("cannot open the random number generator: {0}")]
    Random(io::Error),
}

/// The agent's state.
#[derive(Debug)]
pub struct Agent {
    line: Line,
    random: Random,
    immunity: Option<Immunity>,
    running: BTreeMap<Channel, Process>,
}

impl Agent {
    /// An agent that takes its orders from this line. Running without OOM immunity is only logged.
    pub fn on(line: &Path) -> Result<Self, AgentError> {
        let immunity = Immunity::acquire();
        Ok(Self {
            line: Line::open(line)?,
            random: Random::open().map_err(AgentError::Random)?,
            immunity: immunity
                .inspect_err(|why| log(&format!("without memory it may be killed: {why}")))
                .ok(),
            running: BTreeMap::new(),
        })
    }

    /// Serves orders; never returns.
    pub fn serve(mut self) -> ! {
        self.line.say(&Word::Hello { version: VERSION });
        loop {
            self.wait();
            self.line.exchange();
            while let Some(order) = self.line.next_order() {
                self.obey(order);
            }
            self.relay();
        }
    }

    /// Waits until anything is ready. The caller then tries everything, which is cheap and does not
    /// block.
    fn wait(&self) {
        let line = self.line.interest();
        let limit = line.is_none().then_some(&PAUSE);
        let has_room = self.line.has_room();
        let processes = self.running.values();
        let processes = processes.flat_map(|process| process.interests(has_room));
        let mut all: Vec<PollFd<'_>> = line.into_iter().chain(processes).collect();
        // ENOMEM or EINTR: the caller's loop retries either way.
        poll(&mut all, limit).ok();
    }

    fn obey(&mut self, order: Order) {
        match order {
            Order::Wake { time, seed } => {
                let trouble = self.wake(time, &seed);
                self.line.say(&Word::Awake { trouble });
            }
            Order::Exec { channel, command } => self.exec(channel, &command),
            Order::Input { channel, bytes } => {
                if let Some(process) = self.running.get_mut(&channel) {
                    process.input.push(&bytes);
                }
            }
            Order::InputEnd { channel } => {
                if let Some(process) = self.running.get_mut(&channel) {
                    process.input.finish();
                }
            }
            Order::Signal { channel, number } => {
                let outcome = self.signal(channel, number);
                self.done(
                    channel,
                    outcome.map_err(|why| format!("channel {channel}: {why}")),
                );
            }
            Order::Write {
                channel,
                path,
                text,
            } => {
                let outcome = write(&path, &text);
                self.done(channel, outcome.map_err(|why| format!("{path}: {why}")));
            }
        }
    }

    fn done(&mut self, channel: Channel, outcome: Result<(), String>) {
        let trouble = outcome.err();
        self.line.say(&Word::Done { channel, trouble });
    }

    fn wake(&self, time: Duration, seed: &[u8; 32]) -> Option<String> {
        let clock = set_clock(time).map_err(|why| format!("the clock is not set: {why}"));
        let random = self.random.reseed(seed);
        let random = random.map_err(|why| format!("random numbers are not reseeded: {why}"));
        let troubles: Vec<String> = [clock, random]
            .into_iter()
            .filter_map(Result::err)
            .collect();
        (!troubles.is_empty()).then(|| troubles.join("; "))
    }

    fn exec(&mut self, channel: Channel, command: &str) {
        if self.running.contains_key(&channel) {
            return self.done(channel, Err(format!("channel {channel} is in use")));
        }
        let start = || Process::start(command);
        let started = match &self.immunity {
            Some(immunity) => immunity.suspended(start),
            None => start(),
        };
        match started {
            Ok(process) => drop(self.running.insert(channel, process)),
            Err(why) => {
                let end = End::NotStarted(why.to_string());
                self.line.say(&Word::Ended { channel, end });
            }
        }
    }

    fn signal(&self, channel: Channel, number: i32) -> Result<(), String> {
        let process = self.running.get(&channel);
        process.ok_or("nothing runs on it")?.signal(number)
    }

    /// Sends one piece of each output per round, so that a busy process cannot starve the others,
    /// and reports the processes that have ended.
    fn relay(&mut self) {
        let has_room = self.line.has_room();
        for (&channel, process) in &mut self.running {
            process.proceed();
            if has_room {
                let output = process.output.piece();
                let output = output.map(|bytes| Word::Output { channel, bytes });
                let error = process.error.piece();
                let error = error.map(|bytes| Word::Error { channel, bytes });
                output
                    .iter()
                    .chain(&error)
                    .for_each(|word| self.line.say(word));
            }
            if let Some(end) = process.ended().cloned() {
                self.line.say(&Word::Ended { channel, end });
            }
        }
        self.running.retain(|_, process| process.ended().is_none());
    }
}

fn set_clock(time: Duration) -> rustix::io::Result<()> {
    let time = Timespec::try_from(time).map_err(|_| rustix::io::Errno::INVAL)?;
    clock_settime(ClockId::Realtime, time)
}

/// Overwrites an existing file with a single write(2), as a shell's `>` and sysfs want it.
fn write(path: &str, text: &str) -> Result<(), String> {
    let message = |why: io::Error| why.to_string();
    let mut file = File::options()
        .write(true)
        .truncate(true)
        .open(path)
        .map_err(message)?;
    match file.write(text.as_bytes()).map_err(message)? {
        count if count == text.len() => Ok(()),
        count => Err(format!("{count} of {} bytes were written", text.len())),
    }
}
