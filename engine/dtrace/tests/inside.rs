//! Traces processes without the module: `inside/*.c`, at each level of optimization, and programs of
//! the host.
#![cfg(all(target_os = "linux", target_env = "gnu"))]

#[path = "inside/attached.rs"]
mod attached;
#[path = "inside/children.rs"]
mod children;
#[path = "inside/fuzz.rs"]
mod fuzz;
#[path = "inside/late.rs"]
mod late;
#[path = "inside/random.rs"]
mod random;
#[path = "inside/records.rs"]
mod records;
#[path = "inside/signals.rs"]
mod signals;
#[path = "inside/stepper.rs"]
mod stepper;

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::FileExt;
use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output};
use std::thread::sleep;
use std::time::{Duration, Instant};

use tempfile::TempDir;

const SOURCES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/inside");
const LEVELS: [&str; 5] = ["-O0", "-O1", "-O2", "-O3", "-Os"];

/// A folder for a test's programs.
fn folder() -> TempDir {
    tempfile::tempdir().unwrap()
}

/// Compiles a program.
fn build(folder: &TempDir, name: &str, level: &str) -> PathBuf {
    let program = folder.path().join(format!("{name}{level}"));
    let status = Command::new("gcc")
        .args([level, "-g0", "-pthread", "-o"])
        .arg(&program)
        .arg(format!("{SOURCES}/{name}.c"))
        .status();
    assert!(status.unwrap().success());
    program
}

/// Builds a library of this source, in which `name` is defined. Returns its file.
fn build_library(folder: &TempDir, source: &str, name: &str) -> PathBuf {
    let library = folder.path().join(format!("lib{name}.so"));
    let status = Command::new("gcc")
        .args(["-O2", "-g0", "-shared", "-fPIC", "-o"])
        .arg(&library)
        .arg(format!("-D{name}"))
        .arg(format!("{SOURCES}/{source}.c"))
        .status();
    assert!(status.unwrap().success());
    library
}

fn dtrace(program: &str) -> Command {
    let mut dtrace = Command::new(env!("CARGO_BIN_EXE_dtrace"));
    dtrace.args(["-q", "-n", program]);
    dtrace
}

/// Runs a command under a program of D; returns its output and that of the program, which go to
/// different places.
fn trace(folder: &TempDir, program: &str, command: &str) -> (Output, String) {
    let file = folder.path().join("traced");
    // dtrace appends.
    let _ = fs::remove_file(&file);
    let output = dtrace(program)
        .arg("-o")
        .arg(&file)
        .args(["-c", command])
        .output()
        .unwrap();
    let traced = fs::read_to_string(file);
    let traced = traced.unwrap_or_else(|why| panic!("{command}: {why}: {output:?}"));
    (output, traced)
}

fn shell(command: &str) -> Output {
    Command::new("sh").args(["-c", command]).output().unwrap()
}

/// `NAME COUNT` in each line.
fn counts(text: &str) -> BTreeMap<String, u64> {
    let pair = |line: &str| {
        let (name, count) = line.trim().rsplit_once(' ')?;
        Some((name.trim().to_owned(), count.parse().ok()?))
    };
    text.lines().filter_map(pair).collect()
}

#[test]
fn counts_are_those_of_a_single_stepper() {
    let folder = folder();
    for level in LEVELS {
        let program = build(&folder, "shapes", level);
        let stepped = stepper::entries(&program);
        let every =
            "pid$target:a.out::entry { @[probefunc] = count(); } END { printa(\"%s %@d\\n\", @); }";
        let (output, traced) = trace(&folder, every, program.to_str().unwrap());
        let plain = Command::new(&program).output().unwrap();
        assert_eq!(output.stdout, plain.stdout, "{level}");
        let errors = String::from_utf8_lossy(&output.stderr);
        assert_eq!(errors, "", "{level}");
        let traced = counts(&traced);
        assert!(traced.len() > 15, "{level}: {traced:?}");
        for (name, count) in &traced {
            assert_eq!(stepped.get(name), Some(count), "{level} {name}");
        }
        let hit = stepped.iter().filter(|(_, count)| **count > 0);
        for (name, _) in hit {
            assert!(traced.contains_key(name), "{level} {name} is not there");
        }
    }
}

#[test]
fn functions_return_as_often_as_they_are_entered() {
    let folder = folder();
    let names = [
        "empty",
        "fibonacci",
        "constant",
        "length",
        "choose",
        "dispatch",
        "mean",
        "combine",
    ];
    for level in LEVELS {
        let program = build(&folder, "shapes", level);
        let both = "pid$target:a.out::entry, pid$target:a.out::return { @[probefunc, probename] = count(); }
            pid$target:a.out:fibonacci:return { @values = sum(arg1); }
            END { printa(\"%s:%s %@d\\n\", @); printa(\"values %@d\\n\", @values); }";
        let (output, traced) = trace(&folder, both, program.to_str().unwrap());
        assert_eq!(
            output.stdout,
            Command::new(&program).output().unwrap().stdout
        );
        let traced = counts(&traced);
        // A part that the compiler has moved away is a function of its own: a jump to it is a return.
        let is_whole = |name: &&str| !traced.contains_key(&format!("{name}.cold:entry"));
        for name in names.into_iter().filter(is_whole) {
            let of = |probe| traced.get(&format!("{name}:{probe}"));
            assert!(
                of("entry").is_some_and(|count| *count >= 50),
                "{level} {name}: {traced:?}"
            );
            assert_eq!(of("entry"), of("return"), "{level} {name}");
        }
        assert!(traced["values"] > 0);
    }
}

/// The text of a process that is mapped from files: addresses, what is there, and what is in the file.
fn texts(pid: u32) -> Vec<(u64, Vec<u8>, Vec<u8>)> {
    let maps = fs::read_to_string(format!("/proc/{pid}/maps")).unwrap();
    let memory = fs::File::open(format!("/proc/{pid}/mem")).unwrap();
    let text = |line: &str| {
        let words: Vec<&str> = line.split_whitespace().collect();
        let &[range, "r-xp", offset, _, _, path] = words.as_slice() else {
            return None;
        };
        let file = fs::File::open(path).ok()?;
        let (start, end) = range.split_once('-')?;
        let [start, end, offset] =
            [start, end, offset].map(|it| u64::from_str_radix(it, 16).unwrap());
        let mut there = vec![0; (end - start) as usize];
        let mut original = there.clone();
        // Behind the end of the file there is nothing of it.
        let length = file.read_at(&mut original, offset).unwrap();
        original.truncate(length);
        there.truncate(length);
        memory.read_exact_at(&mut there, start).unwrap();
        Some((start, there, original))
    };
    maps.lines().filter_map(text).collect()
}

/// The jumps in the text of a process, and the number of traps: where it is not its file's.
fn patched(pid: u32) -> (Vec<u64>, usize) {
    const JUMP: u8 = 0xe9;
    let (mut jumps, mut traps) = (Vec::new(), 0);
    for (start, there, original) in texts(pid) {
        let mut place = 0;
        while place + 5 <= there.len() {
            let is_jump = there[place] == JUMP;
            if is_jump && there[place..place + 5] != original[place..place + 5] {
                jumps.push(start + place as u64);
                place += 4;
            } else if there[place] != original[place] {
                traps += 1;
            }
            place += 1;
        }
    }
    (jumps, traps)
}

#[test]
fn jumps_take_the_place_of_traps() {
    if std::env::consts::ARCH != "x86_64" {
        return;
    }
    let folder = folder();
    let program = build(&folder, "loop", "-O2");
    let file = folder.path().join("traced");
    let own = "BEGIN { printf(\"%d\\n\", $target); } pid$target:::entry { @ = count(); }";
    let mut command = dtrace(own);
    command.arg("-o").arg(&file).arg("-c").arg(&program);
    let mut command = command.args(["-x", "switchrate=10ms"]).spawn().unwrap();
    let pid = || fs::read_to_string(&file).ok()?.lines().next()?.parse().ok();
    wait_until(|| pid().is_some());
    let (jumps, traps) = patched(pid().unwrap());
    command.kill().unwrap();
    command.wait().unwrap();
    let jumps = jumps.len();
    // As many functions as a C library has: Debian 13's some 2,350.
    assert!(jumps > 2000, "{jumps} jumps, {traps} traps");
    assert!(traps * 20 < jumps, "{jumps} jumps, {traps} traps");
}

#[test]
fn traps_alone_count_the_same() {
    let folder = folder();
    let program = build(&folder, "shapes", "-O2");
    let own =
        "pid$target:a.out::entry, pid$target:a.out::return { @[probefunc, probename] = count(); }
        END { printa(\"%s:%s %@d\\n\", @); }";
    let of = |mechanism: &str| {
        let own = format!("#pragma D option pidmech={mechanism}\n{own}");
        let (output, traced) = trace(&folder, &own, program.to_str().unwrap());
        (output.stdout, counts(&traced))
    };
    let (output, counted) = of("trap");
    assert_eq!(output, Command::new(&program).output().unwrap().stdout);
    assert!(counted.len() > 30, "{counted:?}");
    assert_eq!((output, counted), of("inline"));
}

#[test]
fn whole_libraries_are_traced_and_nothing_changes() {
    let folder = folder();
    let all =
        "pid$target:::entry, pid$target:::return { @ = count(); } END { printa(\"%@d\\n\", @); }";
    for command in [
        "bash -c 'cd /; for i in 1 2 3; do echo $i | cat; done; exit 7'",
        "gzip -1c /bin/sh",
        "ls -lR /etc/default",
        "awk 'BEGIN { for (i = 0; i < 100; i++) s += sin(i); print s }'",
        "sort -r /etc/passwd",
        "tar cf - -C /etc passwd",
        "sh -c 'sleep 0.01 & wait; kill -TERM $$'",
    ] {
        let plain = shell(command);
        let (output, traced) = trace(&folder, all, command);
        assert_eq!(output.stdout, plain.stdout, "{command}");
        let hits: u64 = traced
            .trim()
            .parse()
            .unwrap_or_else(|_| panic!("{command}: {traced} {output:?}"));
        assert!(hits > 500, "{command}: {hits}");
    }
}

/// The folder that `TRAPLINE_PROGRAMS` names has a file `commands`, each of whose lines is run there.
#[test]
#[ignore = "needs a folder of built programs: doc/testing.md"]
fn programs_of_a_folder_run_as_they_do_alone() {
    let programs = PathBuf::from(std::env::var_os("TRAPLINE_PROGRAMS").unwrap());
    let commands = fs::read_to_string(programs.join("commands")).unwrap();
    let folder = folder();
    let traced = folder.path().join("traced");
    let all = "pid$target:a.out::entry, pid$target:a.out::return { @ = count(); }";
    for command in commands.lines().filter(|line| !line.is_empty()) {
        let words = shlex::split(command).unwrap();
        let plain = Command::new(fs::canonicalize(programs.join(&words[0])).unwrap())
            .arg0(&words[0])
            .args(&words[1..])
            .current_dir(&programs)
            .output()
            .unwrap();
        let output = Command::new(env!("CARGO_BIN_EXE_dtrace"))
            .args(["-n", all, "-c", command, "-o"])
            .arg(&traced)
            .current_dir(&programs)
            .output()
            .unwrap();
        assert!(output.stdout == plain.stdout, "{command}");
        let errors = String::from_utf8_lossy(&output.stderr);
        let (told, own): (Vec<&str>, Vec<&str>) = errors
            .lines()
            .partition(|line| line.starts_with("dtrace: "));
        let plain_errors = String::from_utf8_lossy(&plain.stderr);
        assert_eq!(own, plain_errors.lines().collect::<Vec<_>>(), "{command}");
        let end = match plain.status.code() {
            Some(0) => "has exited".to_owned(),
            code => format!("exited with status {}", code.unwrap()),
        };
        assert!(told.iter().any(|line| line.ends_with(&end)), "{told:?}");
        let mut refused = told.iter().filter(|line| line.contains("cannot be placed"));
        assert!(
            refused.all(|line| line.contains("it never returns")),
            "{told:?}"
        );
        println!("{command}: {told:?}");
    }
}

#[test]
fn panics_unwind_through_traced_functions() {
    let folder = folder();
    for level in ["0", "2", "3", "s"] {
        let program = folder.path().join(format!("panics{level}"));
        let rustc = std::env::var_os("RUSTC").unwrap_or("rustc".into());
        let status = Command::new(rustc)
            .args(["--edition=2024", &format!("-Copt-level={level}"), "-o"])
            .arg(&program)
            .arg(format!("{SOURCES}/panics.rs"))
            .status();
        assert!(status.unwrap().success());
        let plain = Command::new(&program).output().unwrap();
        assert!(plain.status.success());
        let all = "pid$target:::entry, pid$target:::return { @ = count(); }";
        let (output, _) = trace(&folder, all, program.to_str().unwrap());
        assert_eq!(output.stdout, plain.stdout, "{level}: {output:?}");
    }
}

#[test]
fn the_end_of_a_command_is_reported_as_it_was() {
    for (command, end) in [
        ("sh -c 'exit 7'", "exited with status 7"),
        ("sh -c 'kill -TERM $$'", "terminated by SIGTERM"),
        ("true", "has exited"),
    ] {
        let program = "pid$target:libc.so.6::entry { @ = count(); }";
        let output = Command::new(env!("CARGO_BIN_EXE_dtrace"))
            .args(["-n", program, "-c", command])
            .output();
        let told = String::from_utf8(output.unwrap().stderr).unwrap();
        assert!(told.trim_end().ends_with(end), "{command}: {told}");
    }
}

/// The program's folder, its path and what it prints. Its assembly is of x86-64 only.
fn numbers() -> Option<(TempDir, String, String)> {
    if std::env::consts::ARCH != "x86_64" {
        return None;
    }
    let folder = folder();
    let program = build(&folder, "numbers", "-O0");
    let plain = Command::new(&program).output().unwrap();
    assert!(plain.status.success());
    let plain = String::from_utf8(plain.stdout).unwrap();
    Some((folder, program.to_str().unwrap().to_owned(), plain))
}

#[test]
fn functions_whose_names_are_too_long_have_probes() {
    let folder = folder();
    let program = build(&folder, "names", "-O1");
    let long = "pid$target:a.out:long_*:entry { @[probefunc] = count(); }
        END { printa(\"%s %@d\\n\", @); }";
    let (_, traced) = trace(&folder, long, program.to_str().unwrap());
    let traced = counts(&traced);
    let lengths: Vec<_> = traced
        .iter()
        .map(|(name, hits)| (name.len(), *hits))
        .collect();
    // Two of them differ only in what does not fit.
    assert_eq!(lengths, [(191, 5)]);
}

#[test]
fn another_library_can_take_the_place_of_one() {
    let folder = folder();
    for name in ["one", "two"] {
        build_library(&folder, "library", name);
    }
    let program = build(&folder, "reload", "-O2");
    let command = format!("{} {}", program.display(), folder.path().display());
    let plain = shell(&command);
    let all = "pid$target:libone.so::entry, pid$target:libtwo.so::return { @ = count(); }
        pid$target:libone.so:only_one:entry, pid$target:libtwo.so:only_two:entry { @own[probefunc] = count(); }
        END { printa(\"%s %@d\\n\", @own); }";
    let (output, traced) = trace(&folder, all, &command);
    assert_eq!(output.stdout, plain.stdout);
    let traced = counts(&traced);
    assert_eq!([traced["only_one"], traced["only_two"]], [30, 30]);
}

/// Waits until `is_so`, for half a minute at most.
fn wait_until(is_so: impl Fn() -> bool) {
    let begun = Instant::now();
    while !is_so() {
        assert!(begun.elapsed() < Duration::from_secs(30));
        sleep(Duration::from_millis(20));
    }
}

#[test]
fn no_hit_is_counted_that_follows_the_end() {
    let folder = folder();
    let program = build(&folder, "until", "-O1");
    let program = program.to_str().unwrap();
    let all = "pid$target:a.out:work:entry { @ = count(); }";
    let (_, traced) = trace(&folder, all, program);
    assert_eq!(traced.trim(), "2000");
    for ends in [
        "pid$target:a.out:last:entry { exit(0); }",
        "pid$target:a.out:last:entry { trace(*(int *)0); } ERROR { exit(0); }",
    ] {
        let (_, traced) = trace(&folder, &format!("{all} {ends}"), program);
        assert_eq!(traced.trim(), "1000", "{ends}");
    }
}

#[test]
fn it_needs_no_privilege() {
    let folder = folder();
    let program = build(&folder, "children", "-O1");
    let command = folder.path().join("dtrace");
    // Another process writes it: while we did, a child of another test could inherit it, open for writing, and it
    // would not be executed (execve(2), ETXTBSY).
    let mut copy = Command::new("cp");
    copy.args([Path::new(env!("CARGO_BIN_EXE_dtrace")), &command]);
    assert!(copy.status().unwrap().success());
    // Whatever umask(2) has left.
    for path in [folder.path(), &command, &program] {
        fs::set_permissions(path, PermissionsExt::from_mode(0o755)).unwrap();
    }
    let mut traced = Command::new(command);
    traced
        .args([
            "-q",
            "-n",
            "pid$target:a.out:work:entry { @ = count(); }",
            "-c",
        ])
        .arg(program);
    if rustix::process::getuid().is_root() {
        traced.uid(65534).gid(65534);
    }
    let output = traced.output().unwrap();
    let text = String::from_utf8_lossy(&output.stdout);
    assert_eq!(text.split_whitespace().last(), Some("10"), "{output:?}");
}

#[test]
fn a_static_program_is_traced() {
    let folder = folder();
    let program = folder.path().join("static");
    let status = Command::new("gcc")
        .args(["-O2", "-static", "-o"])
        .arg(&program)
        .arg(format!("{SOURCES}/shapes.c"))
        .status();
    assert!(status.unwrap().success());
    let all = "pid$target:a.out::entry, pid$target:a.out::return { @ = count(); }
        pid$target:a.out:land:entry { @land = count(); } END { printa(\"%@d\\n\", @land); }";
    let (output, traced) = trace(&folder, all, program.to_str().unwrap());
    assert_eq!(
        output.stdout,
        Command::new(&program).output().unwrap().stdout
    );
    assert_eq!(traced.lines().next(), Some("50"));
}

#[test]
fn what_cannot_be_traced_is_said() {
    let told = |program: &str, command: &[&str]| {
        let mut dtrace = dtrace(program);
        dtrace.args(command);
        let output = dtrace.output().unwrap();
        assert_eq!(output.status.code(), Some(1));
        String::from_utf8(output.stderr).unwrap()
    };
    let several = told("pid1:a.out::entry, pid2:a.out::entry { @ = count(); }", &[]);
    assert!(
        several.contains("one process can be traced at a time"),
        "{several}"
    );
}
