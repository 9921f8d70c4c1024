//! Each command does what it is for on this machine, where nothing probes it.

use std::os::unix::process::ExitStatusExt;
use std::process::Command;

/// What it prints.
fn run(words: &str) -> String {
    let mut command = Command::new(env!("CARGO_BIN_EXE_trapline-frames"));
    let output = command.args(words.split(' ')).output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{words}: {said}");
    String::from_utf8(output.stdout).unwrap()
}

#[test]
fn calls_that_are_left_do_not_return() {
    let left = "frames_dive entry 33\nframes_hold entry 3\nframes_hold return 3\n";
    let caught = "frames_catch entry 6\nframes_catch return 6\n";
    assert_eq!(run("unwind 10 3"), format!("{caught}{left}"));
    let left = format!("{left}frames_leap entry 3\nframes_leap return 3\n");
    assert_eq!(run("longjmp 10 3"), left);
}

#[test]
fn calls_on_a_stack_return_when_it_is_resumed() {
    // Each of four is resumed twice: it makes its six calls, and returns from the innermost.
    let counts = "frames_start entry 4\nframes_step entry 24\nframes_step return 4\nframes_swap entry 16\nframes_swap return 16\n";
    assert_eq!(run("stacks 8"), counts);
}

/// What the processor does there is its own affair, but nobody returns from it.
#[test]
fn a_stack_that_is_not_aligned_is_left_by_the_end() {
    let mut command = Command::new(env!("CARGO_BIN_EXE_trapline-frames"));
    let ended = command.arg("skewed").status().unwrap();
    let is_fault = ended.signal() == Some(libc::SIGBUS);
    assert!(ended.success() || is_fault, "{ended}");
}

#[test]
fn all_others_return() {
    for words in [
        "recurse 9",
        "threads 3 5",
        "forks 20",
        "alarms 5",
        "maps 3",
        "masked 5",
    ] {
        let printed = run(words);
        let of = |probe: &str| -> Vec<_> {
            let lines = printed.lines().filter(|line| line.contains(probe));
            lines
                .map(|line| line.rsplit(' ').next().unwrap().to_owned())
                .collect()
        };
        assert!(!printed.is_empty(), "{words}");
        assert_eq!(of(" entry "), of(" return "), "{words}");
    }
}

#[test]
fn a_trap_is_handled() {
    assert_eq!(run("trapped"), "handled\n");
}

/// Its input ends at once.
#[test]
fn a_privileged_instruction_ends_the_process() {
    assert_eq!(run("privileged"), "");
}

#[test]
fn a_load_that_faults_is_executed_twice() {
    let printed = run("faults 5");
    let twice = printed.lines().filter(|line| line.ends_with(" 10"));
    assert_eq!(twice.count(), 2, "{printed}");
}
