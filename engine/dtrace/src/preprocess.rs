//! Runs the C preprocessor on scripts (`-C`).

use std::env::consts::ARCH;
use std::io::{self, ErrorKind, Write};
use std::process::{Command, Stdio};
use std::thread;

use thiserror::Error;

use crate::setting::Preprocessor;

/// Why a script cannot be preprocessed.
#[derive(Debug, Error)]
pub enum Failure {
    /// There is no preprocessor.
    #[error("Preprocessor not found: {0}: set its path with -x cpppath")]
    Missing(String),
    /// It cannot be run.
    #[error("Failed to execute preprocessor {0}: {1}")]
    Execute(String, io::Error),
    /// It failed; it has said why.
    #[error("Preprocessor failed to process input program: {0}: {1}")]
    Status(String, std::process::ExitStatus),
}

/// The output for a script of this name, for a kernel with pointers of `pointer` bytes.
pub fn run(
    how: &Preprocessor,
    name: &str,
    source: &[u8],
    pointer: u32,
) -> Result<Vec<u8>, Failure> {
    let cannot = |why: io::Error| match why.kind() {
        ErrorKind::NotFound => Failure::Missing(how.path.clone()),
        _ => Failure::Execute(how.path.clone(), why),
    };
    let mut child = Command::new(&how.path)
        .arg("-undef")
        .args(macros(pointer).map(|it| format!("-D{it}")))
        .args(how.prints_headers.then_some("-H"))
        .args(&how.arguments)
        .arg("-")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .map_err(cannot)?;
    let input = input(name, source);
    // It writes while it reads, so neither may wait for the other.
    let writer = child.stdin.take().map(|mut stdin| {
        thread::spawn(move || {
            // It may fail before it has read everything; its status tells.
            let _ = stdin.write_all(&input);
        })
    });
    let output = child.wait_with_output().map_err(cannot)?;
    if let Some(writer) = writer {
        let _ = writer.join();
    }
    if output.status.success() {
        Ok(output.stdout)
    } else {
        Err(Failure::Status(how.path.clone(), output.status))
    }
}

/// The script under its own name. A line `#!` is no directive, but stays a line.
fn input(name: &str, source: &[u8]) -> Vec<u8> {
    let name = name.replace('\\', "\\\\").replace('"', "\\\"");
    let mut input = format!("#line 1 \"{name}\"\n").into_bytes();
    let is_interpreters = source.starts_with(b"#!");
    let first = source.iter().position(|byte| *byte == b'\n');
    let skipped = first.unwrap_or(source.len());
    let begin = if is_interpreters { skipped } else { 0 };
    input.extend_from_slice(source.get(begin..).unwrap_or_default());
    input
}

/// What DTrace defines, and the names of the machine, which `-undef` removes.
fn macros(pointer: u32) -> impl Iterator<Item = String> {
    const ALWAYS: [&str; 7] = [
        "__linux",
        "__Linux",
        "__unix",
        "__SVR4",
        "__SUNW_D=1",
        // Of DTrace 2.0.0, in its own encoding: 8, 12 and 12 bits.
        "__SUNW_D_VERSION=0x02000000",
        "_DTRACE_VERSION=1",
    ];
    let machine: &[&str] = match ARCH {
        "x86_64" => &["__amd64", "__amd64__", "__x86_64", "__x86_64__"],
        "aarch64" => &["__aarch64__"],
        "arm" => &["__arm", "__arm__"],
        _ => &[],
    };
    let model = format!("__SUNW_D_{}", 8 * pointer);
    let all = ALWAYS.iter().chain(machine).map(|it| (*it).to_owned());
    all.chain([model])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_input_has_the_scripts_name_and_lines() {
        let input = |source: &[u8]| String::from_utf8(input("a\"b\\.d", source)).unwrap();
        let line = "#line 1 \"a\\\"b\\\\.d\"\n";
        assert_eq!(input(b"BEGIN"), format!("{line}BEGIN"));
        assert_eq!(
            input(b"#!/usr/sbin/dtrace -Cs\nBEGIN"),
            format!("{line}\nBEGIN")
        );
        assert_eq!(input(b"#!x"), line);
    }
}
