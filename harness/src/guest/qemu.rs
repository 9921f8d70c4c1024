//! A QEMU process and its monitor (QMP). It cannot outlive the harness.

mod monitor;
mod registers;
mod usage;

use std::ffi::OsString;
use std::fs::{self, File};
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{self, Child, Command, ExitStatus, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use command_fds::{CommandFdExt, FdMapping};
use qapi::qmp::{self, MigrationCapability, MigrationCapabilityStatus, MigrationStatus};

use crate::error::HostError;
use crate::guest::command_line::{Launch, fd};
use crate::guest::image::Image;
use crate::guest::line::Line;
use crate::guest::machine::{Machine, Timer};
use crate::guest::quote::quote;
use crate::report::evidence::Evidence;

use monitor::Monitor;
use registers::Registers;

/// Time for a monitor command on the reference host.
const MONITOR_LIMIT: Duration = Duration::from_secs(20);
/// Time for QEMU to exit after `quit`.
const QUIT_LIMIT: Duration = Duration::from_secs(2);
/// Polling interval while waiting for QEMU.
const STEP: Duration = Duration::from_millis(2);

/// A running QEMU. It is killed on drop, and by the kernel (`PR_SET_PDEATHSIG`, set by `setpriv`)
/// when the thread that started it exits.
#[derive(Debug)]
pub struct Qemu {
    child: Child,
    monitor: Monitor,
    registers: Option<Registers>,
    log: PathBuf,
    /// The current limit for a monitor command.
    patience: Duration,
}

/// The position in a recording that is being made or replayed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Replayed {
    /// In instructions from the start.
    UpTo(i64),
    /// QEMU has exited, or no longer answers.
    Over,
}

impl Qemu {
    /// Starts `image` on `machine`, with its output in the evidence, and returns the line to the
    /// agent too.
    pub fn start(
        machine: &'static Machine,
        image: &Image,
        launch: Launch<'_>,
        evidence: &Evidence,
    ) -> Result<(Self, Line), HostError> {
        let argv = command_line(machine, image, launch, evidence);
        evidence.write("qemu.argv", &shell_line(&argv))?;
        let log = evidence.qemu_log();
        let (monitor, monitors) = sockets()?;
        let (line, lines) = sockets()?;
        let (registers, boards) = sockets()?;
        let given = [
            (monitors, fd::MONITOR),
            (lines, fd::LINE),
            (boards, fd::REGISTERS),
        ];
        let child = spawn(&argv, given, &log)?;
        let mut qemu = Self {
            child,
            monitor: Monitor::new(monitor).map_err(monitor::failed)?,
            registers: machine
                .nudged_timer(image)
                .map(|_| Registers::new(registers))
                .transpose()
                .map_err(monitor::failed)?,
            log,
            patience: MONITOR_LIMIT,
        };
        qemu.greet()?;
        let line = Line::new(line).map_err(monitor::failed)?;
        let line = match machine
            .burst
            .filter(|_| image.clockwork.recording.is_some())
        {
            Some(burst) => line.in_bursts(burst),
            None => line,
        };
        Ok((qemu, line))
    }

    /// The host's loopback port that forwards to the guest's ssh.
    pub fn ssh_port(&mut self) -> Result<u16, HostError> {
        let table = self.monitor.human(None, "info usernet".to_owned())?;
        forwarded_port(&table)
            .ok_or_else(|| HostError::Monitor(format!("no forwarded port in:\n{table}")))
    }

    /// Starts a gdb server on a free loopback port and returns its address.
    pub fn debug(&mut self) -> Result<String, HostError> {
        let command = "gdbserver tcp:127.0.0.1:0";
        let said = self.monitor.human(None, command.to_owned())?;
        let devices = self.monitor.execute(&qmp::query_chardev {})?;
        let mut gdb = devices.iter().filter(|device| device.label == "gdb");
        let address = gdb.find_map(|device| listening(&device.filename));
        address.ok_or_else(|| HostError::Monitor(format!("gdbserver: {}", said.trim())))
    }

    /// Whether the guest was stopped, by a debugger, since the last call.
    pub fn was_stopped(&mut self) -> Result<bool, HostError> {
        self.monitor.was_stopped()
    }

    /// Whether QEMU exited because the guest reset or powered off the machine.
    pub fn was_ended_by_guest(&mut self) -> bool {
        self.monitor.was_ended_by_guest()
    }

    /// The position in the recording.
    pub fn replayed(&mut self) -> Replayed {
        match self.monitor.execute(&qmp::query_replay {}) {
            Ok(info) if self.ended().is_none() => Replayed::UpTo(info.icount),
            // QEMU exits at the end of a replay, possibly in the middle of an answer.
            _ => Replayed::Over,
        }
    }

    /// Writes the device state to `path`; the memory is in its shared file already. Stops the
    /// guest.
    pub fn save(&mut self, path: &Path) -> Result<(), HostError> {
        self.leave_memory()?;
        let to = quote(&path.display().to_string());
        // QEMU does not check the exit status of the command, so the final name stands for success.
        let uri = Some(format!("exec:cat > {to}.part && mv {to}.part {to}"));
        let migrate = qmp::migrate {
            channels: None,
            detach: None,
            resume: None,
            uri,
        };
        self.monitor.execute(&migrate)?;
        self.until("saved", |qemu| {
            let info = qemu.monitor.execute(&qmp::query_migrate {})?;
            match info.status {
                Some(MigrationStatus::completed) => Ok(path.exists()),
                Some(MigrationStatus::failed) => {
                    let why = info
                        .error_desc
                        .unwrap_or_else(|| "no reason given".to_owned());
                    Err(HostError::Monitor(format!(
                        "the guest cannot be saved: {why}"
                    )))
                }
                _ => Ok(false),
            }
        })
    }

    /// Loads the device state that [`Self::save`] wrote, and resumes the guest.
    pub fn restore(&mut self, path: &Path) -> Result<(), HostError> {
        self.leave_memory()?;
        let uri = Some(format!("exec:cat {}", quote(&path.display().to_string())));
        let incoming = qmp::migrate_incoming {
            channels: None,
            exit_on_error: None,
            uri,
        };
        self.monitor.execute(&incoming)?;
        self.until("restored", |qemu| {
            Ok(qemu.monitor.execute(&qmp::query_status {})?.running)
        })
    }

    /// Leaves memory out of the migration stream: it stays in the file that backs it.
    fn leave_memory(&mut self) -> Result<(), HostError> {
        let capability = MigrationCapabilityStatus {
            capability: MigrationCapability::x_ignore_shared,
            state: true,
        };
        let capabilities = vec![capability];
        let command = qmp::migrate_set_capabilities { capabilities };
        self.monitor.execute(&command)?;
        Ok(())
    }

    fn until(
        &mut self,
        what: &str,
        mut is_so: impl FnMut(&mut Self) -> Result<bool, HostError>,
    ) -> Result<(), HostError> {
        let end = Instant::now() + self.patience;
        while !is_so(self)? {
            if Instant::now() > end {
                let seconds = self.patience.as_secs();
                let why = format!("the guest is not {what} after {seconds} s");
                return Err(HostError::Monitor(why));
            }
            thread::sleep(STEP);
        }
        Ok(())
    }

    /// Has a timer interrupt fire soon, if QEMU's model may have lost the programmed one.
    /// `may_be_known` is false right after a restore, which always loses it, whatever the registers
    /// read.
    pub fn nudge(&mut self, timer: Timer, may_be_known: bool) -> Result<(), HostError> {
        match &mut self.registers {
            None => Ok(()),
            Some(registers) => registers
                .nudge(timer, may_be_known)
                .map_err(monitor::failed),
        }
    }

    /// Scales the limit for monitor commands by `pace`.
    pub fn scale_limit(&mut self, pace: f64) {
        self.patience = MONITOR_LIMIT.mul_f64(pace);
        // If the socket refuses, the previous limit remains.
        self.monitor.limit(self.patience).ok();
    }

    /// The run-queue contention of QEMU's threads so far: see [`usage::contention`].
    pub fn contention(&self) -> f64 {
        usage::contention(self.id())
    }

    /// CPU time that QEMU has used, user and system.
    pub fn host_time(&self) -> Result<Duration, HostError> {
        usage::cpu_time(self.id())
    }

    /// Writes `size` bytes of physical memory from `address` into `path`.
    pub fn save_memory(&mut self, address: u64, size: u64, path: &Path) -> Result<(), HostError> {
        let command = qmp::pmemsave {
            val: address,
            size,
            filename: path.display().to_string(),
        };
        self.monitor.execute(&command)?;
        Ok(())
    }

    /// Like [`Self::save_memory`], by virtual addresses as `cpu` maps them now. It goes through the
    /// human monitor: QMP's `memsave` takes a signed number, which kernel addresses exceed.
    pub fn save_virtual(
        &mut self,
        cpu: u8,
        address: u64,
        size: u64,
        path: &Path,
    ) -> Result<(), HostError> {
        let to = path.display().to_string();
        let to = to.replace('\\', r"\\").replace('"', "\\\"");
        let command = format!("memsave {address:#x} {size} \"{to}\"");
        let said = self.monitor.human(Some(cpu), command)?;
        match said.trim() {
            "" => Ok(()),
            trouble => Err(HostError::Monitor(trouble.to_owned())),
        }
    }

    /// The exit status, if QEMU has exited.
    pub fn ended(&mut self) -> Option<ExitStatus> {
        self.child.try_wait().ok().flatten()
    }

    /// The process id.
    pub fn id(&self) -> u32 {
        self.child.id()
    }

    /// QEMU's own output, stdout and stderr.
    pub fn said(&self) -> String {
        let text = fs::read(&self.log).unwrap_or_default();
        String::from_utf8_lossy(&text).trim().to_owned()
    }

    /// Quits over the monitor, and kills QEMU if it does not exit in time.
    pub fn quit(mut self) {
        if self.monitor.execute(&qmp::quit {}).is_err() {
            return;
        }
        let end = Instant::now() + QUIT_LIMIT;
        while self.ended().is_none() && Instant::now() < end {
            thread::sleep(STEP);
        }
    }

    fn greet(&mut self) -> Result<(), HostError> {
        match self.monitor.handshake() {
            Ok(()) => Ok(()),
            Err(error) => {
                // The child is of no further use, and only once it is reaped is its log complete.
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

    /// Errors mean that the child is gone and reaped already.
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

fn sockets() -> Result<(UnixStream, OwnedFd), HostError> {
    let (ours, theirs) = UnixStream::pair().map_err(monitor::failed)?;
    Ok((ours, theirs.into()))
}

fn command_line(
    machine: &'static Machine,
    image: &Image,
    launch: Launch<'_>,
    evidence: &Evidence,
) -> Vec<OsString> {
    let mut argv = vec![machine.program.into()];
    argv.extend(machine.arguments(image, launch, &evidence.console()));
    argv
}

/// Runs QEMU in a process group of its own, so that a terminal's Ctrl-C reaches only the harness.
fn spawn(argv: &[OsString], given: [(OwnedFd, i32); 3], log: &Path) -> Result<Child, HostError> {
    let log_file = File::create(log).map_err(HostError::file("create", log))?;
    let log_twin = log_file.try_clone().map_err(HostError::file("open", log))?;
    let mappings = given.map(|(parent_fd, child_fd)| FdMapping {
        parent_fd,
        child_fd,
    });
    tied(process::id())
        .args(argv)
        .stdin(Stdio::null())
        .stdout(log_twin)
        .stderr(log_file)
        .process_group(0)
        .fd_mappings(mappings.into())
        .map_err(|e| HostError::Qemu(e.to_string()))?
        .spawn()
        .map_err(|e| HostError::Qemu(format!("setpriv: {e}")))
}

/// A command prefix that runs its arguments and has them killed with their parent. The signal is
/// not sent for a parent that exited before `prctl`, so the shell checks its parent afterwards.
fn tied(parent: u32) -> Command {
    let mut command = Command::new("setpriv");
    command
        .args(["--pdeathsig", "KILL", "--", "sh", "-c"])
        .args(["[ \"$PPID\" = \"$0\" ] && exec \"$@\"", &parent.to_string()]);
    command
}

/// The host port of the row that forwards to port 22, from `info usernet`.
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

/// The address in a chardev's name: `disconnected:tcp:127.0.0.1:4711,server=on`.
fn listening(name: &str) -> Option<String> {
    let (_, rest) = name.split_once("tcp:")?;
    let (address, _) = rest.split_once(',')?;
    Some(address.to_owned())
}

/// The command line quoted for a shell, so that it can be run by hand.
fn shell_line(argv: &[OsString]) -> String {
    let words: Vec<String> = argv
        .iter()
        .map(|word| quote(&word.to_string_lossy()))
        .collect();
    words.join(" ") + "\n"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn forwarded_port_is_parsed() {
        let table = "Hub -1 (n0):\r\n  Protocol[State]    FD  Source Address  Port   Dest. Address  Port RecvQ SendQ\r\n  \
                     TCP[HOST_FORWARD]  12       127.0.0.1 40123       10.0.2.15    22     0     0\r\n";
        assert_eq!(forwarded_port(table), Some(40123));
        assert_eq!(forwarded_port(&table.replace("FORWARD", "OTHER")), None);
    }

    #[test]
    fn chardev_address_is_parsed() {
        let name = "disconnected:tcp:127.0.0.1:4711,server=on";
        assert_eq!(listening(name).as_deref(), Some("127.0.0.1:4711"));
        assert_eq!(listening("unix:a,server=on"), None);
    }

    #[test]
    fn command_tied_to_another_parent_does_not_start() {
        let said = |parent| {
            let output = tied(parent).args(["echo", "a b"]).output();
            String::from_utf8(output.expect("setpriv").stdout)
        };
        assert_eq!(said(process::id()).as_deref(), Ok("a b\n"));
        assert_eq!(said(1).as_deref(), Ok(""));
    }
}
