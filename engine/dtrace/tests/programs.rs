//! Runs the programs among the language's test data, in process, and compares all that is printed.
//!
//! `NAME.d` is a script and `NAME.n` what `-n` is given; `NAME.args` are macro arguments, one a line.
//! `NAME.err` is what the command says of a program that does not compile. `NAME.out` is what one that
//! runs prints on standard output; behind it, where there is any, a line `-- stderr` and what it prints on
//! standard error, and a line `-- status N`. CPUs and probe IDs are left out (`_DTRACE_TESTING`). With
//! `TRAPLINE_BLESS=1` what a program prints becomes what is expected.

use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Output};
use std::{fs, io};

use libtest_mimic::{Arguments, Failed, Trial, run};
use similar::TextDiff;

/// Where the programs are.
const PROGRAMS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../dlang/tests/programs");

fn main() -> ExitCode {
    let arguments = Arguments::from_args();
    let programs = Path::new(PROGRAMS);
    let mut files = Vec::new();
    if let Err(why) = find(programs, &mut files) {
        eprintln!("{PROGRAMS}: {why}");
        return ExitCode::FAILURE;
    }
    files.sort();
    let trials = files.into_iter().filter_map(|file| {
        let name = file.strip_prefix(programs).ok()?.to_str()?.to_owned();
        Some(Trial::test(name.clone(), move || judge(&name, &file)))
    });
    run(&arguments, trials.collect()).exit_code()
}

/// Programs with an expectation beside them.
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

fn judge(name: &str, file: &Path) -> Result<(), Failed> {
    let output = dtrace(name, file)?;
    let message = file.with_extension("err");
    if message.exists() {
        let said = format!("-- stderr\n{}-- status 1\n", fs::read_to_string(message)?);
        return compare(
            &said,
            &report(&output),
            "what is said of it is the compiler's to bless",
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

fn dtrace(name: &str, file: &Path) -> io::Result<Output> {
    let source = match file.extension().is_some_and(|it| it == "n") {
        true => [
            "-n".to_owned(),
            fs::read_to_string(file)?.trim_end().to_owned(),
        ],
        false => ["-s".to_owned(), name.to_owned()],
    };
    let arguments = fs::read_to_string(file.with_extension("args")).unwrap_or_default();
    Command::new(env!("CARGO_BIN_EXE_dtrace"))
        .arg("-xerrtags")
        .args(source)
        .args(arguments.lines())
        .current_dir(PROGRAMS)
        .env("_DTRACE_TESTING", "1")
        .env("TZ", "UTC")
        .output()
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

/// All that a run has printed, as it is written down.
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
