//! Programs as text, each with what a run of it does: `tests/vectors/*.txt`.
//!
//! A case begins with `== ` and what it shows. The lines behind it are a program (see `assemble`) and
//! what it runs in: `kernel` and `user` put a string at an address, `lend scratch` and `lend key`
//! say how many bytes a run is lent, `full` leaves no room for a record. What a run does
//! follows, each line behind `> `. With `TRAPLINE_BLESS=1` in the environment that is written anew.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::{env, fs};

use engine_abi::Fault;
use engine_dvm::{Builtin, Immediate, Memory, Op, Subroutine, Verified, run};

use crate::assemble::{Assembly, assemble, unescaped};
use crate::fake::{Fake, Region};

/// A case of a file.
struct Case<'a> {
    title: &'a str,
    lines: Vec<&'a str>,
    expected: Vec<&'a str>,
}

/// What came of it.
struct Outcome {
    assembly: Assembly,
    /// What is expected behind `> `.
    lines: Vec<String>,
    is_valid: bool,
    fault: Option<Fault>,
}

fn files() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/vectors");
    let entries = fs::read_dir(folder).unwrap();
    let mut files: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
    files.sort();
    assert!(!files.is_empty());
    files
}

/// The cases of a file, and the comments before them.
fn cases(text: &str) -> (&str, Vec<Case<'_>>) {
    let mut parts = text.split("\n== ");
    let head = parts.next().unwrap_or_default();
    let cases = parts.map(|part| {
        let mut lines = part.lines();
        let title = lines.next().unwrap_or_default();
        let lines = lines.filter(|line| !line.trim().is_empty());
        let (expected, lines): (Vec<&str>, Vec<&str>) =
            lines.partition(|line| line.starts_with("> "));
        Case {
            title,
            lines,
            expected: expected.iter().map(|line| &line[2..]).collect(),
        }
    });
    (head, cases.collect())
}

/// What a case runs in.
#[derive(Default)]
struct Surroundings {
    kernel: Vec<Region>,
    user: Vec<Region>,
    scratch: Option<usize>,
    key: Option<usize>,
    is_full: bool,
}

impl Surroundings {
    /// Takes a line that is about them; false if it is not.
    fn take(&mut self, line: &str) -> bool {
        let mut words = line.splitn(3, ' ');
        match (words.next(), words.next(), words.next()) {
            (Some("full"), None, None) => self.is_full = true,
            (Some("lend"), Some("scratch"), Some(size)) => self.scratch = size.parse().ok(),
            (Some("lend"), Some("key"), Some(size)) => self.key = size.parse().ok(),
            (Some("kernel"), Some(address), Some(text)) => self.kernel.push(region(address, text)),
            (Some("user"), Some(address), Some(text)) => self.user.push(region(address, text)),
            _ => return false,
        }
        true
    }
}

/// A string in memory, with zeros behind it up to a multiple of 64: memory ends where a page does.
fn region(address: &str, text: &str) -> Region {
    let address = u64::from_str_radix(address.strip_prefix("0x").unwrap(), 16).unwrap();
    let mut bytes = unescaped(text.trim_matches('"'));
    let end = (address + bytes.len() as u64).next_multiple_of(64);
    bytes.resize((end - address) as usize, 0);
    (address, bytes)
}

fn outcome(case: &Case<'_>) -> Outcome {
    let mut surroundings = Surroundings::default();
    let lines = case.lines.iter().copied();
    let program: Vec<&str> = lines.filter(|line| !surroundings.take(line)).collect();
    let assembly = assemble(&program);
    let program = match Verified::new(assembly.tables.block()) {
        Ok(program) => program,
        Err(invalid) => {
            return Outcome {
                assembly,
                lines: vec![format!("invalid: {invalid}")],
                is_valid: false,
                fault: None,
            };
        }
    };
    let mut fake = Fake::new(&program, &assembly.variables, &assembly.aggregations);
    fake.room = u32::from(!surroundings.is_full);
    fake.kernel = surroundings.kernel;
    fake.user = surroundings.user;
    let mut scratch = vec![
        0xa5;
        surroundings
            .scratch
            .unwrap_or(program.scratch() as usize + 1024)
    ];
    let mut key = vec![0xa5; surroundings.key.unwrap_or(program.key_size_max() as usize)];
    let memory = Memory {
        scratch: &mut scratch,
        key: &mut key,
    };
    let result = run(program.clause(0).unwrap(), memory, &mut fake);
    let mut lines = fake.log;
    if let Err(failure) = result {
        let (sentence, action, at) = (
            failure.fault.sentence(),
            failure.action,
            failure.instruction,
        );
        let address = failure.address;
        lines.push(format!(
            "{sentence} ({address:#x}) in action {action} at instruction {at}"
        ));
    }
    Outcome {
        assembly,
        lines,
        is_valid: true,
        fault: result.err().map(|failure| failure.fault),
    }
}

/// The file as it would be if every case did what it should.
fn blessed(text: &str) -> String {
    let (head, cases) = cases(text);
    let mut blessed = head.trim_end().to_owned();
    for case in &cases {
        blessed += &format!("\n\n== {}\n", case.title);
        case.lines
            .iter()
            .for_each(|line| blessed += &format!("{line}\n"));
        let outcome = outcome(case);
        outcome
            .lines
            .iter()
            .for_each(|line| blessed += &format!("> {line}\n"));
        blessed.truncate(blessed.trim_end().len());
    }
    blessed + "\n"
}

#[test]
fn every_program_does_what_its_case_says() {
    let is_blessing = env::var_os("TRAPLINE_BLESS").is_some();
    let mut wrong = String::new();
    for file in files() {
        let text = fs::read_to_string(&file).unwrap();
        if is_blessing {
            fs::write(&file, blessed(&text)).unwrap();
            continue;
        }
        for case in cases(&text).1 {
            let seen = outcome(&case).lines;
            if seen != case.expected {
                let name = file.file_name().unwrap().to_string_lossy();
                let (title, expected) = (case.title, case.expected.join("\n  "));
                let seen = seen.join("\n  ");
                wrong += &format!("\n{name}: {title}\n expected\n  {expected}\n seen\n  {seen}\n");
            }
        }
    }
    assert!(
        wrong.is_empty(),
        "{wrong}\nTRAPLINE_BLESS=1 cargo test -p engine-dvm writes what was seen"
    );
}

/// What cases can hit, by name.
#[derive(Default)]
struct Hits {
    ops: BTreeSet<u8>,
    builtins: BTreeSet<u32>,
    subroutines: BTreeSet<u32>,
    faults: BTreeSet<u32>,
}

impl Hits {
    fn add(&mut self, outcome: &Outcome) {
        self.faults.extend(outcome.fault.map(Fault::code));
        for instruction in outcome
            .assembly
            .tables
            .code
            .iter()
            .filter(|_| outcome.is_valid)
        {
            self.ops.insert(instruction.op);
            let op = Op::from_code(instruction.op).unwrap();
            match op.shape().immediate {
                Immediate::Builtin => self.builtins.insert(instruction.immediate),
                Immediate::Subroutine => self.subroutines.insert(instruction.immediate),
                _ => false,
            };
        }
    }
}

#[test]
fn every_op_builtin_subroutine_and_fault_has_a_case() {
    let mut hits = Hits::default();
    for file in files() {
        let text = fs::read_to_string(&file).unwrap();
        cases(&text)
            .1
            .iter()
            .for_each(|case| hits.add(&outcome(case)));
    }
    // Whom memory belongs to is not the machine's to know, and a stack that cannot be walked is empty.
    let others = [
        Fault::KernelPrivilege,
        Fault::UserPrivilege,
        Fault::BadStack,
    ];
    let ops = Op::ALL.iter().filter(|op| !hits.ops.contains(&op.code()));
    let builtins = Builtin::ALL
        .iter()
        .filter(|builtin| !hits.builtins.contains(&builtin.code()));
    let subroutines = Subroutine::ALL.iter();
    let subroutines = subroutines.filter(|known| !hits.subroutines.contains(&known.code()));
    let faults = Fault::ALL
        .iter()
        .filter(|fault| !hits.faults.contains(&fault.code()));
    let missed: Vec<&str> = (ops.map(|op| op.word()))
        .chain(builtins.map(|builtin| builtin.word()))
        .chain(subroutines.map(|subroutine| subroutine.word()))
        .chain(
            faults
                .filter(|fault| !others.contains(fault))
                .map(|fault| fault.sentence()),
        )
        .collect();
    assert!(missed.is_empty(), "no case hits {missed:?}");
}
