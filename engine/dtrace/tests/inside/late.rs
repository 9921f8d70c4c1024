//! A thread that has executed a trap, and comes to the handler late: the test holds it, as a debugger does, before the
//! signal is delivered.

use std::io::{BufRead, BufReader};
use std::process::Stdio;

use nix::sys::ptrace;
use nix::sys::signal::{Signal, kill};
use nix::sys::wait::{WaitPidFlag, WaitStatus, waitpid};
use nix::unistd::Pid;

use super::attached::Running;
use super::*;

/// How long a moment is tried for.
const LONGEST: Duration = Duration::from_secs(120);

/// A function's first byte is its trap while its jump is taken away. A thread that comes in time needs no slot, but one
/// that comes before the live table is published anew is sent to it.
#[test]
fn a_thread_survives_that_comes_when_its_instruction_is_there_again() {
    // Elsewhere a jump is as long as a trap, and takes its place at once.
    if std::env::consts::ARCH != "x86_64" {
        return;
    }
    let folder = folder();
    let program = build(&folder, "busy", "-O2");
    let begun = Instant::now();
    let is_survived = loop {
        if let Some(is_survived) = is_survived(&program) {
            break is_survived;
        }
        assert!(begun.elapsed() < LONGEST, "it never came at that time");
    };
    assert!(is_survived);
}

#[test]
fn a_thread_survives_that_a_debugger_holds_before_the_handler() {
    let folder = folder();
    let program = build(&folder, "busy", "-O2");
    let mut running = Running(Command::new(&program).arg("1").spawn().unwrap());
    let process = running.0.id() as i32;
    let thread = busy_thread(process);
    let probe = format!("pid{process}:a.out:work:entry {{ @ = count(); }}");
    let (mut tracing, _) = begun(&probe, &["-p", &process.to_string()]);
    let armed = Armed::of(process);
    let agent = agent_of(process).unwrap();
    ptrace::seize(thread, ptrace::Options::empty()).unwrap();
    let stopped = waitpid(thread, Some(WaitPidFlag::__WALL)).unwrap();
    kill(Pid::from_raw(tracing.0.id() as i32), Signal::SIGINT).unwrap();
    wait_until(|| armed.is_restored(1));
    // It does not end, though it has the time.
    sleep(Duration::from_millis(300));
    let is_waiting = !['Z', 'X'].contains(&state_of(agent));
    ptrace::detach(thread, Signal::SIGTRAP).unwrap();
    assert_eq!(stopped, WaitStatus::Stopped(thread, Signal::SIGTRAP));
    assert!(is_waiting);
    tracing.0.wait().unwrap();
    let _ = kill(Pid::from_raw(process), Signal::SIGTERM);
    let ended = running.0.wait().unwrap();
    assert!(ended.success(), "{ended}");
}

/// The kernel stops a thread before it delivers the signal.
#[test]
fn a_process_survives_that_is_stopped_as_tracing_ends() {
    let folder = folder();
    let program = build(&folder, "busy", "-O2");
    for _ in 0..3 {
        let mut running = Running::start_busy(&program);
        let process = Pid::from_raw(running.0.id() as i32);
        let probe = format!("pid{process}:a.out:work:entry {{ @ = count(); }}");
        let (mut tracing, _) = begun(&probe, &["-p", &process.to_string()]);
        let armed = Armed::of(process.as_raw());
        kill(process, Signal::SIGSTOP).unwrap();
        kill(Pid::from_raw(tracing.0.id() as i32), Signal::SIGINT).unwrap();
        wait_until(|| armed.is_restored(1));
        // As long as a debugger's threads are waited for, and longer.
        sleep(Duration::from_millis(2500));
        kill(process, Signal::SIGCONT).unwrap();
        tracing.0.wait().unwrap();
        running.end();
    }
}

/// Whether the thread survives; none if it came at another time.
fn is_survived(program: &Path) -> Option<bool> {
    // The libraries' probes are many, and are taken away after that of the program.
    let probes = "pid$target:a.out:work:entry, pid$target:libc*::entry, pid$target:libc*::return";
    let clauses = format!("{probes} {{ @ = count(); }}");
    let command = format!("{} 1", program.display());
    let (mut tracing, process) = begun(&clauses, &["-x", "pidmech=inline", "-c", &command]);
    let armed = Armed::of(process);
    let thread = busy_thread(process);
    ptrace::seize(thread, ptrace::Options::empty()).unwrap();
    let stop_of = || {
        let options = WaitPidFlag::__WALL | WaitPidFlag::WNOHANG;
        waitpid(thread, Some(options)).unwrap_or(WaitStatus::Exited(thread, 0))
    };
    let agent = agent_of(process).unwrap();
    kill(Pid::from_raw(tracing.0.id() as i32), Signal::SIGINT).unwrap();

    let mut stopped = WaitStatus::StillAlive;
    while stopped == WaitStatus::StillAlive && !armed.is_restored(1) {
        stopped = stop_of();
    }
    let mut is_survived = None;
    if stopped == WaitStatus::Stopped(thread, Signal::SIGTRAP) {
        // The agent goes on in steps until it has come far, and then waits for the thread.
        while is_halted(agent) && !armed.is_restored(SAMPLES / 2) {
            let _ = kill(agent, Signal::SIGCONT);
            sleep(STEP);
        }
        if is_halted(agent) && !armed.is_restored(SAMPLES * 3 / 4) {
            ptrace::cont(thread, Signal::SIGTRAP).unwrap();
            sleep(Duration::from_millis(50));
            stopped = stop_of();
            is_survived = match stopped {
                WaitStatus::StillAlive => Some(true),
                WaitStatus::Stopped(..) => Some(false),
                _ => None,
            };
        }
        let _ = kill(agent, Signal::SIGCONT);
    }
    if stopped == WaitStatus::StillAlive && ptrace::interrupt(thread).is_ok() {
        let _ = waitpid(thread, Some(WaitPidFlag::__WALL));
    }
    let _ = ptrace::detach(thread, None);
    // dtrace ends the command.
    tracing.0.wait().unwrap();
    is_survived
}

/// Begins to trace; returns `$target` as well.
fn begun(clauses: &str, options: &[&str]) -> (Running, i32) {
    let clauses = format!("{clauses} BEGIN {{ printf(\"%d\\n\", $target); }}");
    let mut command = dtrace(&clauses);
    let command = command.args(options).stdout(Stdio::piped());
    let mut tracing = Running(command.spawn().unwrap());
    let mut line = String::new();
    let output = tracing.0.stdout.take().unwrap();
    BufReader::new(output).read_line(&mut line).unwrap();
    (tracing, line.trim().parse().unwrap())
}

/// How long the agent goes on at a time.
const STEP: Duration = Duration::from_micros(200);

/// Stops the agent; false if it has ended.
fn is_halted(agent: Pid) -> bool {
    let _ = kill(agent, Signal::SIGSTOP);
    wait_until(|| state_of(agent) != 'R');
    state_of(agent) == 'T'
}

/// Places in text that are looked at.
const SAMPLES: usize = 16;

/// The text of a process in which probes are.
struct Armed {
    memory: fs::File,
    /// Where it differs from its files: addresses, in order, and what is in the files.
    places: Vec<(u64, u8)>,
}

impl Armed {
    fn of(process: i32) -> Self {
        let memory = fs::File::open(format!("/proc/{process}/mem")).unwrap();
        let changed = texts(process as u32)
            .into_iter()
            .flat_map(|(start, there, original)| {
                let bytes = (start..).zip(there.into_iter().zip(original));
                bytes.filter(|(_, (there, original))| there != original)
            });
        let places = changed
            .map(|(address, (_, original))| (address, original))
            .collect();
        Self { memory, places }
    }

    /// Whether text is as in its file at so many of the [`SAMPLES`]. Some may be restored last, as of guards.
    fn is_restored(&self, wanted: usize) -> bool {
        let step = (self.places.len() / SAMPLES).max(1);
        let samples = self.places.iter().step_by(step).take(SAMPLES);
        let restored = samples.filter(|(address, before)| {
            let mut there = [0];
            self.memory.read_exact_at(&mut there, *address).is_err() || there == [*before]
        });
        restored.count() >= wanted
    }
}

/// The thread that is not the first.
fn busy_thread(process: i32) -> Pid {
    let tasks = || fs::read_dir(format!("/proc/{process}/task")).unwrap();
    wait_until(|| tasks().count() > 1);
    let numbers = tasks().map(|task| task.unwrap().file_name().into_string().unwrap());
    let mut threads = numbers.map(|number| number.parse().unwrap());
    Pid::from_raw(threads.find(|number| *number != process).unwrap())
}

/// The process that has the agent of this one: its program, and a name of its own.
pub fn agent_of(process: i32) -> Option<Pid> {
    let program = fs::read_link(format!("/proc/{process}/exe")).ok()?;
    let processes = fs::read_dir("/proc").unwrap();
    let mut numbers = processes.filter_map(|it| it.ok()?.file_name().to_str()?.parse().ok());
    let is_agent = |number: &i32| {
        let name = fs::read_to_string(format!("/proc/{number}/comm")).unwrap_or_default();
        let its = fs::read_link(format!("/proc/{number}/exe"));
        name.trim_end() == "trapline" && its.is_ok_and(|it| it == program)
    };
    numbers.find(is_agent).map(Pid::from_raw)
}

/// The state of a process, as proc_pid_stat(5) has it.
fn state_of(process: Pid) -> char {
    let stat = fs::read_to_string(format!("/proc/{process}/stat")).unwrap_or_default();
    let (_, fields) = stat.rsplit_once(") ").unwrap_or_default();
    fields.chars().next().unwrap_or('X')
}
