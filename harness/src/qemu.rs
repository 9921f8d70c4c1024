//! One QEMU: started so that it can't outlive the harness, spoken to over its monitor.

use std::ffi::OsString;
use std::fs::{self, File};
use std::io::{self, BufRead, BufReader};
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{self, Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use qapi::{Qmp, Stream, qmp};

use crate::error::HostError;
use crate::evidence::Evidence;
use crate::image::Image;
use crate::machine::Machine;

/// How long the monitor may take for an answer.
const MONITOR_LIMIT: Duration = Duration::from_secs(20);
/// How long QEMU may take to end when told to.
const QUIT_LIMIT: Duration = Duration::from_secs(2);

/// A running QEMU. It ends when this is dropped, and when the thread that started it ends,
/// however that comes about: `setpriv` asks the kernel for that.
#[derive(Debug)]
pub struct Qemu {
    child: Child,
    monitor: Monitor,
    log: PathBuf,
}

struct Monitor(Qmp<Stream<BufReader<UnixStream>, UnixStream>>);

impl std::fmt::Debug for Monitor {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Monitor")
    }
}

impl Qemu {
    /// Starts `image` on `machine`; what it says goes to the evidence.
    pub fn start(
        machine: &'static Machine,
        image: &Image,
        evidence: &Evidence,
    ) -> Result<Self, HostError> {
        let argv = command_line(machine, image, evidence);
        evidence.write("qemu.argv", &shell_line(&argv))?;
        let log = evidence.qemu_log();
        let (ours, theirs) = UnixStream::pair().map_err(|e| HostError::Monitor(e.to_string()))?;
        let monitor = Monitor::new(ours).map_err(|e| HostError::Monitor(e.to_string()))?;
        let child = spawn(&argv, theirs, &log)?;
        let mut qemu = Self {
            child,
            monitor,
            log,
        };
        qemu.greet()?;
        Ok(qemu)
    }

    /// The port of the loopback device behind which the guest's ssh is.
    pub fn ssh_port(&mut self) -> Result<u16, HostError> {
        let command = qmp::human_monitor_command {
            cpu_index: None,
            command_line: "info usernet".to_owned(),
        };
        let table = self.monitor.0.execute(&command).map_err(refused)?;
        forwarded_port(&table)
            .ok_or_else(|| HostError::Monitor(format!("no forwarded port in:\n{table}")))
    }

    /// Writes `size` bytes of physical memory from `address` on into `path`.
    pub fn save_memory(&mut self, address: u64, size: u64, path: &Path) -> Result<(), HostError> {
        let command = qmp::pmemsave {
            val: address,
            size,
            filename: path.display().to_string(),
        };
        self.monitor.0.execute(&command).map_err(refused)?;
        Ok(())
    }

    /// How it ended, if it has.
    pub fn ended(&mut self) -> Option<ExitStatus> {
        self.child.try_wait().ok().flatten()
    }

    /// Its process id.
    pub fn id(&self) -> u32 {
        self.child.id()
    }

    /// What QEMU itself has said.
    pub fn said(&self) -> String {
        let text = fs::read(&self.log).unwrap_or_default();
        String::from_utf8_lossy(&text).trim().to_owned()
    }

    /// Ends it, in order if it answers.
    pub fn quit(mut self) {
        if self.monitor.0.execute(&qmp::quit {}).is_err() {
            return;
        }
        let end = Instant::now() + QUIT_LIMIT;
        while self.ended().is_none() && Instant::now() < end {
            std::thread::sleep(Duration::from_millis(5));
        }
    }

    fn greet(&mut self) -> Result<(), HostError> {
        match self.monitor.handshake() {
            Ok(()) => Ok(()),
            Err(error) => {
                // Whatever the reason, the child is not needed any more, and reaping it
                // makes its last words complete.
                self.end();
                let said = self.said();
                Err(HostError::Qemu(if said.is_empty() {
                    error.to_string()
                } else {
                    said
                }))
            }
        }
    }

    /// Both fail only where the child is gone and reaped already.
    fn end(&mut self) {
        self.child.kill().ok();
        self.child.wait().ok();
    }
}

impl Drop for Qemu {
    fn drop(&mut self) {
        self.end();
    }
}

impl Monitor {
    fn new(stream: UnixStream) -> io::Result<Self> {
        stream.set_read_timeout(Some(MONITOR_LIMIT))?;
        stream.set_write_timeout(Some(MONITOR_LIMIT))?;
        let reader = BufReader::new(stream.try_clone()?);
        Ok(Self(Qmp::new(Stream::new(reader, stream))))
    }

    /// The client takes the greeting for granted, so an end of file is caught before it.
    fn handshake(&mut self) -> io::Result<()> {
        if self.0.inner_mut().fill_buf()?.is_empty() {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        self.0.handshake()?;
        Ok(())
    }
}

fn refused(error: qapi::ExecuteError) -> HostError {
    HostError::Monitor(error.to_string())
}

fn command_line(machine: &'static Machine, image: &Image, evidence: &Evidence) -> Vec<OsString> {
    let mut argv = vec![machine.program.into()];
    argv.extend(machine.arguments(image, &evidence.console()));
    argv
}

/// Its own process group keeps a terminal's Ctrl-C from QEMU: the harness decides.
fn spawn(argv: &[OsString], monitor: UnixStream, log: &Path) -> Result<Child, HostError> {
    let log_file = File::create(log).map_err(HostError::file("create", log))?;
    let log_twin = log_file.try_clone().map_err(HostError::file("open", log))?;
    tied(process::id())
        .args(argv)
        .stdin(Stdio::from(OwnedFd::from(monitor)))
        .stdout(log_twin)
        .stderr(log_file)
        .process_group(0)
        .spawn()
        .map_err(|e| HostError::Qemu(format!("setpriv: {e}")))
}

/// What runs the command line that follows it, and ends it with its parent. The signal does not
/// come for a parent that ended before it was asked for, so the shell looks who the parent is.
fn tied(parent: u32) -> Command {
    let mut command = Command::new("setpriv");
    command
        .args(["--pdeathsig", "KILL", "--", "sh", "-c"])
        .args(["[ \"$PPID\" = \"$0\" ] && exec \"$@\"", &parent.to_string()]);
    command
}

/// An error unless `program` is in PATH.
pub fn must_have(program: &'static str, remedy: &'static str) -> Result<(), HostError> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let found = std::env::split_paths(&path).any(|folder| folder.join(program).is_file());
    found
        .then_some(())
        .ok_or(HostError::NoProgram { program, remedy })
}

/// The port column of the row that forwards to port 22.
fn forwarded_port(table: &str) -> Option<u16> {
    table.lines().find_map(|line| {
        let words: Vec<&str> = line.split_whitespace().collect();
        match words.as_slice() {
            [kind, _, _, port, _, "22", ..] if kind.starts_with("TCP[HOST_FORWARD]") => {
                port.parse().ok()
            }
            _ => None,
        }
    })
}

/// The command line as a shell takes it, so that a run can be repeated by hand.
fn shell_line(argv: &[OsString]) -> String {
    let words: Vec<String> = argv
        .iter()
        .map(|word| crate::guest::quote(&word.to_string_lossy()))
        .collect();
    words.join(" ") + "\n"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_port_is_found_in_the_monitors_table() {
        let table = "Hub -1 (n0):\r\n  Protocol[State]    FD  Source Address  Port   Dest. Address  Port RecvQ SendQ\r\n  \
                     TCP[HOST_FORWARD]  12       127.0.0.1 40123       10.0.2.15    22     0     0\r\n";
        assert_eq!(forwarded_port(table), Some(40123));
        assert_eq!(forwarded_port(&table.replace("FORWARD", "OTHER")), None);
    }

    #[test]
    fn what_is_tied_to_another_parent_does_not_start() {
        let said = |parent| {
            let output = tied(parent).args(["echo", "a b"]).output();
            String::from_utf8(output.expect("setpriv").stdout)
        };
        assert_eq!(said(process::id()).as_deref(), Ok("a b\n"));
        assert_eq!(said(1).as_deref(), Ok(""));
    }

    #[test]
    fn a_missing_program_is_named_with_its_remedy() {
        let error = must_have("no-such-emulator", "apt-get install it").expect_err("not there");
        let text = error.to_string();
        assert_eq!(
            text,
            "`no-such-emulator` is not in PATH; `apt-get install it` gets it"
        );
    }
}
