//! One QEMU: started so that it can't outlive the harness, spoken to over its monitor.

mod registers;

use std::ffi::OsString;
use std::fs::{self, File};
use std::io::{self, BufRead, BufReader};
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{self, Child, Command, ExitStatus, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use command_fds::{CommandFdExt, FdMapping};
use qapi::qmp::{Event, MigrationCapability, MigrationCapabilityStatus, MigrationStatus};
use qapi::{Qmp, Stream, qmp};
use rustix::param::clock_ticks_per_second;

use crate::error::HostError;
use crate::guest::command_line::{Launch, fd};
use crate::guest::image::Image;
use crate::guest::line::Line;
use crate::guest::machine::{Machine, Timer};
use crate::guest::quote::quote;
use crate::report::evidence::Evidence;

use registers::Registers;

/// How long the monitor may take for an answer, on a host that is as quick as intended.
const MONITOR_LIMIT: Duration = Duration::from_secs(20);
/// How long QEMU may take to end when told to.
const QUIT_LIMIT: Duration = Duration::from_secs(2);
/// How often to look whether QEMU is done.
const STEP: Duration = Duration::from_millis(2);

/// A running QEMU. It ends when this is dropped, and when the thread that started it ends,
/// however that comes about: `setpriv` asks the kernel for that.
#[derive(Debug)]
pub struct Qemu {
    child: Child,
    monitor: Monitor,
    registers: Option<Registers>,
    log: PathBuf,
    /// How long the monitor may take for an answer.
    patience: Duration,
}

/// How far a recording has been played, or made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Replayed {
    /// So many instructions.
    UpTo(i64),
    /// To its end.
    Over,
}

struct Monitor(
    Qmp<Stream<BufReader<UnixStream>, UnixStream>>,
    /// The same socket, for its limits.
    UnixStream,
);

impl std::fmt::Debug for Monitor {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Monitor")
    }
}

impl Qemu {
    /// Starts `image` on `machine`; what it says goes to the evidence. The line into the guest comes
    /// with it.
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
            monitor: Monitor::new(monitor).map_err(unspoken)?,
            registers: machine
                .forgetful_timer(image)
                .map(|_| Registers::new(registers))
                .transpose()
                .map_err(unspoken)?,
            log,
            patience: MONITOR_LIMIT,
        };
        qemu.greet()?;
        let line = Line::new(line).map_err(unspoken)?;
        let line = match machine.sip.filter(|_| image.clockwork.tape.is_some()) {
            Some(sip) => line.in_sips(sip),
            None => line,
        };
        Ok((qemu, line))
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

    /// Has QEMU wait for a debugger on the loopback device; where, is the answer.
    pub fn debug(&mut self) -> Result<String, HostError> {
        let command = qmp::human_monitor_command {
            cpu_index: None,
            command_line: "gdbserver tcp:127.0.0.1:0".to_owned(),
        };
        let said = self.monitor.0.execute(&command).map_err(refused)?;
        let devices = self.monitor.0.execute(&qmp::query_chardev {});
        let devices = devices.map_err(refused)?;
        let mut gdb = devices.iter().filter(|device| device.label == "gdb");
        let address = gdb.find_map(|device| listening(&device.filename));
        address.ok_or_else(|| HostError::Monitor(format!("gdbserver: {}", said.trim())))
    }

    /// Whether the guest has been stopped from outside since this was last asked.
    pub fn was_stopped(&mut self) -> Result<bool, HostError> {
        self.monitor.0.nop().map_err(unspoken)?;
        let mut events = self.monitor.0.events();
        Ok(events.any(|event| matches!(event, Event::STOP { .. })))
    }

    /// Whether a QEMU that has ended did so because its guest reset the machine, or switched it off.
    pub fn was_left(&mut self) -> bool {
        // There is no answer to come any more, and no question that could be put: only what was said last.
        let _ = self.monitor.0.read_response::<qmp::query_version>();
        let mut events = self.monitor.0.events();
        events.any(|event| matches!(event, Event::SHUTDOWN { data, .. } if data.guest))
    }

    /// How far a recording has been played, or made.
    pub fn replayed(&mut self) -> Replayed {
        match self.monitor.0.execute(&qmp::query_replay {}) {
            Ok(info) if self.ended().is_none() => Replayed::UpTo(info.icount),
            // It ends with the recording, in the middle of a word perhaps.
            _ => Replayed::Over,
        }
    }

    /// Saves the guest's devices to `path`; its memory is in a file of its own already. The guest stops.
    pub fn save(&mut self, path: &Path) -> Result<(), HostError> {
        self.leave_memory()?;
        let to = quote(&path.display().to_string());
        // QEMU does not ask how its pipe's other end ended.
        let uri = Some(format!("exec:cat > {to}.part && mv {to}.part {to}"));
        let migrate = qmp::migrate {
            channels: None,
            detach: None,
            resume: None,
            uri,
        };
        self.monitor.0.execute(&migrate).map_err(refused)?;
        self.until("saved", |qemu| {
            let info = qemu
                .monitor
                .0
                .execute(&qmp::query_migrate {})
                .map_err(refused)?;
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

    /// Restores what [`Self::save`] saved, and lets it go on.
    pub fn restore(&mut self, path: &Path) -> Result<(), HostError> {
        self.leave_memory()?;
        let uri = Some(format!("exec:cat {}", quote(&path.display().to_string())));
        let incoming = qmp::migrate_incoming {
            channels: None,
            exit_on_error: None,
            uri,
        };
        self.monitor.0.execute(&incoming).map_err(refused)?;
        self.until("restored", |qemu| {
            let info = qemu
                .monitor
                .0
                .execute(&qmp::query_status {})
                .map_err(refused)?;
            Ok(info.running)
        })
    }

    /// What is saved and restored leaves the memory to its file.
    fn leave_memory(&mut self) -> Result<(), HostError> {
        let capability = MigrationCapabilityStatus {
            capability: MigrationCapability::x_ignore_shared,
            state: true,
        };
        let capabilities = vec![capability];
        let command = qmp::migrate_set_capabilities { capabilities };
        self.monitor.0.execute(&command).map_err(refused)?;
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

    /// Makes a timer interrupt come soon, where QEMU may have lost the one that the guest waits for.
    /// Of a guest that was just restored it has lost it for certain, whatever the registers say.
    pub fn nudge(&mut self, timer: Timer, may_be_known: bool) -> Result<(), HostError> {
        match &mut self.registers {
            None => Ok(()),
            Some(registers) => registers.nudge(timer, may_be_known).map_err(unspoken),
        }
    }

    /// Gives the monitor so many times as long for each answer.
    pub fn be_patient(&mut self, pace: f64) {
        self.patience = MONITOR_LIMIT.mul_f64(pace);
        // What a socket does not take leaves the limit that it has.
        self.monitor.limit(self.patience).ok();
    }

    /// How many times as long as on an idle host it took for what it has done so far: for how long its
    /// threads ran, and for how long they were ready to run while others did. What is not known is no crowd.
    pub fn crowding(&self) -> f64 {
        let threads = fs::read_dir(format!("/proc/{}/task", self.id()));
        let threads = threads.into_iter().flatten().flatten();
        let stats =
            threads.filter_map(|thread| fs::read_to_string(thread.path().join("schedstat")).ok());
        crowding(stats.filter_map(|stat| ran_and_waited(&stat)))
    }

    /// How much of the host's time it has taken.
    pub fn host_time(&self) -> Result<Duration, HostError> {
        let path = PathBuf::from(format!("/proc/{}/stat", self.id()));
        let stat = fs::read_to_string(&path).map_err(HostError::file("read", &path))?;
        ticks(&stat)
            .map(|ticks| Duration::from_millis(ticks * 1000 / clock_ticks_per_second()))
            .ok_or_else(|| HostError::Monitor(format!("{}: {stat}", path.display())))
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

    /// The same, by the addresses that this processor has for it now. The monitor's own words are for
    /// people, who may write an address that is too high for the numbers of programs.
    pub fn save_seen(
        &mut self,
        cpu: u8,
        address: u64,
        size: u64,
        path: &Path,
    ) -> Result<(), HostError> {
        let to = path.display().to_string();
        let to = to.replace('\\', r"\\").replace('"', "\\\"");
        let command = qmp::human_monitor_command {
            command_line: format!("memsave {address:#x} {size} \"{to}\""),
            cpu_index: Some(cpu.into()),
        };
        let said = self.monitor.0.execute(&command).map_err(refused)?;
        match said.trim() {
            "" => Ok(()),
            trouble => Err(HostError::Monitor(trouble.to_owned())),
        }
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
            thread::sleep(STEP);
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
        let reader = BufReader::new(stream.try_clone()?);
        let socket = stream.try_clone()?;
        let monitor = Self(Qmp::new(Stream::new(reader, stream)), socket);
        monitor.limit(MONITOR_LIMIT)?;
        Ok(monitor)
    }

    fn limit(&self, limit: Duration) -> io::Result<()> {
        self.1.set_read_timeout(Some(limit))?;
        self.1.set_write_timeout(Some(limit))
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

fn unspoken(error: io::Error) -> HostError {
    HostError::Monitor(error.to_string())
}

fn sockets() -> Result<(UnixStream, OwnedFd), HostError> {
    let (ours, theirs) = UnixStream::pair().map_err(unspoken)?;
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

/// Its own process group keeps a terminal's Ctrl-C from QEMU: the harness decides.
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

/// What runs the command line that follows it, and ends it with its parent. The signal does not
/// come for a parent that ended before it was asked for, so the shell looks who the parent is.
fn tied(parent: u32) -> Command {
    let mut command = Command::new("setpriv");
    command
        .args(["--pdeathsig", "KILL", "--", "sh", "-c"])
        .args(["[ \"$PPID\" = \"$0\" ] && exec \"$@\"", &parent.to_string()]);
    command
}

/// What `/proc/<pid>/stat` says of user and system time, the 14th and 15th of its fields; the second
/// is in brackets, and can hold anything.
fn ticks(stat: &str) -> Option<u64> {
    let (_, fields) = stat.rsplit_once(')')?;
    let mut fields = fields.split_whitespace().skip(11);
    let mut next = || fields.next()?.parse::<u64>().ok();
    Some(next()? + next()?)
}

/// The first two fields of `/proc/<pid>/task/<tid>/schedstat`: nanoseconds on a processor, and waiting for one.
fn ran_and_waited(stat: &str) -> Option<(u64, u64)> {
    let mut fields = stat.split_whitespace();
    let mut next = || fields.next()?.parse::<u64>().ok();
    Some((next()?, next()?))
}

fn crowding(threads: impl Iterator<Item = (u64, u64)>) -> f64 {
    let add = |sum: (u64, u64), one: (u64, u64)| (sum.0 + one.0, sum.1 + one.1);
    match threads.fold((0, 0), add) {
        (0, _) => 1.0,
        (ran, waited) => 1.0 + waited as f64 / ran as f64,
    }
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

/// The address in QEMU's name for a socket: `disconnected:tcp:127.0.0.1:4711,server=on`.
fn listening(name: &str) -> Option<String> {
    let (_, rest) = name.split_once("tcp:")?;
    let (address, _) = rest.split_once(',')?;
    Some(address.to_owned())
}

/// The command line as a shell takes it, so that a run can be repeated by hand.
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
    fn the_port_is_found_in_the_monitors_table() {
        let table = "Hub -1 (n0):\r\n  Protocol[State]    FD  Source Address  Port   Dest. Address  Port RecvQ SendQ\r\n  \
                     TCP[HOST_FORWARD]  12       127.0.0.1 40123       10.0.2.15    22     0     0\r\n";
        assert_eq!(forwarded_port(table), Some(40123));
        assert_eq!(forwarded_port(&table.replace("FORWARD", "OTHER")), None);
    }

    #[test]
    fn a_socket_is_found_in_qemus_name_for_it() {
        let name = "disconnected:tcp:127.0.0.1:4711,server=on";
        assert_eq!(listening(name).as_deref(), Some("127.0.0.1:4711"));
        assert_eq!(listening("unix:a,server=on"), None);
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
    fn a_process_tells_its_time_behind_any_name() {
        let stat = "7 (a) b) (c) S 1 7 7 0 -1 4194560 1 0 0 0 150 25 0 0 20 0 1";
        assert_eq!(ticks(stat), Some(175));
        assert_eq!(ticks("7 (a) S 1"), None);
    }

    #[test]
    fn a_crowd_is_what_is_waited_for_a_processor() {
        let threads = ["3000 1000 7", "1000 3000 9", "gone"];
        let threads = || threads.iter().filter_map(|stat| ran_and_waited(stat));
        assert!((crowding(threads()) - 2.0).abs() < 1e-6);
        assert_eq!(crowding(threads().take(0)), 1.0);
    }
}
