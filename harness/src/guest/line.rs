//! The connection to a guest: a serial line with the agent at its other end.
//!
//! It needs no network, survives a restore, and a command over it costs the guest no more than the
//! command itself. Nothing here blocks; [`crate::guest::Guest`] polls, and watches the guest
//! meanwhile.
//!
//! A thread of its own drains the socket at once: QEMU's UART model blocks on each byte until it is
//! taken, and all of QEMU with it, the monitor included.

use std::collections::BTreeMap;
use std::io::{self, Read};
use std::net::Shutdown;
use std::os::unix::net::UnixStream;
use std::sync::mpsc::{self, Receiver, TryRecvError};
use std::thread;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use harness_agent::{Channel, Decoder, Order, PIECE, VERSION, WireError, Word, encode};
use rustix::io::Errno;
use rustix::net::{SendFlags, send};

use crate::judge::transcript::Ending;

/// Bytes of output that one command may produce.
pub const MOST: usize = 8 << 20;
/// SIGKILL, for a command that exceeds [`MOST`].
const KILL: i32 = 9;
/// Time for the agent's hello after noise on the port, before the noise counts as an error.
const HELLO_LIMIT: Duration = Duration::from_millis(500);
/// Retry interval for a send that QEMU did not accept.
const RETRY: Duration = Duration::from_millis(2);

/// The line failed and cannot be used any more.
#[derive(Debug, thiserror::Error)]
pub enum LineError {
    /// QEMU closed its end.
    #[error("QEMU closed the line")]
    Closed,
    /// An error of the socket.
    #[error("{0}")]
    Socket(#[from] io::Error),
    /// Bytes arrived that are not the agent's protocol.
    #[error("{0}")]
    Wire(#[from] WireError),
    /// The agent was restarted, so all of its commands are lost.
    #[error("the agent restarted")]
    Restarted,
    /// The agent was built with another protocol version.
    #[error(
        "the guest's agent has protocol version {0}, expected {VERSION}; `cargo xtask image` rebuilds the guest"
    )]
    Version(u32),
}

/// The harness's end of the line.
#[derive(Debug)]
pub struct Line {
    socket: UnixStream,
    incoming: Receiver<io::Result<Vec<u8>>>,
    decoder: Decoder<Word>,
    unsent: Vec<u8>,
    received: BTreeMap<Channel, Received>,
    next: Channel,
    /// Whether the agent has said hello.
    is_up: bool,
    /// The agent's answer to [`Order::Wake`].
    awake: Option<Result<(), String>>,
    has_overflowed: bool,
    /// Bytes to send before the guest must have read them, if the device has no flow control.
    burst: Option<usize>,
    /// Whether a burst is in flight that the guest has not read yet.
    is_full: bool,
    /// Bytes that did not decode, and when, until it is known whether a hello follows.
    garbled: Option<(WireError, Instant)>,
    /// When anything was last received.
    received_at: Instant,
}

/// A channel: a command in the guest, or a write.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Exec(Channel);

/// What a channel has received so far.
#[derive(Debug, Clone, Default)]
pub struct Received {
    /// Standard output.
    pub stdout: Vec<u8>,
    /// Standard error.
    pub stderr: Vec<u8>,
    /// How the command ended, if it has.
    pub ending: Option<Ending>,
    /// Whether the output exceeded [`MOST`]: the command was sent SIGKILL and the rest is
    /// discarded.
    pub has_overflowed: bool,
    /// Answers to signals and writes, in order.
    answers: Vec<Result<(), String>>,
}

impl Received {
    fn add(&mut self, bytes: &[u8], to_stderr: bool) -> bool {
        let is_more = self.stdout.len() + self.stderr.len() + bytes.len() > MOST;
        if is_more || self.has_overflowed {
            return !std::mem::replace(&mut self.has_overflowed, true);
        }
        let stream = if to_stderr {
            &mut self.stderr
        } else {
            &mut self.stdout
        };
        stream.extend_from_slice(bytes);
        false
    }
}

impl Line {
    /// Takes the harness's end of a socket pair, and starts the thread that drains it.
    pub fn new(socket: UnixStream) -> io::Result<Self> {
        let incoming = listen(socket.try_clone()?)?;
        Ok(Self {
            socket,
            incoming,
            decoder: Decoder::default(),
            unsent: Vec::new(),
            received: BTreeMap::new(),
            next: 0,
            is_up: false,
            awake: None,
            has_overflowed: false,
            burst: None,
            is_full: false,
            garbled: None,
            received_at: Instant::now(),
        })
    }

    /// For a QEMU that passes input to the guest without flow control: sends `burst` bytes, then
    /// nothing until [`Self::drained`].
    pub fn in_bursts(mut self, burst: usize) -> Self {
        self.burst = Some(burst);
        self
    }

    /// Whether a burst is in flight that the guest has not read yet.
    pub fn is_full(&self) -> bool {
        self.is_full
    }

    /// Acknowledges the burst in flight.
    pub fn drained(&mut self) {
        self.is_full = false;
    }

    /// Time since anything was received.
    pub fn silence(&self) -> Duration {
        self.received_at.elapsed()
    }

    /// Whether the agent has said hello.
    pub fn is_up(&self) -> bool {
        self.is_up
    }

    /// Marks the agent as up: in a restored guest it said hello before it was saved.
    pub fn was_up(&mut self) {
        self.is_up = true;
    }

    /// Sends the current time, and a seed for the guest's entropy pool.
    pub fn wake(&mut self, seed: [u8; 32]) {
        let time = SystemTime::now().duration_since(UNIX_EPOCH);
        self.order(&Order::Wake {
            time: time.unwrap_or_default(),
            seed,
        });
    }

    /// The agent's answer to [`Self::wake`], if it has arrived.
    pub fn awake(&self) -> Option<&Result<(), String>> {
        self.awake.as_ref()
    }

    /// Starts a shell command on a new channel.
    pub fn exec(&mut self, command: &str) -> Exec {
        let (exec, channel) = self.channel();
        let command = command.to_owned();
        self.order(&Order::Exec { channel, command });
        exec
    }

    /// Queues bytes for a command's standard input.
    pub fn send(&mut self, exec: Exec, bytes: &[u8]) {
        for piece in bytes.chunks(PIECE) {
            self.order(&Order::Input {
                channel: exec.0,
                bytes: piece.to_vec(),
            });
        }
    }

    /// Closes a command's standard input.
    pub fn send_end(&mut self, exec: Exec) {
        self.order(&Order::InputEnd { channel: exec.0 });
    }

    /// Sends a signal to a command; the answer is counted by [`Self::answered`].
    pub fn signal(&mut self, exec: Exec, number: i32) {
        self.order(&Order::Signal {
            channel: exec.0,
            number,
        });
    }

    /// Writes to an existing file; the answer is counted by [`Self::answered`].
    pub fn write(&mut self, path: &str, text: &str) -> Exec {
        let (exec, channel) = self.channel();
        self.order(&Order::Write {
            channel,
            path: path.to_owned(),
            text: text.to_owned(),
        });
        exec
    }

    /// What the channel has received so far.
    pub fn received(&self, exec: Exec) -> &Received {
        static NOTHING: Received = Received {
            stdout: Vec::new(),
            stderr: Vec::new(),
            ending: None,
            has_overflowed: false,
            answers: Vec::new(),
        };
        self.received.get(&exec.0).unwrap_or(&NOTHING)
    }

    /// Whether the command has ended.
    pub fn is_over(&self, exec: Exec) -> bool {
        self.received(exec).ending.is_some()
    }

    /// Number of answers on this channel.
    pub fn answered(&self, exec: Exec) -> usize {
        self.received(exec).answers.len()
    }

    /// The last answer on this channel.
    pub fn answer(&self, exec: Exec) -> Option<&Result<(), String>> {
        self.received(exec).answers.last()
    }

    /// Whether a command exceeded [`MOST`] since the last call.
    pub fn take_overflow(&mut self) -> bool {
        std::mem::take(&mut self.has_overflowed)
    }

    /// Sends and receives as far as possible without blocking.
    pub fn turn(&mut self) -> Result<(), LineError> {
        self.push()?;
        loop {
            match self.incoming.try_recv() {
                Ok(Ok(incoming)) => self.receive(&incoming),
                Ok(Err(error)) => {
                    self.decode()?;
                    return Err(error.into());
                }
                Err(TryRecvError::Empty) => return self.decode(),
                Err(TryRecvError::Disconnected) => {
                    self.decode()?;
                    let garbled = self.garbled.take();
                    return Err(garbled.map_or(LineError::Closed, |(error, _)| error.into()));
                }
            }
        }
    }

    /// Sleeps until something is received, for at most `limit`.
    pub fn rest(&mut self, limit: Duration) {
        let limit = if self.unsent.is_empty() {
            limit
        } else {
            limit.min(RETRY)
        };
        // An error or the end of the line is found by the next turn.
        if let Ok(Ok(incoming)) = self.incoming.recv_timeout(limit) {
            self.receive(&incoming);
        }
    }

    fn receive(&mut self, incoming: &[u8]) {
        self.received_at = Instant::now();
        self.decoder.push(incoming);
    }

    fn decode(&mut self) -> Result<(), LineError> {
        while let Some(word) = self.decoder.next_message() {
            let hello = matches!(word, Ok(Word::Hello { .. }));
            match (word, self.garbled.take_if(|_| !hello)) {
                (_, Some((error, _))) => return Err(error.into()),
                (Ok(word), None) => self.take(word)?,
                // A serial port prints all sorts of things while it is set up.
                (Err(_), None) if !self.is_up => {}
                (Err(error), None) => self.garbled = Some((error, Instant::now())),
            }
        }
        self.check_garbled()
    }

    /// Gives up on bytes that did not decode once [`HELLO_LIMIT`] has passed: a restarted agent
    /// also says hello only after noise.
    fn check_garbled(&mut self) -> Result<(), LineError> {
        let is_late = |(_, since): &mut (_, Instant)| since.elapsed() > HELLO_LIMIT;
        match self.garbled.take_if(is_late) {
            Some((error, _)) => Err(error.into()),
            None => Ok(()),
        }
    }

    fn channel(&mut self) -> (Exec, Channel) {
        self.next = self.next.wrapping_add(1);
        self.received.insert(self.next, Received::default());
        (Exec(self.next), self.next)
    }

    fn order(&mut self, order: &Order) {
        self.unsent.extend(encode(order));
    }

    fn push(&mut self) -> Result<(), LineError> {
        while !self.unsent.is_empty() && !self.is_full {
            let whole = self.unsent.len();
            let burst = self.burst.map_or(whole, |burst| burst.min(whole));
            let flags = SendFlags::DONTWAIT | SendFlags::NOSIGNAL;
            match send(&self.socket, &self.unsent[..burst], flags) {
                Ok(sent) => {
                    self.unsent.drain(..sent);
                    self.is_full = self.burst.is_some();
                }
                Err(Errno::AGAIN) => break,
                // Output that the guest sent before is still to be received.
                Err(Errno::PIPE) => self.unsent.clear(),
                Err(error) => return Err(LineError::Socket(error.into())),
            }
        }
        Ok(())
    }

    fn take(&mut self, word: Word) -> Result<(), LineError> {
        match word {
            Word::Hello { version } if version != VERSION => Err(LineError::Version(version))?,
            Word::Hello { .. } if self.is_up => Err(LineError::Restarted)?,
            Word::Hello { .. } => self.is_up = true,
            Word::Awake { trouble } => self.awake = Some(trouble.map_or(Ok(()), Err)),
            Word::Output { channel, bytes } => self.incoming(channel, &bytes, false),
            Word::Error { channel, bytes } => self.incoming(channel, &bytes, true),
            Word::Ended { channel, end } => {
                if let Some(received) = self.received.get_mut(&channel) {
                    received.ending = Some(end.into());
                }
            }
            Word::Done { channel, trouble } => {
                if let Some(received) = self.received.get_mut(&channel) {
                    received.answers.push(trouble.map_or(Ok(()), Err));
                }
            }
        }
        Ok(())
    }

    fn incoming(&mut self, channel: Channel, bytes: &[u8], to_stderr: bool) {
        let received = self.received.get_mut(&channel);
        if received.is_some_and(|received| received.add(bytes, to_stderr)) {
            self.has_overflowed = true;
            self.signal(Exec(channel), KILL);
        }
    }
}

/// Ends the receiving thread.
impl Drop for Line {
    fn drop(&mut self) {
        // Fails only if the socket is closed already.
        self.socket.shutdown(Shutdown::Both).ok();
    }
}

fn listen(mut socket: UnixStream) -> io::Result<Receiver<io::Result<Vec<u8>>>> {
    let (sender, receiver) = mpsc::channel();
    let listener = thread::Builder::new().name("line".to_owned());
    listener.spawn(move || {
        let mut buffer = [0; 16 * 1024];
        loop {
            let incoming = match socket.read(&mut buffer) {
                Ok(0) => return,
                Ok(count) => Ok(buffer[..count].to_vec()),
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                Err(error) => Err(error),
            };
            let is_over = incoming.is_err();
            if sender.send(incoming).is_err() || is_over {
                return;
            }
        }
    })?;
    Ok(receiver)
}

#[cfg(test)]
mod tests;
