//! Runs every program among the language's test data that has an output beside it, in process, and
//! compares all that it prints.
//!
//! `NAME.out` holds what `dtrace -s NAME.d` prints on standard output; behind it, where there is any, a
//! line `-- stderr` and what it prints on standard error, and a line `-- status N`. With
//! `TRAPLINE_BLESS=1` what is printed becomes what is expected.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Output};

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

/// Programs with an output beside them.
fn find(folder: &Path, files: &mut Vec<PathBuf>) -> std::io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            find(&path, files)?;
        } else if path.extension().is_some_and(|it| it == "d")
            && path.with_extension("out").exists()
        {
            files.push(path);
        }
    }
    Ok(())
}

fn judge(name: &str, file: &Path) -> Result<(), Failed> {
    let expected_in = file.with_extension("out");
    let expected = fs::read_to_string(&expected_in)?;
    let output = Command::new(env!("CARGO_BIN_EXE_dtrace"))
        .args(["-s", name])
        .current_dir(PROGRAMS)
        .env("_DTRACE_TESTING", "1")
        .env("TZ", "UTC")
        .output()?;
    let printed = report(&output);
    if printed == expected {
        return Ok(());
    }
    if std::env::var_os("TRAPLINE_BLESS").is_some() {
        return Ok(fs::write(expected_in, printed)?);
    }
    let diff = TextDiff::from_lines(&expected, &printed);
    let diff = diff
        .unified_diff()
        .header("expected", "printed")
        .to_string();
    Err(format!(
        "{diff}\nif this is right: TRAPLINE_BLESS=1 cargo test -p engine-dtrace --test programs -- {name}"
    )
    .into())
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
