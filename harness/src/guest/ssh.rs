//! The way into a guest: one ssh connection, many commands at once, never a wait without an end.
//!
//! Everything is non-blocking; who waits is [`crate::guest::Guest`], which watches the guest while
//! it does.

use std::fmt;
use std::io::{self, Read, Write};
use std::net::{Ipv4Addr, SocketAddr, TcpStream};
use std::time::Duration;

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use ssh2::{Channel, CheckResult, ErrorCode, KnownHostFileKind, MethodType, Session};

use crate::guest::image::Keys;
use crate::judge::transcript::Ending;

/// libssh2's "call again": the only code that is no error here.
const AGAIN: ErrorCode = ErrorCode::Session(-37);

/// The connection failed or broke.
#[derive(Debug, thiserror::Error)]
pub enum SshError {
    /// The guest's host key is not the one that its image was built with.
    #[error("the guest's host key is not the one in guest.json")]
    WrongHostKey,
    /// What the protocol's library says.
    #[error("{0}")]
    Protocol(#[from] ssh2::Error),
    /// What the socket says.
    #[error("{0}")]
    Socket(#[from] io::Error),
}

/// An answer, or "not yet".
pub type Poll<T> = Result<Option<T>, SshError>;

fn or_again<T>(result: Result<T, ssh2::Error>) -> Poll<T> {
    match result {
        Ok(value) => Ok(Some(value)),
        Err(error) if error.code() == AGAIN => Ok(None),
        Err(error) => Err(error.into()),
    }
}

/// A connection being made, step by step.
pub struct Connecting {
    session: Session,
    socket: TcpStream,
    stage: Stage,
}

enum Stage {
    Banner,
    Handshake,
    Login,
}

impl Connecting {
    /// Knocks at the port.
    pub fn start(port: u16, keys: &Keys) -> Result<Self, SshError> {
        let address = SocketAddr::from((Ipv4Addr::LOCALHOST, port));
        let socket = TcpStream::connect_timeout(&address, Duration::from_millis(200))?;
        socket.set_nodelay(true)?;
        socket.set_nonblocking(true)?;
        let mut session = Session::new()?;
        let algorithm = keys.host_key.split_whitespace().next().unwrap_or_default();
        session.method_pref(MethodType::HostKey, algorithm)?;
        session.set_tcp_stream(socket.try_clone()?);
        session.set_blocking(false);
        Ok(Self {
            session,
            socket,
            stage: Stage::Banner,
        })
    }

    /// Whether the guest's server has begun to speak, so that it pays to wait for it.
    pub fn is_heard(&self) -> bool {
        !matches!(self.stage, Stage::Banner)
    }

    /// One step further; true once logged in.
    pub fn step(&mut self, keys: &Keys) -> Result<bool, SshError> {
        match self.stage {
            Stage::Banner => {
                if self.has_spoken()? {
                    self.stage = Stage::Handshake;
                }
            }
            Stage::Handshake => {
                if or_again(self.session.handshake())?.is_some() {
                    self.check_host_key(keys)?;
                    self.stage = Stage::Login;
                }
            }
            Stage::Login => return self.login(keys),
        }
        Ok(false)
    }

    /// The finished connection.
    pub fn finish(self) -> Ssh {
        Ssh {
            session: self.session,
            socket: self.socket,
        }
    }

    /// Sleeps until the socket has news, at most this long.
    pub fn rest(&self, limit: Duration) {
        wait_readable(&self.socket, limit);
    }

    /// QEMU takes the connection before the guest does; only bytes prove that a server is there.
    fn has_spoken(&self) -> Result<bool, SshError> {
        match self.socket.peek(&mut [0]) {
            Ok(0) => Err(io::Error::from(io::ErrorKind::ConnectionReset).into()),
            Ok(_) => Ok(true),
            Err(e) if e.kind() == io::ErrorKind::WouldBlock => Ok(false),
            Err(e) => Err(e.into()),
        }
    }

    fn check_host_key(&self, keys: &Keys) -> Result<(), SshError> {
        let mut known = self.session.known_hosts()?;
        let line = format!("guest {}", keys.host_key);
        known.read_str(&line, KnownHostFileKind::OpenSSH)?;
        let shown = self.session.host_key().map(|(key, _)| key);
        match shown.map(|key| known.check("guest", key)) {
            Some(CheckResult::Match) => Ok(()),
            _ => Err(SshError::WrongHostKey),
        }
    }

    fn login(&self, keys: &Keys) -> Result<bool, SshError> {
        let public = Some(keys.public_key.as_path());
        let result = self
            .session
            .userauth_pubkey_file(&keys.user, public, &keys.private_key, None);
        Ok(or_again(result)?.is_some())
    }
}

/// A connection to a guest.
pub struct Ssh {
    session: Session,
    socket: TcpStream,
}

impl fmt::Debug for Ssh {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Ssh")
    }
}

impl Ssh {
    /// Opens a channel; call again until it is there.
    pub fn open(&self) -> Poll<Channel> {
        or_again(self.session.channel_session())
    }

    /// Starts a command on a channel; call again until it is started.
    pub fn exec(&self, channel: &mut Channel, command: &str) -> Poll<()> {
        or_again(channel.exec(command))
    }

    /// Makes a channel an interactive shell on a terminal of that size; call again until it is.
    pub fn terminal(&self, channel: &mut Channel, term: &str, size: (u32, u32)) -> Poll<()> {
        let size = Some((size.0, size.1, 0, 0));
        or_again(channel.request_pty(term, None, size))
    }

    /// Sleeps until the guest has sent something, at most this long.
    pub fn rest(&self, limit: Duration) {
        wait_readable(&self.socket, limit);
    }

    /// The socket, for those who wait for more than it.
    pub fn socket(&self) -> &TcpStream {
        &self.socket
    }
}

/// A signal or an error ends the sleep early, which harms nobody: every caller looks again.
fn wait_readable(socket: &TcpStream, limit: Duration) {
    let limit = Timespec::try_from(limit).ok();
    poll(&mut [PollFd::new(socket, PollFlags::IN)], limit.as_ref()).ok();
}

/// A command that runs in the guest, and what it has said so far.
pub struct Exec {
    channel: Channel,
    /// Its standard output.
    pub stdout: Vec<u8>,
    /// Its standard error.
    pub stderr: Vec<u8>,
    unsent: Vec<u8>,
    ends_input: bool,
    ending: Option<Ending>,
}

impl fmt::Debug for Exec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Exec")
            .field("ending", &self.ending)
            .finish()
    }
}

impl Exec {
    /// The command that was started on this channel.
    pub fn new(channel: Channel) -> Self {
        Self {
            channel,
            stdout: Vec::new(),
            stderr: Vec::new(),
            unsent: Vec::new(),
            ends_input: false,
            ending: None,
        }
    }

    /// Gives it something to read.
    pub fn send(&mut self, bytes: impl AsRef<[u8]>) {
        self.unsent.extend_from_slice(bytes.as_ref());
    }

    /// After what was sent so far there is nothing more to read.
    pub fn send_end(&mut self) {
        self.ends_input = true;
    }

    /// Tells a terminal its new size; call again until it is told.
    pub fn resize(&mut self, size: (u32, u32)) -> Poll<()> {
        or_again(self.channel.request_pty_size(size.0, size.1, None, None))
    }

    /// How it ended, if it has.
    pub fn ending(&self) -> Option<&Ending> {
        self.ending.as_ref()
    }

    /// Moves whatever can be moved without waiting.
    pub fn pump(&mut self) -> Result<(), SshError> {
        if self.ending.is_some() {
            return Ok(());
        }
        self.push()?;
        drain(&mut self.channel, &mut self.stdout)?;
        drain(&mut self.channel.stderr(), &mut self.stderr)?;
        if self.channel.eof() && or_again(self.channel.wait_close())?.is_some() {
            self.ending = Some(self.how_it_ended()?);
        }
        Ok(())
    }

    fn push(&mut self) -> Result<(), SshError> {
        while !self.unsent.is_empty() {
            match self.channel.write(&self.unsent) {
                Ok(sent) => drop(self.unsent.drain(..sent)),
                Err(e) if e.kind() == io::ErrorKind::WouldBlock => break,
                Err(e) => return Err(e.into()),
            }
        }
        if self.unsent.is_empty() && self.ends_input {
            self.ends_input = or_again(self.channel.send_eof())?.is_none();
        }
        Ok(())
    }

    fn how_it_ended(&self) -> Result<Ending, SshError> {
        if let Some(signal) = self.channel.exit_signal()?.exit_signal {
            return Ok(Ending::Signal(format!("SIG{signal}")));
        }
        Ok(Ending::Status(self.channel.exit_status()?))
    }
}

fn drain(stream: &mut impl Read, into: &mut Vec<u8>) -> Result<(), SshError> {
    let mut buffer = [0; 16 * 1024];
    loop {
        match stream.read(&mut buffer) {
            Ok(0) => return Ok(()),
            Ok(count) => into.extend_from_slice(&buffer[..count]),
            Err(e) if e.kind() == io::ErrorKind::WouldBlock => return Ok(()),
            Err(e) => return Err(e.into()),
        }
    }
}
