//! A connection to QEMU's monitor (QMP).

use std::fmt;
use std::io::{self, BufRead, BufReader};
use std::os::unix::net::UnixStream;
use std::time::Duration;

use qapi::qmp::Event;
use qapi::{Command, Qmp, Stream, qmp};

use crate::error::HostError;

use super::MONITOR_LIMIT;

/// The connection; a command blocks until it is answered, or the limit has passed.
pub struct Monitor {
    qmp: Qmp<Stream<BufReader<UnixStream>, UnixStream>>,
    /// The same socket, to set timeouts on.
    socket: UnixStream,
}

impl fmt::Debug for Monitor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Monitor")
    }
}

impl Monitor {
    /// Takes the harness's end of a socket pair.
    pub fn new(stream: UnixStream) -> io::Result<Self> {
        let reader = BufReader::new(stream.try_clone()?);
        let socket = stream.try_clone()?;
        let qmp = Qmp::new(Stream::new(reader, stream));
        let monitor = Self { qmp, socket };
        monitor.limit(MONITOR_LIMIT)?;
        Ok(monitor)
    }

    /// Sets the limit for a command.
    pub fn limit(&self, limit: Duration) -> io::Result<()> {
        self.socket.set_read_timeout(Some(limit))?;
        self.socket.set_write_timeout(Some(limit))
    }

    /// The qapi client assumes that a greeting arrives, so end of file is detected here.
    pub fn handshake(&mut self) -> io::Result<()> {
        if self.qmp.inner_mut().fill_buf()?.is_empty() {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        self.qmp.handshake()?;
        Ok(())
    }

    /// Executes a command and returns its answer.
    pub fn execute<C: Command>(&mut self, command: &C) -> Result<C::Ok, HostError> {
        let answer = self.qmp.execute(command);
        answer.map_err(|error| HostError::Monitor(error.to_string()))
    }

    /// Executes a command of the human monitor, for `cpu` if that matters, and returns its output.
    pub fn human(&mut self, cpu: Option<u8>, command_line: String) -> Result<String, HostError> {
        self.execute(&qmp::human_monitor_command {
            cpu_index: cpu.map(Into::into),
            command_line,
        })
    }

    /// Whether the guest was stopped since the last call.
    pub fn was_stopped(&mut self) -> Result<bool, HostError> {
        self.qmp.nop().map_err(failed)?;
        let mut events = self.qmp.events();
        Ok(events.any(|event| matches!(event, Event::STOP { .. })))
    }

    /// Whether the guest reset or powered off the machine, once QEMU is gone.
    pub fn was_ended_by_guest(&mut self) -> bool {
        // No command can be sent any more: read only what is left in the socket for its events.
        let _ = self.qmp.read_response::<qmp::query_version>();
        let mut events = self.qmp.events();
        events.any(|event| matches!(event, Event::SHUTDOWN { data, .. } if data.guest))
    }
}

/// An error of the monitor's socket.
pub fn failed(error: io::Error) -> HostError {
    HostError::Monitor(error.to_string())
}
