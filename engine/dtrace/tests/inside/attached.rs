//! Processes that run already: what tracing leaves in them, and who may trace them.

use std::process::Stdio;

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;

use super::late::agent_of;
use super::*;

/// A process, killed when it is dropped.
pub struct Running(pub Child);

impl Running {
    fn start(program: &Path) -> Self {
        let running = Self(Command::new(program).spawn().unwrap());
        sleep(Duration::from_millis(100));
        running
    }

    /// Starts `busy`, which is as it stays once it has all its threads.
    pub fn start_busy(program: &Path) -> Self {
        let running = Self::start(program);
        let threads = format!("/proc/{}/task", running.0.id());
        wait_until(|| fs::read_dir(&threads).unwrap().count() == 9);
        running
    }

    /// Traces it so many times, of which none may end it, or the agent. On a busy machine it can be refused.
    fn survives(&mut self, times: usize) {
        let pid = self.0.id();
        let probe =
            format!("pid{pid}:a.out:main:entry {{ @ = count(); }} tick-10ms {{ exit(0); }}");
        for number in 0..times {
            let output = dtrace(&probe).output().unwrap();
            let ended = self.0.try_wait().unwrap();
            let said = String::from_utf8_lossy(&output.stderr);
            let is_so = ended.is_none() && !said.contains("No such process");
            assert!(is_so, "{number}: {ended:?} {said}");
        }
        self.end();
    }

    /// Has it end, and checks that it found nothing wrong.
    pub fn end(&mut self) {
        kill(Pid::from_raw(self.0.id() as i32), Signal::SIGTERM).unwrap();
        let ended = self.0.wait().unwrap();
        assert!(ended.success(), "{ended}");
    }

    /// What `/proc` says of its memory and its actions on signals, and its text.
    fn state(&self) -> (Vec<u8>, String) {
        let pid = self.0.id();
        let maps = fs::read_to_string(format!("/proc/{pid}/maps")).unwrap();
        let memory = fs::File::open(format!("/proc/{pid}/mem")).unwrap();
        let mut text = Vec::new();
        for line in maps
            .lines()
            .filter(|it| it.contains(" r-xp ") && it.contains('/'))
        {
            let (range, _) = line.split_once(' ').unwrap();
            let (start, end) = range.split_once('-').unwrap();
            let [start, end] = [start, end].map(|it| u64::from_str_radix(it, 16).unwrap());
            let mut bytes = vec![0; (end - start) as usize];
            memory.read_exact_at(&mut bytes, start).unwrap();
            text.extend(bytes);
        }
        let status = fs::read_to_string(format!("/proc/{pid}/status")).unwrap();
        let is_action = |line: &&str| ["SigIgn", "SigCgt"].iter().any(|it| line.starts_with(it));
        let signals = status.lines().filter(is_action);
        (text, signals.collect())
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// A trap that was removed while a thread was on its way to the handler is not taken for the program's own.
#[test]
fn threads_survive_traces_of_text_that_they_cannot_read() {
    let folder = folder();
    let mut running = Running::start(&build(&folder, "unread", "-O1"));
    let pid = running.0.id();
    let work = format!("pid{pid}:a.out:work:entry {{ @ = count(); }} tick-100ms {{ exit(0); }}");
    for _ in 0..15 {
        assert!(dtrace(&work).output().unwrap().status.success());
    }
    running.end();
}

#[test]
fn a_running_process_is_as_before_when_tracing_ends_or_is_killed() {
    let folder = folder();
    let program = build(&folder, "loop", "-O2");
    let running = Running::start(&program);
    let before = running.state();
    let pid = running.0.id();
    let probes = format!("pid{pid}:::entry, pid{pid}:::return {{ @ = count(); }}");
    let output = dtrace(&format!("{probes} tick-1s {{ exit(0); }}"))
        .output()
        .unwrap();
    let hits: u64 = String::from_utf8(output.stdout)
        .unwrap()
        .trim()
        .parse()
        .unwrap();
    assert!(hits > 100, "{hits}");
    assert!(running.state() == before);

    let mut killed = dtrace(&probes).spawn().unwrap();
    wait_until(|| running.state().0 != before.0);
    killed.kill().unwrap();
    killed.wait().unwrap();
    wait_until(|| running.state() == before);
}

/// A trap would kill it.
#[test]
fn a_running_process_is_traced_when_no_thread_can_block_the_signal_of_traps() {
    let folder = folder();
    let program = build(&folder, "blocks", "-O1");
    for (arguments, is_traced) in [(&[][..], true), (&["waits"], false)] {
        let child = Command::new(&program).args(arguments).spawn().unwrap();
        let mut running = Running(child);
        sleep(Duration::from_millis(150));
        let pid = running.0.id();
        let probe = format!("pid{pid}:a.out:tiny:entry {{ @ = count(); }} tick-1s {{ exit(0); }}");
        let output = dtrace(&probe).output().unwrap();
        let said = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.success(), is_traced, "{said}");
        assert_eq!(said.contains("blocks SIGTRAP"), !is_traced, "{said}");
        assert!(running.0.wait().unwrap().success());
    }
}

/// C libraries block all signals while they make a thread, and that of a trap then ends the process.
#[test]
fn a_process_that_makes_threads_survives_tracing() {
    let folder = folder();
    let program = build(&folder, "starting", "-O1");
    Running::start(&program).survives(20);
}

/// The library can be gone when its text is written, and another be on its way to that place.
#[test]
fn a_process_that_loads_libraries_survives_tracing() {
    let folder = folder();
    let library = build_library(&folder, "guarded", "guarded");
    let program = build(&folder, "loading", "-O1");
    let child = Command::new(program).arg(library).spawn().unwrap();
    sleep(Duration::from_millis(100));
    Running(child).survives(30);
}

/// It has its parent's text, but not the handler.
#[test]
fn a_process_is_refused_while_a_thread_waits_for_what_it_has_vforked() {
    let folder = folder();
    let program = build(&folder, "vforked", "-O1");
    let child = Command::new(&program)
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    sleep(Duration::from_millis(150));
    let pid = child.id();
    let probe = format!("pid{pid}:a.out:work:entry {{ @ = count(); }} tick-6s {{ exit(0); }}");
    let output = dtrace(&probe).output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(!output.status.success());
    assert!(said.contains("vfork"), "{said}");
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.stdout, b"exit 7\n");
}

#[test]
fn a_process_survives_that_dtrace_is_killed_at_any_moment() {
    const MOMENTS: u32 = 32;
    const STEP: Duration = Duration::from_micros(500);
    let folder = folder();
    let program = build(&folder, "busy", "-O2");
    for moment in 0..MOMENTS {
        let mut running = Running::start_busy(&program);
        let before = running.state();
        let pid = running.0.id();
        let own = format!("pid{pid}:a.out:work:entry {{ @ = count(); }}");
        let again = format!("{own} tick-1ms {{ exit(0); }}");
        let mut killed = dtrace(&own).spawn().unwrap();
        sleep(moment * STEP);
        killed.kill().unwrap();
        killed.wait().unwrap();
        // The agent of the one that was killed ends soon.
        let begun = Instant::now();
        wait_until(|| dtrace(&again).output().unwrap().status.success());
        assert!(begun.elapsed() < Duration::from_secs(60), "{moment}");
        assert!(running.state() == before, "{moment}");
        running.end();
    }
}

#[test]
fn a_process_is_as_before_when_dtrace_is_killed_as_its_agent_begins() {
    const TIMES: usize = 10;
    let folder = folder();
    let program = build(&folder, "busy", "-O2");
    for _ in 0..TIMES {
        let mut running = Running::start_busy(&program);
        let before = running.state();
        let pid = running.0.id();
        let own = format!("pid{pid}:a.out:work:entry {{ @ = count(); }}");
        let mut killed = dtrace(&own).spawn().unwrap();
        // It has not asked for anything yet, most often.
        while agent_of(pid as i32).is_none() {
            // A thread that has just been created may block the signal of traps.
            if killed.try_wait().unwrap().is_some() {
                killed = dtrace(&own).spawn().unwrap();
            }
        }
        killed.kill().unwrap();
        killed.wait().unwrap();
        wait_until(|| agent_of(pid as i32).is_none());
        assert!(running.state() == before);
        running.end();
    }
}

#[test]
fn busy_threads_survive_the_end_of_tracing() {
    const TIMES: usize = 40;
    let folder = folder();
    let program = build(&folder, "busy", "-O2");
    let mut running = Running::start_busy(&program);
    let pid = running.0.id();
    for _ in 0..TIMES {
        let own = format!("pid{pid}:a.out:work:entry {{ @ = count(); }} tick-2ms {{ exit(0); }}");
        let output = dtrace(&own).output().unwrap();
        assert!(output.status.success(), "{output:?}");
        let ended = running.0.try_wait().unwrap();
        assert!(ended.is_none(), "{ended:?}");
    }
    running.end();
}

#[test]
fn what_is_left_in_a_process_does_not_grow() {
    let folder = folder();
    let program = build(&folder, "loop", "-O2");
    let running = Running::start(&program);
    let pid = running.0.id();
    let size = || {
        let status = fs::read_to_string(format!("/proc/{pid}/status")).unwrap();
        let size = status.lines().find_map(|line| line.strip_prefix("VmSize:"));
        let kilobytes = size.unwrap().trim().trim_end_matches(" kB");
        kilobytes.parse::<u64>().unwrap()
    };
    let trace = || {
        let probes = format!("pid{pid}:::entry, pid{pid}:::return {{ @ = count(); }}");
        let output = dtrace(&format!("{probes} tick-10ms {{ exit(0); }}"))
            .output()
            .unwrap();
        assert!(output.status.success(), "{output:?}");
    };
    let before = size();
    trace();
    trace();
    let after = size();
    (0..20).for_each(|_| trace());
    assert!(size() < after + 1024, "{before}, {after}, {}", size());
    assert!(after < before + 16 * 1024, "{before}, {after}");
}

#[test]
fn descriptors_of_the_process_are_not_taken_for_the_agents() {
    const TRIES: usize = 10;
    let folder = folder();
    let program = build(&folder, "loop", "-O2");
    let mut shell = Command::new("sh");
    // As many as the agent opens, and more.
    let script = r#"exec "$0" 3</dev/null 4</dev/null 5</dev/null"#;
    let running = Running(shell.args(["-c", script]).arg(&program).spawn().unwrap());
    let loops =
        || fs::read_link(format!("/proc/{}/exe", running.0.id())).is_ok_and(|it| it == program);
    wait_until(loops);
    for _ in 0..TRIES {
        let probes = format!("pid{}:a.out:work:entry {{ exit(0); }}", running.0.id());
        let output = dtrace(&probes).output().unwrap();
        assert!(output.status.success(), "{output:?}");
    }
}

#[test]
fn one_command_traces_a_process_at_a_time() {
    let folder = folder();
    let program = build(&folder, "loop", "-O2");
    let running = Running::start(&program);
    let before = running.state();
    let probes = format!("pid{}:a.out:work:entry {{ @ = count(); }}", running.0.id());
    let mut first = dtrace(&probes).spawn().unwrap();
    wait_until(|| running.state().0 != before.0);
    // Until the first has detached by ptrace(2), that is the reason.
    wait_until(|| {
        let second = dtrace(&format!("{probes} tick-5s {{ exit(0); }}"))
            .output()
            .unwrap();
        let told = String::from_utf8(second.stderr).unwrap();
        assert!(told.contains("without the module"), "{told}");
        told.contains("another dtrace traces it")
    });
    first.kill().unwrap();
    first.wait().unwrap();
    wait_until(|| running.state() == before);
}
