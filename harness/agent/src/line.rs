//! The line: orders come, words go, and what does not fit yet waits here.

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

use crate::tell;

/// How long the device may take to appear after its driver was loaded.
const PATIENCE: Duration = Duration::from_secs(10);
/// How often to look whether it has.
const TICK: Duration = Duration::from_millis(5);
/// So much may wait for the line before programs are made to wait for it.
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
    /// Whether somebody is at the other end, as far as is known.
    is_up: bool,
}

impl Line {
    /// Opens the device, once it is there.
    pub fn open(path: &Path) -> Result<Self, LineError> {
        let opened = open_in_time(path).and_then(|file| make_raw(&file).map(|()| file));
        let file = opened.map_err(|why| LineError {
            path: path.display().to_string(),
            why,
        })?;
        Ok(Self {
            file,
            decoder: Decoder::default(),
            // A zero ends what somebody else has put on the line: QEMU's second UART on a raspi0 sends
            // the divisor of the baud rate when the kernel sets it.
            waiting: VecDeque::from([0]),
            is_up: true,
        })
    }

    /// What to wait for before the line is worth a try; nothing if it is only a matter of time.
    pub fn interest(&self) -> Option<PollFd<'_>> {
        let mut events = PollFlags::IN;
        events.set(PollFlags::OUT, !self.waiting.is_empty());
        self.is_up.then(|| PollFd::new(&self.file, events))
    }

    /// Whether programs may go on: what they write would not wait behind too much. Whoever asks
    /// before every few pieces keeps what waits within [`FULL`] and these pieces.
    pub fn has_room(&self) -> bool {
        self.waiting.len() < FULL
    }

    /// Puts a word behind those that wait.
    pub fn say(&mut self, word: &Word) {
        self.waiting.extend(encode(word));
    }

    /// Takes what has come and gives what the line takes.
    pub fn exchange(&mut self) {
        self.is_up = true;
        self.take();
        self.give();
    }

    /// The next order that has come. What is none has lost its sender or was never from one; the
    /// harness, which waits for an answer, will notice.
    pub fn next_order(&mut self) -> Option<Order> {
        loop {
            match self.decoder.next_message()? {
                Ok(order) => return Some(order),
                Err(why) => tell(&why),
            }
        }
    }

    fn take(&mut self) {
        let mut bytes = [0; 4096];
        match self.file.read(&mut bytes) {
            Ok(0) => self.is_up = false,
            Ok(count) => self.decoder.push(&bytes[..count]),
            Err(why) => self.note(&why),
        }
    }

    fn give(&mut self) {
        while !self.waiting.is_empty() {
            match self.file.write(self.waiting.as_slices().0) {
                Ok(count) => drop(self.waiting.drain(..count)),
                Err(why) => return self.note(&why),
            }
        }
    }

    /// A line that fails may be mended: the other end comes back.
    fn note(&mut self, why: &io::Error) {
        let kinds = [io::ErrorKind::WouldBlock, io::ErrorKind::Interrupted];
        self.is_up &= kinds.contains(&why.kind());
    }
}

fn open_in_time(path: &Path) -> Result<File, Errno> {
    let end = Instant::now() + PATIENCE;
    let flags = OFlags::RDWR | OFlags::NOCTTY | OFlags::NONBLOCK | OFlags::CLOEXEC;
    loop {
        match open(path, flags, Mode::empty()) {
            Err(Errno::NOENT) if Instant::now() < end => sleep(TICK),
            opened => return Ok(File::from(opened?)),
        }
    }
}

/// Makes a terminal a mere line: no echo, no editing, and nothing hangs on a carrier.
fn make_raw(file: &File) -> Result<(), Errno> {
    if !isatty(file) {
        return Ok(());
    }
    let mut settings = tcgetattr(file)?;
    settings.make_raw();
    settings.control_modes |= ControlModes::CLOCAL | ControlModes::CREAD;
    tcsetattr(file, OptionalActions::Flush, &settings)
}
