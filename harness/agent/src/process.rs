//! A running command: its input, its output, and how it ended.

use std::collections::VecDeque;
use std::fs::File;
use std::io::{self, ErrorKind, Read, Write};
use std::os::fd::OwnedFd;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::process::{Child, Command, ExitStatus, Stdio};

use harness_agent::{End, PIECE};
use rustix::event::{PollFd, PollFlags};
use rustix::io::{ioctl_fionbio, ioctl_fionread};
use rustix::process::{Pid, PidfdFlags, Signal, kill_process, kill_process_group, pidfd_open};

/// A started command.
#[derive(Debug)]
pub struct Process {
    child: Child,
    /// A pidfd, which polls readable when the process ends.
    ending: OwnedFd,
    end: Option<End>,
    /// Its standard input.
    pub input: Input,
    /// Its standard output.
    pub output: Output,
    /// Its standard error.
    pub error: Output,
}

impl Process {
    /// Starts `sh -c command` in a process group of its own, with its pipes non-blocking.
    pub fn start(command: &str) -> io::Result<Self> {
        let mut child = Command::new("sh")
            .args(["-c", command])
            .process_group(0)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()?;
        let pipes = (child.stdin.take(), child.stdout.take(), child.stderr.take());
        match connect(&child, pipes.0, pipes.1, pipes.2) {
            Ok((ending, input, output, error)) => Ok(Self {
                child,
                ending,
                end: None,
                input,
                output,
                error,
            }),
            Err(why) => {
                // Without a pidfd its end would go unnoticed, so do not let it run.
                kill_process_group(Pid::from_child(&child), Signal::KILL).ok();
                child.wait()?;
                Err(why)
            }
        }
    }

    /// What to poll for before [`Self::proceed`], and before reading the outputs if `has_room`.
    pub fn interests(&self, has_room: bool) -> impl Iterator<Item = PollFd<'_>> {
        let is_running = self.end.is_none();
        let ending = is_running.then(|| PollFd::new(&self.ending, PollFlags::IN));
        let outputs = [&self.output, &self.error].map(|output| output.interest());
        let outputs = outputs.into_iter().flatten();
        let outputs = outputs.filter(move |_| is_running && has_room);
        ending
            .into_iter()
            .chain(self.input.interest())
            .chain(outputs)
    }

    /// Writes queued input and reaps the process if it has ended.
    pub fn proceed(&mut self) {
        if self.end.is_some() {
            return;
        }
        self.input.feed();
        // The only possible error is ECHILD.
        if let Ok(Some(status)) = self.child.try_wait() {
            self.end = Some(end(status));
            self.input.close();
            self.output.limit();
            self.error.limit();
        }
    }

    /// How it ended, once all output it wrote before that has been read.
    pub fn ended(&self) -> Option<&End> {
        let is_read = self.output.file.is_none() && self.error.file.is_none();
        self.end.as_ref().filter(|_| is_read)
    }

    /// Sends a signal to the process, unless it has ended.
    pub fn signal(&self, number: i32) -> Result<(), String> {
        if self.end.is_some() {
            return Err("it has ended".into());
        }
        let signal = Signal::from_named_raw(number).ok_or(format!("no signal {number}"))?;
        kill_process(Pid::from_child(&self.child), signal).map_err(|why| why.to_string())
    }
}

type Pipe<T> = Option<T>;

fn connect(
    child: &Child,
    input: Pipe<impl Into<OwnedFd>>,
    output: Pipe<impl Into<OwnedFd>>,
    error: Pipe<impl Into<OwnedFd>>,
) -> io::Result<(OwnedFd, Input, Output, Output)> {
    let ending = pidfd_open(Pid::from_child(child), PidfdFlags::empty())?;
    let input = Input {
        file: nonblocking(input)?,
        ..Input::default()
    };
    let output = Output {
        file: nonblocking(output)?,
        remaining: None,
    };
    let error = Output {
        file: nonblocking(error)?,
        remaining: None,
    };
    Ok((ending, input, output, error))
}

fn nonblocking(pipe: Pipe<impl Into<OwnedFd>>) -> io::Result<Option<File>> {
    let Some(pipe) = pipe else { return Ok(None) };
    let pipe = pipe.into();
    ioctl_fionbio(&pipe, true)?;
    Ok(Some(File::from(pipe)))
}

fn end(status: ExitStatus) -> End {
    match (status.code(), status.signal()) {
        (Some(code), _) => End::Status(code),
        (None, signal) => End::Signal(signal.unwrap_or_default()),
    }
}

/// The write end of a process's standard input, and the bytes queued for it.
#[derive(Debug, Default)]
pub struct Input {
    file: Option<File>,
    waiting: VecDeque<u8>,
    is_finished: bool,
}

impl Input {
    /// Queues bytes. Discarded if the process no longer reads.
    pub fn push(&mut self, bytes: &[u8]) {
        if self.file.is_some() {
            self.waiting.extend(bytes);
        }
    }

    /// Closes the pipe once the queue is empty.
    pub fn finish(&mut self) {
        self.is_finished = true;
    }

    fn interest(&self) -> Option<PollFd<'_>> {
        let file = self.file.as_ref().filter(|_| !self.waiting.is_empty());
        file.map(|file| PollFd::new(file, PollFlags::OUT))
    }

    fn feed(&mut self) {
        while let (Some(file), false) = (&mut self.file, self.waiting.is_empty()) {
            match file.write(self.waiting.as_slices().0) {
                Ok(count) => drop(self.waiting.drain(..count)),
                Err(why) if is_transient(&why) => return,
                Err(_) => return self.close(),
            }
        }
        if self.is_finished {
            self.close();
        }
    }

    fn close(&mut self) {
        self.file = None;
        self.waiting = VecDeque::new();
    }
}

/// The read end of a process's output.
#[derive(Debug)]
pub struct Output {
    file: Option<File>,
    /// How many more bytes to read, once the process has ended.
    remaining: Option<u64>,
}

impl Output {
    /// Reads up to [`PIECE`] bytes; `None` if there is nothing to read now.
    pub fn piece(&mut self) -> Option<Vec<u8>> {
        let most = self
            .remaining
            .map_or(PIECE, |remaining| PIECE.min(remaining as usize));
        let mut bytes = vec![0; most];
        match self.file.as_mut()?.read(&mut bytes) {
            Ok(0) => self.file = None,
            Ok(count) => {
                bytes.truncate(count);
                self.remaining = self.remaining.map(|remaining| remaining - count as u64);
                self.close_at_limit();
                return Some(bytes);
            }
            // Before the end, a read may find nothing: another process can share the pipe's read
            // end.
            Err(why) if is_transient(&why) && self.remaining.is_none() => {}
            Err(_) => self.file = None,
        }
        None
    }

    fn interest(&self) -> Option<PollFd<'_>> {
        let file = self.file.as_ref()?;
        Some(PollFd::new(file, PollFlags::IN))
    }

    /// Reads only what is in the pipe now. A background process may keep writing after the end.
    fn limit(&mut self) {
        // FIONREAD works on every pipe.
        let known = |file| ioctl_fionread(file).unwrap_or_default();
        self.remaining = self.file.as_ref().map(known);
        self.close_at_limit();
    }

    fn close_at_limit(&mut self) {
        if self.remaining == Some(0) {
            self.file = None;
        }
    }
}

fn is_transient(why: &io::Error) -> bool {
    [ErrorKind::WouldBlock, ErrorKind::Interrupted].contains(&why.kind())
}
