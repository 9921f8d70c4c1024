//! The vectors in a process, on the host: there a debugger is what changes instructions.

use std::env::consts::ARCH;
use std::fs::{self, File};
use std::io::{BufRead, BufReader, Write};
use std::os::unix::fs::FileExt;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};

use engine_objects::{Object, Objects, Process};
use tempfile::TempDir;

/// A program that waits for its probes.
struct Waiting {
    child: Child,
    folder: TempDir,
}

impl Waiting {
    fn start() -> Self {
        let folder = TempDir::new().unwrap();
        let mut child = Command::new(env!("CARGO_BIN_EXE_trapline-native"))
            .arg("--process")
            .args([folder.path(), &vectors()])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut line = String::new();
        let output = child.stdout.as_mut().unwrap();
        // A byte at a time, so that what follows is left.
        BufReader::with_capacity(1, output)
            .read_line(&mut line)
            .unwrap();
        assert_eq!(line, "ready\n");
        Self { child, folder }
    }

    /// The object, as the pid provider sees it.
    fn object(&self) -> Object {
        let process = Process::open(self.child.id()).unwrap();
        let objects = Objects::of(&process).unwrap();
        let mut objects = objects
            .iter()
            .filter(|it| it.answers_to(|name| name == "vectors"));
        objects.next().unwrap().clone()
    }

    /// Where the vectors are, by their names.
    fn addresses(&self) -> Vec<(String, u64)> {
        let object = self.object();
        let functions = object.functions(&[]);
        assert_eq!(functions.faults(), []);
        let named = functions.iter().map(|it| {
            let name = it.name().into_owned();
            (name, it.address.wrapping_add(object.bias()))
        });
        named.collect()
    }

    /// What it says in the end; whether nothing differed; and the hits that it expects.
    fn end(mut self) -> (String, bool, String) {
        self.child.stdin.take().unwrap().write_all(b"\n").unwrap();
        let output = self.child.wait_with_output().unwrap();
        let hits = fs::read_to_string(self.folder.path().join("hits")).unwrap();
        let said = String::from_utf8(output.stdout).unwrap();
        (said, output.status.success(), hits)
    }
}

/// A file of vectors that this machine can execute.
fn vectors() -> PathBuf {
    let name = match ARCH {
        "arm" => "arm/pack.txt",
        "aarch64" => "arm64/register.txt",
        _ => "x86/arithmetic.txt",
    };
    PathBuf::from("../../engine/isa/vectors").join(name)
}

#[test]
fn nothing_differs_without_probes() {
    let (said, is_good, hits) = Waiting::start().end();
    assert!(is_good, "{said}");
    assert!(said.ends_with("differences: 0\n"), "{said}");
    assert!(hits.starts_with("vector_0000:0 "), "{hits}");
}

#[test]
fn each_vector_is_a_function_of_the_object() {
    let program = Waiting::start();
    let addresses = program.addresses();
    let (_, _, hits) = program.end();
    let expected = hits.lines().map(|line| line.split_once(':').unwrap().0);
    assert!(addresses.iter().map(|(name, _)| name).eq(expected));
}

#[test]
fn an_instruction_that_is_not_executed_is_noticed() {
    let program = Waiting::start();
    let [(_, first), ..] = program.addresses()[..] else {
        panic!("no vectors");
    };
    let memory = format!("/proc/{}/mem", program.child.id());
    let memory = File::options().read(true).write(true).open(memory).unwrap();
    let mut exit = [0; 4];
    // Pages are filled with exits.
    memory.read_exact_at(&mut exit, first - 64).unwrap();
    memory.write_all_at(&exit, first).unwrap();
    let (said, is_good, _) = program.end();
    assert!(!is_good && !said.ends_with("differences: 0\n"), "{said}");
}
