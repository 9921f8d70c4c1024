//! The way into a guest: a serial line, and the agent at its other end.
//!
//! It is there without a network, survives a restore, and a command over it costs the guest no more
//! than the command itself. Nothing here waits; who waits is `Guest`, which watches
//! the guest while it does.
//!
//! What the guest says is taken off the line at once, by a thread that does nothing else: QEMU's model of
//! a serial port waits until it is rid of each byte, and all of QEMU with it, its monitor included.

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

/// The most that one command may say.
pub const MOST: usize = 4 << 20;
/// What ends a command that says more.
const KILL: i32 = 9;
/// How soon an agent says hello behind what a serial port says by itself.
const HELLO_LIMIT: Duration = Duration::from_millis(500);
/// How soon to try again what QEMU did not take.
const RETRY: Duration = Duration::from_millis(2);

/// The line is of no use any more.
#[derive(Debug, thiserror::Error)]
pub enum LineError {
    /// QEMU closed it.
    #[error("QEMU closed the line")]
    Closed,
    /// What the socket says.
    #[error("{0}")]
    Socket(#[from] io::Error),
    /// Something else than the agent speaks on it.
    #[error("{0}")]
    Wire(#[from] WireError),
    /// The agent was started anew, so what it ran is lost.
    #[error("the agent started anew")]
    Restarted,
    /// The agent is of another build.
    #[error(
        "the guest's agent speaks version {0} where {VERSION} is known; `cargo xtask image` makes the guest anew"
    )]
    Version(u32),
}

/// A line into a guest.
#[derive(Debug)]
pub struct Line {
    socket: UnixStream,
    said: Receiver<io::Result<Vec<u8>>>,
    decoder: Decoder<Word>,
    unsent: Vec<u8>,
    heard: BTreeMap<Channel, Heard>,
    next: Channel,
    /// Whether the agent has said hello.
    is_up: bool,
    /// What the agent answered to being woken.
    awake: Option<Result<(), String>>,
    is_too_much: bool,
    /// How many bytes go out before the guest must have taken them, if it must.
    sip: Option<usize>,
    /// Whether it has not yet.
    is_full: bool,
    /// What came that was no message, and when, until it is known why.
    garbled: Option<(WireError, Instant)>,
    /// When something last came.
    heard_at: Instant,
}

/// Something that goes on at the other end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Exec(Channel);

/// What came of it so far.
#[derive(Debug, Clone, Default)]
pub struct Heard {
    /// Its standard output.
    pub stdout: Vec<u8>,
    /// Its standard error.
    pub stderr: Vec<u8>,
    /// How it ended, if it has.
    pub ending: Option<Ending>,
    /// Whether it said more than [`MOST`], so that it was told to die and the rest is not here.
    pub is_too_much: bool,
    /// The answers to what was asked of it.
    answers: Vec<Result<(), String>>,
}

impl Heard {
    fn add(&mut self, bytes: &[u8], to_stderr: bool) -> bool {
        let is_more = self.stdout.len() + self.stderr.len() + bytes.len() > MOST;
        if is_more || self.is_too_much {
            return !std::mem::replace(&mut self.is_too_much, true);
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
    /// The line of a guest that starts.
    pub fn new(socket: UnixStream) -> io::Result<Self> {
        let said = listen(socket.try_clone()?)?;
        Ok(Self {
            socket,
            said,
            decoder: Decoder::default(),
            unsent: Vec::new(),
            heard: BTreeMap::new(),
            next: 0,
            is_up: false,
            awake: None,
            is_too_much: false,
            sip: None,
            is_full: false,
            garbled: None,
            heard_at: Instant::now(),
        })
    }

    /// The same where QEMU hands on what it is given without asking whether there is room: so many bytes,
    /// then none until [`Self::swallowed`].
    pub fn in_sips(mut self, sip: usize) -> Self {
        self.sip = Some(sip);
        self
    }

    /// Whether it waits for the guest to have taken a sip.
    pub fn is_full(&self) -> bool {
        self.is_full
    }

    /// The guest has.
    pub fn swallowed(&mut self) {
        self.is_full = false;
    }

    /// How long nothing has come.
    pub fn silence(&self) -> Duration {
        self.heard_at.elapsed()
    }

    /// Whether the agent has said hello.
    pub fn is_up(&self) -> bool {
        self.is_up
    }

    /// Of a guest that is restored: its agent said hello long ago.
    pub fn was_up(&mut self) {
        self.is_up = true;
    }

    /// Tells the guest what time it is, and gives it randomness that no other guest has.
    pub fn wake(&mut self, seed: [u8; 32]) {
        let time = SystemTime::now().duration_since(UNIX_EPOCH);
        self.order(&Order::Wake {
            time: time.unwrap_or_default(),
            seed,
        });
    }

    /// What the agent answered to being woken.
    pub fn awake(&self) -> Option<&Result<(), String>> {
        self.awake.as_ref()
    }

    /// Starts a command.
    pub fn exec(&mut self, command: &str) -> Exec {
        let (exec, channel) = self.channel();
        let command = command.to_owned();
        self.order(&Order::Exec { channel, command });
        exec
    }

    /// Gives a command something to read.
    pub fn send(&mut self, exec: Exec, bytes: &[u8]) {
        for piece in bytes.chunks(PIECE) {
            self.order(&Order::Input {
                channel: exec.0,
                bytes: piece.to_vec(),
            });
        }
    }

    /// Gives a command the end of what it has to read.
    pub fn send_end(&mut self, exec: Exec) {
        self.order(&Order::InputEnd { channel: exec.0 });
    }

    /// Sends a signal to a command.
    pub fn signal(&mut self, exec: Exec, number: i32) {
        self.order(&Order::Signal {
            channel: exec.0,
            number,
        });
    }

    /// Writes a text to a file that is there.
    pub fn write(&mut self, path: &str, text: &str) -> Exec {
        let (exec, channel) = self.channel();
        self.order(&Order::Write {
            channel,
            path: path.to_owned(),
            text: text.to_owned(),
        });
        exec
    }

    /// What came of it so far.
    pub fn heard(&self, exec: Exec) -> &Heard {
        static NOTHING: Heard = Heard {
            stdout: Vec::new(),
            stderr: Vec::new(),
            ending: None,
            is_too_much: false,
            answers: Vec::new(),
        };
        self.heard.get(&exec.0).unwrap_or(&NOTHING)
    }

    /// Whether it has ended.
    pub fn is_over(&self, exec: Exec) -> bool {
        self.heard(exec).ending.is_some()
    }

    /// How many orders on this channel were answered.
    pub fn answered(&self, exec: Exec) -> usize {
        self.heard(exec).answers.len()
    }

    /// The last answer on this channel.
    pub fn answer(&self, exec: Exec) -> Option<&Result<(), String>> {
        self.heard(exec).answers.last()
    }

    /// Whether a command said too much since this was last asked.
    pub fn take_too_much(&mut self) -> bool {
        std::mem::take(&mut self.is_too_much)
    }

    /// Moves whatever can be moved without waiting.
    pub fn turn(&mut self) -> Result<(), LineError> {
        self.push()?;
        loop {
            match self.said.try_recv() {
                Ok(Ok(said)) => self.hear(&said),
                Ok(Err(error)) => {
                    self.understand()?;
                    return Err(error.into());
                }
                Err(TryRecvError::Empty) => return self.understand(),
                Err(TryRecvError::Disconnected) => {
                    self.understand()?;
                    let garbled = self.garbled.take();
                    return Err(garbled.map_or(LineError::Closed, |(error, _)| error.into()));
                }
            }
        }
    }

    /// Sleeps until the guest has said something, at most this long.
    pub fn rest(&mut self, limit: Duration) {
        let limit = if self.unsent.is_empty() {
            limit
        } else {
            limit.min(RETRY)
        };
        // The end of the line is found by the next turn.
        if let Ok(Ok(said)) = self.said.recv_timeout(limit) {
            self.hear(&said);
        }
    }

    fn hear(&mut self, said: &[u8]) {
        self.heard_at = Instant::now();
        self.decoder.push(said);
    }

    fn understand(&mut self) -> Result<(), LineError> {
        while let Some(word) = self.decoder.next_message() {
            let hello = matches!(word, Ok(Word::Hello { .. }));
            match (word, self.garbled.take_if(|_| !hello)) {
                (_, Some((error, _))) => return Err(error.into()),
                (Ok(word), None) => self.take(word)?,
                // A serial port that is set up says this and that.
                (Err(_), None) if !self.is_up => {}
                (Err(error), None) => self.garbled = Some((error, Instant::now())),
            }
        }
        self.despair()
    }

    /// An agent that starts anew says this and that as well before it says hello, so that much time
    /// is left to it.
    fn despair(&mut self) -> Result<(), LineError> {
        let is_late = |(_, since): &mut (_, Instant)| since.elapsed() > HELLO_LIMIT;
        match self.garbled.take_if(is_late) {
            Some((error, _)) => Err(error.into()),
            None => Ok(()),
        }
    }

    fn channel(&mut self) -> (Exec, Channel) {
        self.next = self.next.wrapping_add(1);
        self.heard.insert(self.next, Heard::default());
        (Exec(self.next), self.next)
    }

    fn order(&mut self, order: &Order) {
        self.unsent.extend(encode(order));
    }

    fn push(&mut self) -> Result<(), LineError> {
        while !self.unsent.is_empty() && !self.is_full {
            let whole = self.unsent.len();
            let sip = self.sip.map_or(whole, |sip| sip.min(whole));
            let flags = SendFlags::DONTWAIT | SendFlags::NOSIGNAL;
            match send(&self.socket, &self.unsent[..sip], flags) {
                Ok(sent) => {
                    self.unsent.drain(..sent);
                    self.is_full = self.sip.is_some();
                }
                Err(Errno::AGAIN) => break,
                // What the guest said before is still to be heard.
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
            Word::Output { channel, bytes } => self.said(channel, &bytes, false),
            Word::Error { channel, bytes } => self.said(channel, &bytes, true),
            Word::Ended { channel, end } => {
                if let Some(heard) = self.heard.get_mut(&channel) {
                    heard.ending = Some(end.into());
                }
            }
            Word::Done { channel, trouble } => {
                if let Some(heard) = self.heard.get_mut(&channel) {
                    heard.answers.push(trouble.map_or(Ok(()), Err));
                }
            }
        }
        Ok(())
    }

    fn said(&mut self, channel: Channel, bytes: &[u8], to_stderr: bool) {
        let heard = self.heard.get_mut(&channel);
        if heard.is_some_and(|heard| heard.add(bytes, to_stderr)) {
            self.is_too_much = true;
            self.signal(Exec(channel), KILL);
        }
    }
}

/// Ends the thread that listens.
impl Drop for Line {
    fn drop(&mut self) {
        // Of a socket that is closed already nothing is left to shut.
        self.socket.shutdown(Shutdown::Both).ok();
    }
}

fn listen(mut socket: UnixStream) -> io::Result<Receiver<io::Result<Vec<u8>>>> {
    let (sender, receiver) = mpsc::channel();
    let listener = thread::Builder::new().name("line".to_owned());
    listener.spawn(move || {
        let mut buffer = [0; 16 * 1024];
        loop {
            let said = match socket.read(&mut buffer) {
                Ok(0) => return,
                Ok(count) => Ok(buffer[..count].to_vec()),
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                Err(error) => Err(error),
            };
            let is_over = said.is_err();
            if sender.send(said).is_err() || is_over {
                return;
            }
        }
    })?;
    Ok(receiver)
}

#[cfg(test)]
mod tests;
