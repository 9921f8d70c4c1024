//! The serial line: receives orders, and queues words until the line takes them.

use std::collections::VecDeque;
use std::fs::File;
use std::io::{self, Read, Write};
use std::path::Path;
use std::thread::sleep;
use std::time::{Duration, Instant};

use harness_agent::{Decoder, Order, Word, encode};
use rustix::event::{PollFd, PollFlags};
use rustix::fs::{Mode, OFlags, open};
use rustix::io::Errno;
use rustix::termios::{ControlModes, OptionalActions, isatty, tcgetattr, tcsetattr};

use crate::log;

/// How long to wait for the device to appear after its driver was loaded.
const TIMEOUT: Duration = Duration::from_secs(10);
/// Polling interval of that wait.
const TICK: Duration = Duration::from_millis(5);
/// Queued bytes above which processes' output is no longer read, so that they block instead.
const FULL: usize = 64 * 1024;

/// Why the line cannot be used.
#[derive(Debug, thiserror::Error)]
#[error("cannot open the line {path}: {why}")]
pub struct LineError {
    path: String,
    why: Errno,
}

/// The open line.
#[derive(Debug)]
pub struct Line {
    file: File,
    decoder: Decoder<Order>,
    waiting: VecDeque<u8>,
    /// Whether the other end is connected, as of the last read or write.
    is_up: bool,
}

impl Line {
    /// Opens the device, waiting up to [`TIMEOUT`] for it to appear.
    pub fn open(path: &Path) -> Result<Self, LineError> {
        let opened = open_when_present(path).and_then(|file| make_raw(&file).map(|()| file));
        let file = opened.map_err(|why| LineError {
            path: path.display().to_string(),
            why,
        })?;
        Ok(Self {
            file,
            decoder: Decoder::default(),
            // A zero terminates garbage already on the line: QEMU's second UART on a raspi0 sends
            // the baud-rate divisor when the kernel sets it.
            waiting: VecDeque::from([0]),
            is_up: true,
        })
    }

    /// What to poll for before [`Self::exchange`]; `None` if the line is down and only time can
    /// help.
    pub fn interest(&self) -> Option<PollFd<'_>> {
        let mut events = PollFlags::IN;
        events.set(PollFlags::OUT, !self.waiting.is_empty());
        self.is_up.then(|| PollFd::new(&self.file, events))
    }

    /// Whether more output may be queued. A caller that checks before every few pieces keeps the
    /// queue below [`FULL`] plus those pieces.
    pub fn has_room(&self) -> bool {
        self.waiting.len() < FULL
    }

    /// Queues a word.
    pub fn say(&mut self, word: &Word) {
        self.waiting.extend(encode(word));
    }

    /// Reads what has arrived and writes what the line takes, without blocking.
    pub fn exchange(&mut self) {
        self.is_up = true;
        self.read();
        self.write();
    }

    /// The next received order. A frame that fails to decode is logged and dropped: if it was an
    /// order, the harness, waiting for the answer, notices.
    pub fn next_order(&mut self) -> Option<Order> {
        loop {
            match self.decoder.next_message()? {
                Ok(order) => return Some(order),
                Err(why) => log(&why),
            }
        }
    }

    fn read(&mut self) {
        let mut bytes = [0; 4096];
        match self.file.read(&mut bytes) {
            Ok(0) => self.is_up = false,
            Ok(count) => self.decoder.push(&bytes[..count]),
            Err(why) => self.note(&why),
        }
    }

    fn write(&mut self) {
        while !self.waiting.is_empty() {
            match self.file.write(self.waiting.as_slices().0) {
                Ok(count) => drop(self.waiting.drain(..count)),
                Err(why) => return self.note(&why),
            }
        }
    }

    /// Any other error takes the line down until the next try: the other end may reconnect.
    fn note(&mut self, why: &io::Error) {
        let kinds = [io::ErrorKind::WouldBlock, io::ErrorKind::Interrupted];
        self.is_up &= kinds.contains(&why.kind());
    }
}

fn open_when_present(path: &Path) -> Result<File, Errno> {
    let end = Instant::now() + TIMEOUT;
    let flags = OFlags::RDWR | OFlags::NOCTTY | OFlags::NONBLOCK | OFlags::CLOEXEC;
    loop {
        match open(path, flags, Mode::empty()) {
            Err(Errno::NOENT) if Instant::now() < end => sleep(TICK),
            opened => return Ok(File::from(opened?)),
        }
    }
}

/// Puts a terminal into raw mode, without modem control.
fn make_raw(file: &File) -> Result<(), Errno> {
    if !isatty(file) {
        return Ok(());
    }
    let mut settings = tcgetattr(file)?;
    settings.make_raw();
    settings.control_modes |= ControlModes::CLOCAL | ControlModes::CREAD;
    tcsetattr(file, OptionalActions::Flush, &settings)
}
