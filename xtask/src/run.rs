//! Running other programs, with captured output or on our own terminal.

use std::io::{BufRead, BufReader, Read};
use std::os::unix::process::CommandExt;
use std::process::{Command, ExitStatus};

use xshell::{Cmd, Shell};

use crate::error::{Error, Result};
use crate::progress::Step;

/// A shell in the current directory.
pub fn shell() -> Result<Shell> {
    Shell::new().map_err(|e| Error::File {
        doing: "find",
        path: "the current directory".into(),
        source: std::io::Error::other(e),
    })
}

/// The cargo that started us, for builds for the host.
pub fn cargo(sh: &Shell) -> Cmd<'_> {
    sh.cmd(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()))
}

/// Runs a command with its output captured: the last line is the step's note, and all of it goes
/// into the error if the command fails.
pub fn quietly(step: &Step, cmd: Cmd<'_>) -> Result<()> {
    let line = cmd.to_string();
    let (output, status) = capture(step, cmd).map_err(not_started(&line))?;
    judge(line, status, output)
}

fn capture(step: &Step, cmd: Cmd<'_>) -> std::io::Result<(String, ExitStatus)> {
    let (reader, writer) = std::io::pipe()?;
    let mut command = Command::from(cmd);
    let mut child = command
        .stdin(std::process::Stdio::null())
        .stdout(writer.try_clone()?)
        .stderr(writer)
        .spawn()?;
    // The write ends live in `command`; the read would never see EOF while they are open.
    drop(command);
    let output = read_lines(step, reader)?;
    Ok((output, child.wait()?))
}

fn read_lines(step: &Step, reader: impl Read) -> std::io::Result<String> {
    let mut all = String::new();
    for line in BufReader::new(reader).split(b'\n') {
        let line = line?;
        let line = String::from_utf8_lossy(&line);
        step.note(line.trim());
        all.push_str(&line);
        all.push('\n');
    }
    Ok(all)
}

/// Runs a command and returns its stdout.
pub fn read(cmd: Cmd<'_>) -> Result<String> {
    let line = cmd.to_string();
    let output = Command::from(cmd).output().map_err(not_started(&line))?;
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    judge(line, output.status, text(&output.stderr))?;
    Ok(text(&output.stdout))
}

/// Runs a command on our own terminal.
pub fn openly(cmd: Cmd<'_>) -> Result<()> {
    let line = cmd.to_string();
    let status = Command::from(cmd).status().map_err(not_started(&line))?;
    judge(line, status, String::new())
}

fn not_started(command: &str) -> impl FnOnce(std::io::Error) -> Error {
    let command = command.to_owned();
    |source| Error::Start { command, source }
}

fn judge(command: String, status: ExitStatus, output: String) -> Result<()> {
    if status.success() {
        return Ok(());
    }
    let status = status.to_string();
    Err(Error::Command {
        command,
        status,
        output,
    })
}

/// Execs the command; returns only if that fails.
pub fn exec(cmd: Cmd<'_>) -> Error {
    let command = cmd.to_string();
    Error::Start {
        command,
        source: Command::from(cmd).exec(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use xshell::cmd;

    #[test]
    fn a_failing_commands_error_has_output_and_status() {
        let sh = shell().unwrap();
        let script = "echo out; echo err >&2; exit 3";
        let error = quietly(&Step::begin("x"), cmd!(sh, "sh -c {script}")).unwrap_err();
        let text = error.to_string();
        assert!(
            text.contains("out\nerr\n") && text.contains("exit status: 3"),
            "{text}"
        );
    }

    #[test]
    fn a_missing_program_is_named() {
        let sh = shell().unwrap();
        let text = read(cmd!(sh, "no-such-program-here"))
            .unwrap_err()
            .to_string();
        assert!(
            text.contains("cannot start `no-such-program-here`"),
            "{text}"
        );
    }
}
