//! Runs D programs with the engine in process and compares all output: those in `programs/`, which
//! test the command, and those of the language's test data.
//!
//! `NAME.d` is a script, `NAME.n` an argument of `-n`; `NAME.args` has macro arguments, one a line.
//! `NAME.err` is the error for a program that does not compile. `NAME.out` is the standard output
//! of one that runs, followed, if there is any, by a line `-- stderr` and the standard error, and
//! by a line `-- status N`. CPUs and probe IDs are omitted (`_DTRACE_TESTING`). `TRAPLINE_BLESS=1`
//! updates the expectations instead of comparing.

use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Output, Stdio};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::Duration;
use std::{fs, io, thread};

use libtest_mimic::{Arguments, Failed, Trial, run};
use rustix::process::{Pid, Signal, kill_process};
use similar::TextDiff;

/// Where the programs are.
const FOLDERS: [&str; 2] = [
    concat!(env!("CARGO_MANIFEST_DIR"), "/tests/programs"),
    concat!(env!("CARGO_MANIFEST_DIR"), "/../dlang/programs"),
];

/// How long a program may run.
const TIMEOUT: Duration = Duration::from_secs(60);

fn main() -> ExitCode {
    let arguments = Arguments::from_args();
    let mut trials = Vec::new();
    for folder in FOLDERS {
        let mut files = Vec::new();
        if let Err(why) = find(Path::new(folder), &mut files) {
            eprintln!("{folder}: {why}");
            return ExitCode::FAILURE;
        }
        files.sort();
        trials.extend(files.into_iter().filter_map(|file| trial(folder, file)));
    }
    run(&arguments, trials).exit_code()
}

fn trial(folder: &'static str, file: PathBuf) -> Option<Trial> {
    let name = file.strip_prefix(folder).ok()?.to_str()?.to_owned();
    Some(Trial::test(name.clone(), move || {
        check(folder, &name, &file)
    }))
}

/// Finds programs that have an expectation.
fn find(folder: &Path, files: &mut Vec<PathBuf>) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        let is = |extension| path.extension().is_some_and(|it| it == extension);
        let has = |extension| path.with_extension(extension).exists();
        if path.is_dir() {
            find(&path, files)?;
        } else if (is("d") || is("n")) && (has("out") || has("err")) {
            files.push(path);
        }
    }
    Ok(())
}

fn check(folder: &str, name: &str, file: &Path) -> Result<(), Failed> {
    let output = dtrace(folder, name, file)?;
    let message = file.with_extension("err");
    if message.exists() {
        let said = format!("-- stderr\n{}-- status 1\n", fs::read_to_string(message)?);
        return compare(
            &said,
            &report(&output),
            "the error's expectation belongs to the compiler's tests",
        );
    }
    let expected = file.with_extension("out");
    let printed = report(&output);
    if std::env::var_os("TRAPLINE_BLESS").is_some() {
        return Ok(fs::write(expected, printed)?);
    }
    let bless = format!(
        "if this is right: TRAPLINE_BLESS=1 cargo test -p engine-dtrace --test programs -- {name}"
    );
    compare(&fs::read_to_string(expected)?, &printed, &bless)
}

fn dtrace(folder: &str, name: &str, file: &Path) -> io::Result<Output> {
    let source = match file.extension().is_some_and(|it| it == "n") {
        true => [
            "-n".to_owned(),
            fs::read_to_string(file)?.trim_end().to_owned(),
        ],
        false => ["-s".to_owned(), name.to_owned()],
    };
    let arguments = fs::read_to_string(file.with_extension("args")).unwrap_or_default();
    let child = Command::new(env!("CARGO_BIN_EXE_dtrace"))
        .arg("-xerrtags")
        .args(source)
        .args(arguments.lines())
        .current_dir(folder)
        .env("_DTRACE_TESTING", "1")
        .env("TZ", "UTC")
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()?;
    let pid = Pid::from_child(&child);
    let (over, is_over) = channel::<()>();
    thread::spawn(move || {
        if let Err(RecvTimeoutError::Timeout) = is_over.recv_timeout(TIMEOUT) {
            // Fails if the program has just exited, which is fine.
            let _ = kill_process(pid, Signal::KILL);
        }
    });
    let output = child.wait_with_output();
    drop(over);
    output
}

fn compare(expected: &str, printed: &str, otherwise: &str) -> Result<(), Failed> {
    if printed == expected {
        return Ok(());
    }
    let diff = TextDiff::from_lines(expected, printed);
    let diff = diff
        .unified_diff()
        .header("expected", "printed")
        .to_string();
    Err(format!("{diff}\n{otherwise}").into())
}

/// All output of a run, in the format of the expectations.
fn report(output: &Output) -> String {
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let mut report = text(&output.stdout);
    if !output.stderr.is_empty() {
        report += "-- stderr\n";
        report += &text(&output.stderr);
    }
    match output.status.code() {
        Some(0) => {}
        Some(status) => report += &format!("-- status {status}\n"),
        None => report += &format!("-- {}\n", output.status),
    }
    report
}
