//! Commands of `system()`.

use std::ffi::OsStr;
use std::io;
use std::process::Command;
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::thread;
use std::time::Duration;

/// The interval between requests while a command runs: that at which the status is read at least.
pub const PULSE: Duration = Duration::from_secs(5);

/// Runs a command of the shell, and calls `alive` at each `pulse` until it has ended.
pub fn run(command: &OsStr, pulse: Duration, alive: impl Fn()) -> io::Result<()> {
    let mut child = Command::new("/bin/sh").arg("-c").arg(command).spawn()?;
    let (sender, ended) = channel();
    let waiter = thread::spawn(move || {
        let status = child.wait();
        // The other end is there until it has received this.
        let _ = sender.send(status);
    });
    let status = loop {
        match ended.recv_timeout(pulse) {
            Ok(status) => break status.map(|_| ()),
            Err(RecvTimeoutError::Timeout) => alive(),
            Err(RecvTimeoutError::Disconnected) => break Err(io::ErrorKind::Other.into()),
        }
    };
    let _ = waiter.join();
    status
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use super::*;

    #[test]
    fn a_long_command_is_interrupted() {
        let pulses = Cell::new(0);
        let count = || pulses.set(pulses.get() + 1);
        run(OsStr::new("sleep 0.5"), Duration::from_millis(10), count).unwrap();
        assert!(pulses.get() > 5, "{}", pulses.get());
        let none = || panic!("it has ended");
        run(OsStr::new("exit 3"), PULSE, none).unwrap();
    }
}
