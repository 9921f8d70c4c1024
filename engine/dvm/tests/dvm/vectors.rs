//! Assembled programs with the effects of a run: `tests/vectors/*.txt`.
//!
//! A case begins with `== ` and its title. The next lines are a program (see `assemble`) and its
//! environment: `kernel` and `user` put a string at an address, `lend scratch`, `lend heap` and
//! `lend key` set the sizes of the memory lent, `full` leaves no room for a record. The effects of the run follow,
//! each line after `> `. `TRAPLINE_BLESS=1` in the environment updates them.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::{env, fs};

use engine_abi::Fault;
use engine_dvm::{Builtin, Clause, Failure, Immediate, Memory, Op, Subroutine, Verified, run};

use crate::assemble::{Assembly, assemble, unescaped};
use crate::fake::{Fake, Region};

/// A case of a file.
pub struct Case<'a> {
    pub title: &'a str,
    lines: Vec<&'a str>,
    expected: Vec<&'a str>,
}

impl<'a> Case<'a> {
    /// Parses the case after a `== `.
    fn of(text: &'a str) -> Self {
        let mut lines = text.lines();
        let title = lines.next().unwrap_or_default();
        let lines = lines.filter(|line| !line.trim().is_empty());
        let (expected, lines): (Vec<&str>, Vec<&str>) =
            lines.partition(|line| line.starts_with("> "));
        Self {
            title,
            lines,
            expected: expected.iter().map(|line| &line[2..]).collect(),
        }
    }

    /// Its program, and its environment.
    fn split(&self) -> (Assembly, Surroundings) {
        let mut surroundings = Surroundings::default();
        let lines = self.lines.iter().copied();
        let program: Vec<&str> = lines.filter(|line| !surroundings.take(line)).collect();
        (assemble(&program), surroundings)
    }

    /// Its program.
    pub fn assembly(&self) -> Assembly {
        self.split().0
    }

    /// The effects of a run, and the fault that ends it.
    fn outcome(&self) -> (Vec<String>, Option<Fault>) {
        let (assembly, surroundings) = self.split();
        let program = match Verified::new(assembly.tables.block()) {
            Ok(program) => program,
            Err(invalid) => return (vec![format!("invalid: {invalid}")], None),
        };
        let mut fake = Fake::new(&program, &assembly.variables, &assembly.aggregations);
        let result = surroundings.run(&program, program.clause(0).unwrap(), &mut fake);
        let failure = result.err();
        let lines = fake.log.into_iter().chain(failure.map(shown)).collect();
        (lines, failure.map(|failure| failure.fault))
    }
}

fn shown(failure: Failure) -> String {
    let (sentence, address) = (failure.fault.sentence(), failure.address);
    let (action, at) = (failure.action, failure.instruction);
    format!("{sentence} ({address:#x}) in action {action} at instruction {at}")
}

/// The environment of a case.
#[derive(Default)]
struct Surroundings {
    kernel: Vec<Region>,
    user: Vec<Region>,
    scratch: Option<usize>,
    heap: Option<usize>,
    key: Option<usize>,
    is_full: bool,
}

impl Surroundings {
    /// Parses a line of the environment; false if it is not one.
    fn take(&mut self, line: &str) -> bool {
        let mut words = line.splitn(3, ' ');
        match (words.next(), words.next(), words.next()) {
            (Some("full"), None, None) => self.is_full = true,
            (Some("lend"), Some("scratch"), Some(size)) => self.scratch = size.parse().ok(),
            (Some("lend"), Some("heap"), Some(size)) => self.heap = size.parse().ok(),
            (Some("lend"), Some("key"), Some(size)) => self.key = size.parse().ok(),
            (Some("kernel"), Some(address), Some(text)) => self.kernel.push(region(address, text)),
            (Some("user"), Some(address), Some(text)) => self.user.push(region(address, text)),
            _ => return false,
        }
        true
    }

    /// Runs a clause in it.
    fn run(
        self,
        program: &Verified<Vec<u64>>,
        clause: Clause<'_>,
        fake: &mut Fake,
    ) -> Result<(), Failure> {
        fake.room = u32::from(!self.is_full);
        fake.kernel = self.kernel;
        fake.user = self.user;
        let scratch = self.scratch.unwrap_or(program.scratch() as usize + 1024);
        let heap = self.heap.unwrap_or(1024);
        let key = self.key.unwrap_or(program.key_size_max() as usize);
        let mut tokens = vec![0xa5; program.tokens() as usize];
        tokens[0] = 0;
        let memory = Memory {
            registers: &mut [0xa5; 16],
            scratch: &mut vec![0xa5; scratch],
            heap: &mut vec![0xa5; heap],
            tokens: &mut tokens,
            key: &mut vec![0xa5; key],
        };
        run(clause, memory, fake)
    }
}

/// A string in memory, padded with zeros to a multiple of 64: memory ends at a page boundary.
fn region(address: &str, text: &str) -> Region {
    let address = u64::from_str_radix(address.strip_prefix("0x").unwrap(), 16).unwrap();
    let mut bytes = unescaped(text.trim_matches('"'));
    let end = (address + bytes.len() as u64).next_multiple_of(64);
    bytes.resize((end - address) as usize, 0);
    (address, bytes)
}

fn paths() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/vectors");
    let entries = fs::read_dir(folder).unwrap();
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    assert!(!paths.is_empty());
    paths
}

/// The cases of a file, and the comments before them.
fn cases(text: &str) -> (&str, Vec<Case<'_>>) {
    let mut parts = text.split("\n== ");
    let head = parts.next().unwrap_or_default();
    (head, parts.map(Case::of).collect())
}

/// Calls `work` with every case and its file's name.
pub fn each_case(mut work: impl FnMut(&str, &Case<'_>)) {
    for path in paths() {
        let name = path.file_name().unwrap().to_string_lossy();
        let text = fs::read_to_string(&path).unwrap();
        cases(&text).1.iter().for_each(|case| work(&name, case));
    }
}

/// The file with the actual effects.
fn blessed(text: &str) -> String {
    let (head, cases) = cases(text);
    let mut blessed = head.trim_end().to_owned();
    for case in &cases {
        let lines = case.lines.iter().map(|line| format!("{line}\n"));
        let outcome = case.outcome().0.into_iter();
        let lines = lines.chain(outcome.map(|line| format!("> {line}\n")));
        let lines: String = lines.collect();
        blessed += &format!("\n\n== {}\n{}", case.title, lines.trim_end());
    }
    blessed.trim_end().to_owned() + "\n"
}

#[test]
fn every_program_does_what_its_case_says() {
    if env::var_os("TRAPLINE_BLESS").is_some() {
        for path in paths() {
            let text = fs::read_to_string(&path).unwrap();
            fs::write(&path, blessed(&text)).unwrap();
        }
    }
    let mut wrong = String::new();
    each_case(|file, case| {
        let seen = case.outcome().0;
        if seen != case.expected {
            let (title, expected) = (case.title, case.expected.join("\n  "));
            let seen = seen.join("\n  ");
            wrong += &format!("\n{file}: {title}\n expected\n  {expected}\n seen\n  {seen}\n");
        }
    });
    assert!(
        wrong.is_empty(),
        "{wrong}\nTRAPLINE_BLESS=1 cargo test -p engine-dvm writes what was seen"
    );
}

/// What the cases cover, by code.
#[derive(Default)]
struct Hits {
    ops: BTreeSet<u8>,
    builtins: BTreeSet<u32>,
    subroutines: BTreeSet<u32>,
    faults: BTreeSet<u32>,
}

impl Hits {
    fn add(&mut self, case: &Case<'_>) {
        let tables = case.assembly().tables;
        if Verified::new(tables.block()).is_err() {
            return;
        }
        self.faults.extend(case.outcome().1.map(Fault::code));
        for instruction in tables.code {
            self.ops.insert(instruction.op);
            match Op::from_code(instruction.op).unwrap().shape().immediate {
                Immediate::Builtin => self.builtins.insert(instruction.immediate),
                Immediate::Subroutine => self.subroutines.insert(instruction.immediate),
                _ => false,
            };
        }
    }

    /// What they do not cover, by name.
    fn missed(&self) -> Vec<&'static str> {
        let ops = Op::ALL.iter().filter(|op| !self.ops.contains(&op.code()));
        let builtins = Builtin::ALL.iter();
        let builtins = builtins.filter(|builtin| !self.builtins.contains(&builtin.code()));
        let subroutines = Subroutine::ALL.iter();
        let subroutines = subroutines.filter(|known| !self.subroutines.contains(&known.code()));
        let faults = Fault::ALL.iter();
        let faults = faults.filter(|fault| !self.faults.contains(&fault.code()));
        ops.map(|op| op.word())
            .chain(builtins.map(|builtin| builtin.word()))
            .chain(subroutines.map(|subroutine| subroutine.word()))
            .chain(faults.map(|fault| fault.sentence()))
            .collect()
    }
}

#[test]
fn every_op_builtin_subroutine_and_fault_has_a_case() {
    let mut hits = Hits::default();
    each_case(|_, case| hits.add(case));
    // The machine does not know who owns memory, and a stack that cannot be walked is empty.
    let others = [
        Fault::KernelPrivilege,
        Fault::UserPrivilege,
        Fault::BadStack,
    ];
    assert_eq!(
        hits.missed(),
        others.map(Fault::sentence),
        "no case hits them"
    );
}
