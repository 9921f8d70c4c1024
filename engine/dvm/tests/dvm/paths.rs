//! The verifier compared with an enumeration of all paths: code that it accepts goes wrong on no
//! path, and where it reports that some path goes wrong, one does.

use std::collections::BTreeSet;

use engine_abi::{FieldKind, FieldRow, Instruction};
use engine_dvm::{Invalid, Op, Place, Subroutine, Verified, Why};
use proptest::collection::vec;
use proptest::prelude::*;

use engine_testkit::block::Tables;
use engine_testkit::tally::Property;

/// A point on a path, and the state there.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Point {
    at: usize,
    /// A bit for each register that is set.
    set: u16,
    is_open: bool,
    pushed: usize,
}

/// Everything that goes wrong on some path, by instruction.
fn wrongs(code: &[Instruction]) -> BTreeSet<(usize, &'static str)> {
    let start = Point {
        at: 0,
        set: 1,
        is_open: false,
        pushed: 0,
    };
    let (mut seen, mut ahead) = (BTreeSet::new(), vec![start]);
    let mut wrongs = BTreeSet::new();
    while let Some(point) = ahead.pop() {
        if !seen.insert(point) {
            continue;
        }
        let Some(instruction) = code.get(point.at) else {
            wrongs.insert((point.at - 1, Why::FallsOff.sentence()));
            continue;
        };
        let wrong = wrong(point, instruction);
        wrongs.extend(wrong.map(|why| (point.at, why.sentence())));
        ahead.extend(next(point, instruction));
    }
    wrongs
}

/// What goes wrong when an instruction is executed.
fn wrong(point: Point, instruction: &Instruction) -> Option<Why> {
    let is_set = |register: u8| point.set >> register & 1 == 1;
    let wrong = match Op::from_code(instruction.op).unwrap() {
        _ if !is_set(instruction.a) => Why::Unset,
        Op::Open if point.is_open => Why::OpenTwice,
        Op::Rec if !point.is_open => Why::NotOpen,
        Op::Call if point.pushed != 1 => Why::Arguments,
        Op::Push if point.pushed == 16 => Why::PushedTooMuch,
        _ => return None,
    };
    Some(wrong)
}

/// The successors of a point.
fn next(point: Point, instruction: &Instruction) -> Vec<Point> {
    let op = Op::from_code(instruction.op).unwrap();
    let behind = Point {
        at: point.at + 1,
        set: point.set | 1 << instruction.d,
        is_open: point.is_open || op == Op::Open,
        pushed: match op {
            Op::Push => point.pushed + 1,
            Op::Call => 0,
            _ => point.pushed,
        },
    };
    let at = instruction.immediate as usize;
    match op {
        Op::Ret => vec![],
        Op::Ba => vec![Point { at, ..behind }],
        Op::Bz => vec![behind, Point { at, ..behind }],
        _ => vec![behind],
    }
}

/// Code of the instructions that determine the paths and the state on them.
fn code() -> impl Strategy<Value = Vec<Instruction>> {
    let ops = prop_oneof![
        9 => Just(Op::Seti),
        2 => Just(Op::Mov),
        1 => Just(Op::Open),
        1 => Just(Op::Rec),
        2 => Just(Op::Ba),
        6 => Just(Op::Bz),
        1 => Just(Op::Ret),
        1 => Just(Op::Push),
        2 => Just(Op::Call),
    ];
    // Reads prefer low registers, which are set sooner.
    let read = prop_oneof![3 => Just(0_u8), 2 => Just(1), 1 => 2..4_u8];
    let set = prop_oneof![3 => Just(1_u8), 1 => 2..4_u8];
    vec((ops, set, read, 1..6_u32), 1..24).prop_map(|choices| {
        let mut code = Vec::new();
        for (op, d, a, ahead) in choices {
            // Mostly, a call gets the argument that it needs.
            if op == Op::Call && ahead < 5 {
                code.push(instruction(Op::Push, 0, 0, 0));
            }
            code.push(instruction(op, d, a, ahead));
        }
        finished(code)
    })
}

/// An op with those of the operands that it uses; a branch goes `ahead` instructions.
fn instruction(op: Op, d: u8, a: u8, ahead: u32) -> Instruction {
    let shape = op.shape();
    Instruction {
        op: op.code(),
        d: if shape.writes_d { d } else { 0 },
        a: if shape.reads_a { a } else { 0 },
        b: 0,
        immediate: match op {
            Op::Ba | Op::Bz => ahead,
            Op::Call => Subroutine::Strlen.code(),
            _ => 0,
        },
    }
}

/// Appends a `ret`, and limits branches to it.
fn finished(mut code: Vec<Instruction>) -> Vec<Instruction> {
    let last = code.len() as u32;
    for (at, instruction) in (0..).zip(&mut code) {
        if matches!(Op::from_code(instruction.op), Some(Op::Ba | Op::Bz)) {
            instruction.immediate = (at + instruction.immediate).min(last);
        }
    }
    code.push(instruction(Op::Ret, 0, 0, 0));
    code
}

fn verified(code: &[Instruction]) -> Result<(), Invalid> {
    let mut tables = Tables::new(64);
    tables.code = code.to_vec();
    tables.fields.push(FieldRow {
        size: 8,
        kind: FieldKind::Scalar.code(),
        ..FieldRow::default()
    });
    tables.clause(8);
    Verified::new(tables.block()).map(|_| ())
}

/// Whether code is accepted; an error if the verdict is wrong.
fn judge(code: &[Instruction]) -> Result<bool, TestCaseError> {
    let wrongs = wrongs(code);
    let Err(Invalid { place, why }) = verified(code) else {
        prop_assert!(wrongs.is_empty(), "accepted, but {:?}", wrongs);
        return Ok(true);
    };
    let Place::Instruction { at, .. } = place else {
        return Err(TestCaseError::fail(format!("{place}")));
    };
    // Keys are checked within a basic block, which is stricter than a path.
    let holds = why == Why::Pushed || wrongs.contains(&(at as usize, why.sentence()));
    prop_assert!(holds, "{} {}", place, why.sentence());
    Ok(false)
}

#[test]
fn what_is_said_of_code_holds_on_its_paths() -> Result<(), String> {
    let property = Property {
        file: file!(),
        name: "code by chance",
        accepted: 15,
    };
    property.hold(code(), |code| judge(&code))
}
