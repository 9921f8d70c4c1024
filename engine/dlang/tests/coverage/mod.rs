//! What the programs do not cover: every error tag, op, built-in variable, subroutine, aggregating
//! function and action must occur in one of them.

use std::collections::BTreeSet;

use engine_abi::{AggregateFunction, Instruction, ProgramHeader};
use engine_dlang::Tag;
use engine_dlang::program::{self, Action};
use engine_dvm::{Builtin, Op, Subroutine};
use libtest_mimic::{Failed, Trial};
use zerocopy::FromBytes;

use crate::program::Program;

/// The names of the actions that the command performs.
const ACTIONS: [&str; 14] = [
    "Clear",
    "Denormalize",
    "Exit",
    "Freopen",
    "Ftruncate",
    "Normalize",
    "Printa",
    "Printf",
    "Setopt",
    "Stack",
    "System",
    "Trace",
    "Tracemem",
    "Trunc",
];

/// A trial for each thing that must occur.
pub fn trials(programs: Vec<Program>) -> Vec<Trial> {
    let mistakes = programs.clone();
    vec![
        Trial::test("coverage: error tags", move || {
            let mistakes = mistakes.iter().filter_map(|it| it.compile(8).err());
            let found = mistakes.map(|error| error.tag.word()).collect();
            // Whether an option can be set is up to the command, and a kernel is no part of a test.
            let elsewhere = [
                Tag::PragmaOptset,
                Tag::SymNotypes,
                Tag::PragmaDepend,
                Tag::ArgsIdx,
                Tag::ArgsMulti,
                Tag::ArgsType,
                Tag::ArgsXlator,
            ];
            let wanted = Tag::ALL.iter().filter(|tag| !elsewhere.contains(tag));
            missing(&found, wanted.map(|tag| tag.word()))
        }),
        Trial::test("coverage: the machine", move || {
            let compiled = programs.iter().filter_map(|it| it.compile(8).ok());
            let found = compiled.flat_map(|it| used(&it)).collect();
            missing(&found, wanted())
        }),
    ]
}

fn missing<'a>(
    found: &BTreeSet<&'a str>,
    wanted: impl Iterator<Item = &'a str>,
) -> Result<(), Failed> {
    let missing: Vec<&str> = wanted.filter(|it| !found.contains(it)).collect();
    if missing.is_empty() {
        return Ok(());
    }
    Err(format!("in no program: {}", missing.join(" ")).into())
}

fn wanted() -> impl Iterator<Item = &'static str> {
    let ops = Op::ALL.iter().map(|it| it.word());
    let builtins = Builtin::ALL.iter().map(|it| it.word());
    let subroutines = Subroutine::ALL.iter().map(|it| it.word());
    let functions = AggregateFunction::ALL.iter().map(|it| it.word());
    ops.chain(builtins)
        .chain(subroutines)
        .chain(functions)
        .chain(ACTIONS)
}

/// What a compiled program uses.
fn used(program: &program::Program) -> Vec<&'static str> {
    let mut words = Vec::new();
    for instruction in instructions(&program.block) {
        let op = Op::from_code(instruction.op).expect("it was verified");
        words.push(op.word());
        let immediate = instruction.immediate;
        match op {
            Op::Ldb => words.extend(Builtin::from_code(immediate).map(Builtin::word)),
            Op::Call => words.extend(Subroutine::from_code(immediate).map(Subroutine::word)),
            _ => {}
        }
    }
    words.extend(program.aggregations.iter().map(|it| it.function.word()));
    let actions = program.clauses.iter().flat_map(|clause| &clause.actions);
    words.extend(actions.map(action));
    words
}

fn action(action: &Action) -> &'static str {
    match action {
        Action::Trace(_) => "Trace",
        Action::Stack(_) => "Stack",
        Action::Printf(..) => "Printf",
        Action::Printa(..) => "Printa",
        Action::Exit(_) => "Exit",
        Action::Clear(_) => "Clear",
        Action::Trunc(..) => "Trunc",
        Action::Normalize(..) => "Normalize",
        Action::Denormalize(_) => "Denormalize",
        Action::System(..) => "System",
        Action::Freopen(..) => "Freopen",
        Action::Ftruncate => "Ftruncate",
        Action::Setopt(..) => "Setopt",
        Action::Tracemem(..) => "Tracemem",
        Action::Print(..) => "Print",
    }
}

fn instructions(block: &[u64]) -> Vec<Instruction> {
    let bytes: Vec<u8> = block.iter().flat_map(|word| word.to_ne_bytes()).collect();
    let (header, rest) = ProgramHeader::read_from_prefix(&bytes).expect("it was verified");
    let begin = header.clauses as usize * size_of::<engine_abi::ClauseRow>();
    let rows = rest[begin..].chunks_exact(size_of::<Instruction>());
    rows.take(header.code as usize)
        .map(|row| Instruction::read_from_bytes(row).expect("it has the size"))
        .collect()
}
