//! What the threads of a program make that is not recorded is told.

use super::*;

/// Records the program without -q; returns what is said, and the summary.
fn recorded(options: &str) -> (String, String) {
    let folder = folder();
    let program = build(&folder, &source("path/children.c"), &["-O1"]);
    let plain = Command::new(&program)
        .args(options.split_whitespace())
        .output()
        .unwrap();
    let file = folder.path().join("path");
    let mut dtrace = Command::new(env!("CARGO_BIN_EXE_dtrace"));
    let command = format!("{} {options}", program.display());
    dtrace.arg("--path").arg(&file).args(["-c", &command]);
    let output = dtrace.output().unwrap();
    assert_eq!(output.stdout, plain.stdout, "{output:?}");
    assert!(output.status.success(), "{output:?}");
    let said = String::from_utf8(output.stderr).unwrap();
    (said, report(&file, &[]))
}

#[test]
fn processes_that_are_not_recorded_are_told() {
    if !is_supported() {
        return;
    }
    let (said, summary) = recorded("");
    let told = "3 processes that it made";
    assert!(said.contains(&format!("not recorded: {told}\n")), "{said}");
    assert!(
        summary.contains(&format!("not recorded  {told}\n")),
        "{summary}"
    );
    assert!(
        !said.contains("executed") && !summary.contains("executed"),
        "{summary}"
    );
    let makes = summary.lines().filter(|line| line.contains(" makes "));
    let (own, others): (Vec<_>, Vec<_>) = makes.partition(|line| line.ends_with(", not recorded"));
    assert_eq!((own.len(), others.len()), (3, 1), "{summary}");
}

#[test]
fn a_thread_that_is_not_recorded_any_more_is_told() {
    if !is_supported() {
        return;
    }
    let (said, summary) = recorded("leave");
    let told = "the rest of a thread";
    assert!(said.contains(&format!("not recorded: {told}\n")), "{said}");
    assert!(
        summary.contains(&format!("not recorded  {told}\n")),
        "{summary}"
    );
    assert!(summary.contains("not recorded from"), "{summary}");
}

#[test]
fn a_program_that_is_executed_is_told() {
    if !is_supported() {
        return;
    }
    let (said, summary) = recorded("execute");
    let told = "the program that it executed";
    assert!(said.contains(&format!("not recorded: {told}\n")), "{said}");
    assert!(
        summary.contains(&format!("not recorded  {told}\n")),
        "{summary}"
    );
}
