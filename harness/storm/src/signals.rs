//! Signals: stops, continues and terminates a process, and has another handle one.

use std::io::Read;
use std::os::unix::process::ExitStatusExt;
use std::process::{Child, Command, Stdio};

use rustix::process::{Pid, Signal, kill_process};

use crate::Error;
use crate::options::Options;

/// Prints a newline once its handler is installed.
const HANDLING: &str = "trap 'exit 5' USR1; echo; while :; do :; done";

pub fn round(_: &Options) -> Result<(), Error> {
    let mut sleeping = Command::new("sleep").arg("60").spawn()?;
    for signal in [Signal::STOP, Signal::CONT, Signal::TERM] {
        send(&sleeping, signal)?;
    }
    let status = sleeping.wait()?;
    if status.signal() != Some(Signal::TERM.as_raw()) {
        return Err(Error::Wrong(format!(
            "the process that was sent SIGTERM: {status}"
        )));
    }
    handled()
}

fn handled() -> Result<(), Error> {
    let mut shell = Command::new("sh")
        .args(["-c", HANDLING])
        .stdout(Stdio::piped())
        .spawn()?;
    if let Some(out) = &mut shell.stdout {
        out.read_exact(&mut [0])?;
    }
    send(&shell, Signal::USR1)?;
    let status = shell.wait()?;
    match status.code() {
        Some(5) => Ok(()),
        _ => Err(Error::Wrong(format!(
            "the process that handles SIGUSR1: {status}"
        ))),
    }
}

fn send(child: &Child, signal: Signal) -> Result<(), Error> {
    Ok(kill_process(Pid::from_child(child), signal)?)
}
