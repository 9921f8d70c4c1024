//! Actions that the command performs itself, with output to a file.

use std::fs;
use std::path::PathBuf;
use std::process::Command;

/// A file that does not exist.
fn file(name: &str) -> PathBuf {
    let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = fs::remove_file(&path);
    path
}

/// Runs a program with output to a file; what standard output was, and standard error.
fn dtrace(output: &str, program: &str, arguments: &[&str]) -> (String, String) {
    let ran = Command::new(env!("CARGO_BIN_EXE_dtrace"))
        .args(["-qw", "-o", output, "-n", program])
        .args(arguments)
        .output()
        .unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    (text(ran.stdout), text(ran.stderr))
}

#[test]
fn freopen_replaces_the_output_file() {
    let (first, second) = (file("freopen.first"), file("freopen.second"));
    let program = r#"BEGIN {
        printf("one\n"); freopen("%s", $$1); printf("two\n"); freopen(""); printf("three\n");
        freopen("%s", $$1); printf("four\n"); exit(0);
    }"#;
    let paths = [first.to_str().unwrap(), second.to_str().unwrap()];
    let (stdout, stderr) = dtrace(paths[0], program, &paths[1..]);
    assert_eq!((stdout.as_str(), stderr.as_str()), ("", ""));
    assert_eq!(fs::read_to_string(first).unwrap(), "one\nthree\n");
    assert_eq!(fs::read_to_string(second).unwrap(), "two\nfour\n\n");
}

#[test]
fn ftruncate_empties_the_output_file() {
    let path = file("ftruncate");
    fs::write(&path, "before\n").unwrap();
    let program = r#"BEGIN { printf("lost\n"); ftruncate(); printf("kept\n"); exit(0); }"#;
    dtrace(path.to_str().unwrap(), program, &[]);
    assert_eq!(fs::read_to_string(path).unwrap(), "kept\n\n");
}

#[test]
fn commands_print_on_standard_output() {
    let path = file("system");
    let program = r#"BEGIN { printf("to the file\n"); system("echo to the terminal"); exit(0); }"#;
    let (stdout, _) = dtrace(path.to_str().unwrap(), program, &[]);
    assert_eq!(stdout, "to the terminal\n");
    assert_eq!(fs::read_to_string(path).unwrap(), "to the file\n\n");
}

/// Only what BEGIN recorded would be printed before an hour has passed.
#[test]
fn rates_can_change_while_tracing() {
    let path = file("setopt");
    let program = r#"
        BEGIN { setopt("switchrate", "10ms"); }
        tick-20ms { printf("tick\n"); ticks++; }
        tick-20ms /ticks == 3/ { system("kill -TERM %d", $pid); }"#;
    dtrace(
        path.to_str().unwrap(),
        program,
        &["-xstatusrate=10ms", "-xswitchrate=1h"],
    );
    let text = fs::read_to_string(path).unwrap();
    assert!(text.starts_with("tick\ntick\ntick\n"), "{text}");
}
