//! Paths of programs, as `dtrace --path` records them, beside those that a single-stepper sees.

#[path = "path/children.rs"]
mod children;
#[path = "path/lines.rs"]
mod lines;
#[path = "path/qemu.rs"]
mod qemu;
#[path = "inside/random.rs"]
mod random;
#[path = "path/steps.rs"]
mod steps;

use std::collections::BTreeMap;
use std::fs;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use proptest::prelude::*;
use proptest::test_runner::TestRunner;
use serde_json::Value;
use tempfile::TempDir;

const SOURCES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests");

fn is_supported() -> bool {
    std::env::consts::ARCH == "x86_64"
}

fn folder() -> TempDir {
    tempfile::tempdir().unwrap()
}

fn build(folder: &TempDir, source: &Path, options: &[&str]) -> PathBuf {
    let name = source.file_stem().unwrap().to_string_lossy();
    let program = folder.path().join(format!("{name}{}", options.concat()));
    let mut compiler = Command::new("gcc");
    compiler.args(["-w", "-fwrapv", "-pthread", "-o"]);
    compiler.arg(&program).arg(source).args(options);
    assert!(compiler.status().unwrap().success());
    program
}

fn source(name: &str) -> PathBuf {
    Path::new(SOURCES).join(name)
}

/// Runs a program and records it, with everything at fixed addresses.
fn record(file: &Path, program: &str) -> Output {
    let mut dtrace = Command::new(env!("CARGO_BIN_EXE_dtrace"));
    dtrace.arg("--path").arg(file).args(["-q", "-c", program]);
    steps::fixed(&mut dtrace).output().unwrap()
}

fn report(file: &Path, options: &[&str]) -> String {
    let mut dtrace = Command::new(env!("CARGO_BIN_EXE_dtrace"));
    let output = dtrace.arg("--report").arg(file).args(options).output();
    let output = output.unwrap();
    assert!(output.stderr.is_empty(), "{output:?}");
    String::from_utf8(output.stdout).unwrap()
}

/// The lines of a report in JSON.
fn values(lines: &str) -> impl Iterator<Item = Value> {
    lines
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
}

/// The runs of instructions of the first thread: the address of the first, and how many.
fn runs(lines: &str) -> Vec<(u64, u64)> {
    let own = values(lines).filter(|value| value["thread"] == 0);
    own.filter_map(|value| Some((value["address"].as_u64()?, value["instructions"].as_u64()?)))
        .collect()
}

/// Compares a recorded path with steps.
fn compare(runs: &[(u64, u64)], steps: &[u64]) {
    const LONGEST: u64 = 15;
    let mut rest = steps;
    for (number, &(address, count)) in runs.iter().enumerate() {
        // Where an instruction jumps to itself, the steps have it once.
        if count == 1 && number > 0 && runs[number - 1] == (address, 1) {
            continue;
        }
        let place = steps.len() - rest.len();
        let (own, behind) = rest
            .split_at_checked(count as usize)
            .unwrap_or_else(|| panic!("run {number} at {address:x} goes beyond the end"));
        let near = &steps[place.saturating_sub(5)..(place + 5).min(steps.len())];
        assert_eq!(own[0], address, "run {number}, step {place}: {near:x?}");
        let mut pairs = own.windows(2);
        let is_straight = pairs.all(|pair| (1..=LONGEST).contains(&pair[1].wrapping_sub(pair[0])));
        assert!(is_straight, "run {number} at {address:x}: {own:x?}");
        rest = behind;
    }
    assert!(
        rest.is_empty(),
        "{} steps are missing: {:x?}",
        rest.len(),
        &rest[..rest.len().min(9)]
    );
}

/// How often each instruction was executed.
fn listed(file: &Path) -> BTreeMap<u64, u64> {
    let listing = report(file, &["--show", "instructions"]);
    let lines = listing.lines().filter_map(|line| {
        let mut fields = line.split_whitespace();
        let count = fields.next()?.parse().ok()?;
        Some((u64::from_str_radix(fields.next()?, 16).ok()?, count))
    });
    lines.collect()
}

/// Compares the path of a program, which must print what it does when it is not recorded, from its first step on.
fn check(folder: &TempDir, program: &Path, steps: &[u64]) {
    let plain = Command::new(program).output().unwrap();
    let file = folder.path().join("path");
    let recorded = record(&file, program.to_str().unwrap());
    assert_eq!(recorded.stdout, plain.stdout, "{recorded:?}");
    let runs = runs(&report(&file, &["--show", "json"]));
    let first = runs.iter().position(|run| run.0 == steps[0]).unwrap();
    compare(&runs[first..], steps);
    let listed = listed(&file);
    let stray = steps.iter().find(|step| !listed.contains_key(step));
    assert_eq!(stray, None);
}

#[test]
fn the_path_is_that_of_a_single_stepper() {
    if !is_supported() {
        return;
    }
    let folder = folder();
    for level in ["-O0", "-O2", "-Os"] {
        let program = build(&folder, &source("path/kinds.c"), &[level, "-static"]);
        check(&folder, &program, &steps::steps(&program));
    }
}

#[test]
fn traps_of_the_programs_own_are_recorded() {
    if !is_supported() {
        return;
    }
    let folder = folder();
    let program = build(&folder, &source("path/kinds.c"), &["-O1"]);
    let plain = Command::new(&program).arg("1").output().unwrap();
    let file = folder.path().join("path");
    let recorded = record(&file, &format!("{} 1", program.display()));
    assert_eq!(recorded.stdout, plain.stdout, "{recorded:?}");
    assert!(recorded.status.success(), "{recorded:?}");
    let summary = report(&file, &[]);
    assert!(
        summary.contains("SIGTRAP") || summary.contains("signal 5"),
        "{summary}"
    );
}

/// What is run and printed, and the path has no fault; returns the summary.
fn run_recorded(folder: &TempDir, program: &Path) -> String {
    let plain = Command::new(program).output().unwrap();
    let file = folder.path().join("path");
    let recorded = record(&file, program.to_str().unwrap());
    assert_eq!(recorded.stdout, plain.stdout, "{recorded:?}");
    assert!(
        recorded.status.success() && recorded.stderr.is_empty(),
        "{recorded:?}"
    );
    let summary = report(&file, &[]);
    assert!(!summary.contains("not recorded"), "{summary}");
    summary
}

/// Calls that `fib(26)` makes, itself included.
const FIB_26: u64 = 392_835;

/// How often a function was called.
fn calls_of(function: &str, file: &Path) -> u64 {
    let functions = report(file, &["--show", "functions"]);
    let mut lines = functions.lines();
    let line = lines.find(|line| line.ends_with(&format!(" {function}")));
    let calls = line.and_then(|line| line.split_whitespace().next());
    calls.map_or(0, |calls| calls.parse().unwrap())
}

#[test]
fn signals_that_come_anywhere_are_handled() {
    if !is_supported() {
        return;
    }
    let folder = folder();
    let summary = run_recorded(&folder, &build(&folder, &source("path/timer.c"), &["-O2"]));
    let count = |text| summary.matches(text).count();
    assert!(count("signal 14") >= 20, "{summary}");
    assert_eq!(count("signal 14"), count("handler returns"), "{summary}");
}

/// One in some twelve runs has the stack near to the end of the address space.
#[test]
fn code_above_the_stack_is_recorded() {
    const RUNS: usize = 200;
    if !is_supported() {
        return;
    }
    let folder = folder();
    let program = build(&folder, &source("path/above.c"), &["-O1"]);
    let file = folder.path().join("path");
    let has_executed = || {
        let mut dtrace = Command::new(env!("CARGO_BIN_EXE_dtrace"));
        dtrace.arg("--path").arg(&file).args(["-q", "-c"]);
        let output = dtrace.arg(&program).output().unwrap();
        output.stdout == b"executed\n"
    };
    assert!((0..RUNS).any(|_| has_executed()));
    let summary = report(&file, &[]);
    assert!(!summary.contains("not recorded"), "{summary}");
}

#[test]
fn registers_are_as_they_were_in_the_next_block() {
    if !is_supported() {
        return;
    }
    let folder = folder();
    run_recorded(
        &folder,
        &build(&folder, &source("path/registers.c"), &["-O1"]),
    );
}

#[test]
fn each_signal_is_handled() {
    if !is_supported() {
        return;
    }
    let folder = folder();
    run_recorded(&folder, &build(&folder, &source("path/each.c"), &["-O1"]));
}

#[test]
fn calls_that_wait_with_another_mask_let_signals_in() {
    if !is_supported() {
        return;
    }
    let folder = folder();
    run_recorded(
        &folder,
        &build(&folder, &source("path/suspend.c"), &["-O1"]),
    );
}

#[test]
fn as_many_threads_as_can_be_recorded() {
    if !is_supported() {
        return;
    }
    let folder = folder();
    let program = build(&folder, &source("path/many.c"), &["-O1"]);
    let file = folder.path().join("path");
    let recorded = record(&file, &format!("{} stop", program.display()));
    let said = String::from_utf8_lossy(&recorded.stdout);
    // The first thread is one of the 512.
    let wanted = "511 at a time, Resource temporarily unavailable\n1\n3000 one after the other\n";
    assert_eq!(said, wanted, "{recorded:?}");
    assert!(recorded.stderr.is_empty(), "{recorded:?}");
    assert_eq!(calls_of("work", &file), 511 + 3000);
}

#[test]
fn a_process_with_the_same_memory_is_recorded() {
    if !is_supported() {
        return;
    }
    let folder = folder();
    run_recorded(&folder, &build(&folder, &source("path/apart.c"), &["-O0"]));
    assert_eq!(calls_of("fib", &folder.path().join("path")), FIB_26);
}

#[test]
fn threads_are_recorded_side_by_side() {
    if !is_supported() {
        return;
    }
    let folder = folder();
    let program = build(&folder, &source("inside/threads.c"), &["-O1"]);
    run_recorded(&folder, &program);
    assert_eq!(calls_of("work", &folder.path().join("path")), 40_000);
}

#[test]
fn full_buffers_are_taken_once() {
    if !is_supported() {
        return;
    }
    let folder = folder();
    run_recorded(&folder, &build(&folder, &source("path/full.c"), &["-O0"]));
    assert_eq!(calls_of("fib", &folder.path().join("path")), 4 * FIB_26);
}

#[test]
fn text_that_goes_and_comes_is_recorded_as_it_is() {
    if !is_supported() {
        return;
    }
    let folder = folder();
    for name in ["one", "two"] {
        let mut compiler = Command::new("gcc");
        compiler.args(["-O1", "-shared", "-fPIC", "-o"]);
        compiler.arg(folder.path().join(format!("lib{name}.so")));
        compiler
            .arg(format!("-D{name}"))
            .arg(source("inside/library.c"));
        assert!(compiler.status().unwrap().success());
    }
    let program = build(&folder, &source("inside/reload.c"), &["-O1"]);
    let command = format!("{} {}", program.display(), folder.path().display());
    let plain = Command::new(&program).arg(folder.path()).output().unwrap();
    assert!(plain.stdout.ends_with(b"in the same place: 1\n"));
    let file = folder.path().join("path");
    let recorded = record(&file, &command);
    assert_eq!(recorded.stdout, plain.stdout, "{recorded:?}");
    assert!(
        recorded.status.success() && recorded.stderr.is_empty(),
        "{recorded:?}"
    );
}

/// The path of gzip that packs 97 KB: the command, where its own text is, and the runs of instructions there.
fn path_of_gzip(folder: &TempDir) -> (Command, Range<u64>, Vec<(u64, u64)>) {
    const PROGRAM: &str = "/usr/bin/gzip";
    let [text, file] = ["text", "path"].map(|name| folder.path().join(name));
    let mut state = 1u32;
    let mut letter = || {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        b'a' + (state >> 24) as u8 % 26
    };
    fs::write(&text, (0..97_000).map(|_| letter()).collect::<Vec<_>>()).unwrap();
    let text = text.to_str().unwrap();
    let recorded = record(&file, &format!("{PROGRAM} -1 -c {text}"));
    let mut gzip = Command::new(PROGRAM);
    gzip.args(["-1", "-c", text]);
    assert_eq!(recorded.stdout, gzip.output().unwrap().stdout);
    let lines = report(&file, &["--show", "json"]);
    let map = values(&lines).find(|value| value["map"] == PROGRAM);
    let map = map.unwrap();
    let [start, end] = ["start", "end"].map(|name| map[name].as_u64().unwrap());
    let mut runs = runs(&lines);
    runs.retain(|run| (start..end).contains(&run.0));
    (gzip, start..end, runs)
}

/// The instructions of gzip itself: millions of steps.
#[test]
#[ignore = "takes minutes"]
fn the_path_of_gzip_is_that_of_a_single_stepper() {
    if !is_supported() {
        return;
    }
    let folder = folder();
    let (mut gzip, text, runs) = path_of_gzip(&folder);
    gzip.stdout(fs::File::create(folder.path().join("packed")).unwrap());
    let steps = steps::of(&mut gzip, |pc| text.contains(&pc));
    assert!(steps.len() > 1_000_000, "{}", steps.len());
    compare(&runs, &steps);
}

/// The same by QEMU, which executes other functions of libc's, as its processor is another.
#[test]
#[ignore = "needs QEMU's user mode, and takes minutes"]
fn the_path_of_gzip_is_that_of_qemu() {
    if !is_supported() {
        return;
    }
    let folder = folder();
    let (gzip, text, runs) = path_of_gzip(&folder);
    let (there, mut steps) = qemu::of(&gzip);
    assert!(steps.len() > 1_000_000, "{}", steps.len());
    for step in &mut steps {
        *step = *step - there.start + text.start;
    }
    eprintln!("{} runs, {} instructions", runs.len(), steps.len());
    compare(&runs, &steps);
    let mut executed = BTreeMap::new();
    steps
        .into_iter()
        .for_each(|step| *executed.entry(step).or_default() += 1);
    let mut listed = listed(&folder.path().join("path"));
    listed.retain(|address, _| text.contains(address));
    assert!(listed == executed);
}

/// As many as `PROPTEST_CASES` says.
#[test]
fn paths_of_random_programs_are_those_of_a_single_stepper() {
    const CASES: u32 = 4;
    if !is_supported() {
        return;
    }
    let asked = std::env::var("PROPTEST_CASES").ok();
    let config = ProptestConfig {
        cases: asked.map_or(CASES, |cases| cases.parse().unwrap_or(CASES)),
        max_shrink_iters: 50,
        failure_persistence: None,
        ..ProptestConfig::default()
    };
    let folder = folder();
    let strategy = (
        random::functions(),
        prop::sample::select(vec!["-O0", "-O1", "-O2", "-Os"]),
    );
    let checked = TestRunner::new(config).run(&strategy, |(functions, level)| {
        let text = folder.path().join("random.c");
        let stepper = source("path/steps.c");
        let program = random::program(&functions);
        let program = format!("{program}#include \"{}\"\n", stepper.display());
        fs::write(&text, program).unwrap();
        let program = build(&folder, &text, &[level, "-static", "-D_GNU_SOURCE"]);
        let steps = steps::from_main(&program, &folder.path().join("steps"));
        check(&folder, &program, &steps);
        Ok(())
    });
    checked.unwrap();
}
