//! A non-blocking ssh connection to a guest, for `shell`; scenarios use [`crate::guest::line`].
//!
//! No call blocks: each returns "not yet", and the caller polls, watching the guest meanwhile.

use std::fmt;
use std::io::{self, Read, Write};
use std::net::{Ipv4Addr, SocketAddr, TcpStream};
use std::time::Duration;

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use ssh2::{Channel, CheckResult, ErrorCode, KnownHostFileKind, MethodType, Session};

use crate::guest::image::Keys;
use crate::judge::transcript::Ending;

/// LIBSSH2_ERROR_EAGAIN, the one code that is not an error here.
const AGAIN: ErrorCode = ErrorCode::Session(-37);

/// A failed or broken connection.
#[derive(Debug, thiserror::Error)]
pub enum SshError {
    /// The guest presented another host key than its image was built with.
    #[error("the guest's host key is not the one in guest.json")]
    WrongHostKey,
    /// An error of libssh2.
    #[error("{0}")]
    Protocol(#[from] ssh2::Error),
    /// An error of the socket.
    #[error("{0}")]
    Socket(#[from] io::Error),
}

/// A result, or `None` for "call again".
pub type Poll<T> = Result<Option<T>, SshError>;

fn or_again<T>(result: Result<T, ssh2::Error>) -> Poll<T> {
    match result {
        Ok(value) => Ok(Some(value)),
        Err(error) if error.code() == AGAIN => Ok(None),
        Err(error) => Err(error.into()),
    }
}

/// A connection in progress.
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
    /// Opens the TCP connection to the forwarded port.
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

    /// Whether the guest's server has sent its banner, so that it is worth waiting for.
    pub fn is_heard(&self) -> bool {
        !matches!(self.stage, Stage::Banner)
    }

    /// Advances the state machine; true once logged in.
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

    /// Turns a connection that is logged in into a session.
    pub fn finish(self) -> Ssh {
        Ssh {
            session: self.session,
            socket: self.socket,
        }
    }

    /// Sleeps until the socket is readable, for at most `limit`.
    pub fn rest(&self, limit: Duration) {
        wait_readable(&self.socket, limit);
    }

    /// QEMU accepts the connection before the guest does; only the banner proves that a server
    /// runs.
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

/// An ssh session.
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
    /// Opens a channel; `None` means call again.
    pub fn open(&self) -> Poll<Channel> {
        or_again(self.session.channel_session())
    }

    /// Starts a command on a channel; `None` means call again.
    pub fn exec(&self, channel: &mut Channel, command: &str) -> Poll<()> {
        or_again(channel.exec(command))
    }

    /// Starts an interactive shell on a pty of `size`, columns and rows; `None` means call again.
    pub fn terminal(&self, channel: &mut Channel, term: &str, size: (u32, u32)) -> Poll<()> {
        let size = Some((size.0, size.1, 0, 0));
        or_again(channel.request_pty(term, None, size))
    }

    /// Sleeps until the socket is readable, for at most `limit`.
    pub fn rest(&self, limit: Duration) {
        wait_readable(&self.socket, limit);
    }

    /// The socket, for a caller that polls several descriptors.
    pub fn socket(&self) -> &TcpStream {
        &self.socket
    }
}

/// A signal or an error ends the sleep early; every caller polls again.
fn wait_readable(socket: &TcpStream, limit: Duration) {
    let limit = Timespec::try_from(limit).ok();
    poll(&mut [PollFd::new(socket, PollFlags::IN)], limit.as_ref()).ok();
}

/// A command in the guest, and its output so far.
pub struct Exec {
    channel: Channel,
    /// Standard output.
    pub stdout: Vec<u8>,
    /// Standard error.
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
    /// Wraps a channel on which a command was started.
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

    /// Queues bytes for standard input.
    pub fn send(&mut self, bytes: impl AsRef<[u8]>) {
        self.unsent.extend_from_slice(bytes.as_ref());
    }

    /// Closes standard input once the queue is sent.
    pub fn send_end(&mut self) {
        self.ends_input = true;
    }

    /// Propagates a window size to the pty; `None` means call again.
    pub fn resize(&mut self, size: (u32, u32)) -> Poll<()> {
        or_again(self.channel.request_pty_size(size.0, size.1, None, None))
    }

    /// How the command ended, if it has.
    pub fn ending(&self) -> Option<&Ending> {
        self.ending.as_ref()
    }

    /// Moves input and output as far as possible without blocking.
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
