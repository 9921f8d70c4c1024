//! One command that runs: what it is given to read, what it writes, and how it ended.

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

/// A command that was started.
#[derive(Debug)]
pub struct Process {
    child: Child,
    /// Becomes readable when the process ends.
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
    /// Starts `sh -c command` in a process group of its own.
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
                // Nobody could tell when it ends, so it must not go on.
                kill_process_group(Pid::from_child(&child), Signal::KILL).ok();
                child.wait()?;
                Err(why)
            }
        }
    }

    /// What to wait for before [`Self::proceed`] or, if `has_room`, the outputs are worth a try.
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

    /// Gives it what it takes of its input, and notices its end.
    pub fn proceed(&mut self) {
        if self.end.is_some() {
            return;
        }
        self.input.feed();
        // The only error would be that there is no such child.
        if let Ok(Some(status)) = self.child.try_wait() {
            self.end = Some(end(status));
            self.input.close();
            self.output.limit();
            self.error.limit();
        }
    }

    /// How it ended, once all is taken that it had written by then.
    pub fn ended(&self) -> Option<&End> {
        let is_read = self.output.file.is_none() && self.error.file.is_none();
        self.end.as_ref().filter(|_| is_read)
    }

    /// Sends it the signal of this number, unless it has ended.
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
        file: unblocked(input)?,
        ..Input::default()
    };
    let output = Output {
        file: unblocked(output)?,
        left: None,
    };
    let error = Output {
        file: unblocked(error)?,
        left: None,
    };
    Ok((ending, input, output, error))
}

fn unblocked(pipe: Pipe<impl Into<OwnedFd>>) -> io::Result<Option<File>> {
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

/// A pipe to a process, and what waits to go through it.
#[derive(Debug, Default)]
pub struct Input {
    file: Option<File>,
    waiting: VecDeque<u8>,
    is_whole: bool,
}

impl Input {
    /// Puts bytes behind those that wait. A process that reads no more is not told.
    pub fn push(&mut self, bytes: &[u8]) {
        if self.file.is_some() {
            self.waiting.extend(bytes);
        }
    }

    /// There will be no more.
    pub fn finish(&mut self) {
        self.is_whole = true;
    }

    fn interest(&self) -> Option<PollFd<'_>> {
        let file = self.file.as_ref().filter(|_| !self.waiting.is_empty());
        file.map(|file| PollFd::new(file, PollFlags::OUT))
    }

    fn feed(&mut self) {
        while let (Some(file), false) = (&mut self.file, self.waiting.is_empty()) {
            match file.write(self.waiting.as_slices().0) {
                Ok(count) => drop(self.waiting.drain(..count)),
                Err(why) if is_passing(&why) => return,
                Err(_) => return self.close(),
            }
        }
        if self.is_whole {
            self.close();
        }
    }

    fn close(&mut self) {
        self.file = None;
        self.waiting = VecDeque::new();
    }
}

/// A pipe from a process.
#[derive(Debug)]
pub struct Output {
    file: Option<File>,
    /// How many bytes of it are still of interest, if not all.
    left: Option<u64>,
}

impl Output {
    /// What there is, as far as one message carries it; nothing if there is nothing now.
    pub fn piece(&mut self) -> Option<Vec<u8>> {
        let most = self.left.map_or(PIECE, |left| PIECE.min(left as usize));
        let mut bytes = vec![0; most];
        match self.file.as_mut()?.read(&mut bytes) {
            Ok(0) => self.file = None,
            Ok(count) => {
                bytes.truncate(count);
                self.left = self.left.map(|left| left - count as u64);
                self.end_at_limit();
                return Some(bytes);
            }
            // Someone else can have read what was there at the end.
            Err(why) if is_passing(&why) && self.left.is_none() => {}
            Err(_) => self.file = None,
        }
        None
    }

    fn interest(&self) -> Option<PollFd<'_>> {
        let file = self.file.as_ref()?;
        Some(PollFd::new(file, PollFlags::IN))
    }

    /// What is written from now on is of no interest: it is not the process's own.
    fn limit(&mut self) {
        // Every pipe knows how much is in it.
        let known = |file| ioctl_fionread(file).unwrap_or_default();
        self.left = self.file.as_ref().map(known);
        self.end_at_limit();
    }

    fn end_at_limit(&mut self) {
        if self.left == Some(0) {
            self.file = None;
        }
    }
}

fn is_passing(why: &io::Error) -> bool {
    [ErrorKind::WouldBlock, ErrorKind::Interrupted].contains(&why.kind())
}
