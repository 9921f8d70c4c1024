//! Which check detects which seeded defect. Built with `RUSTFLAGS='--cfg trapline_mutants'` and the
//! feature `unicorn`; empty otherwise.
#![cfg(all(feature = "unicorn", trapline_mutants))]

use std::sync::Mutex;

use engine_isa::mutant::{self, Mutant};
use engine_isa_judge::arm::set::A32;
use engine_isa_judge::arm64::places::A64;
use engine_isa_judge::execution::{self, Limit};
use engine_isa_judge::set::Set;
use engine_isa_judge::t32::set::T32;
use engine_isa_judge::x86::set::X86;
use engine_isa_judge::{arm, arm64, spelling, t32, x86};

/// Which checks detect a defect.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Seen {
    /// Execution of the regression cases, if there are any.
    kept: bool,
    /// Execution of random cases.
    executed: bool,
    /// Disassembly.
    read: bool,
}

fn seen<S: Set>(defect: Option<Mutant>, reader: &spelling::Set<S::Instruction>) -> Seen {
    mutant::choose(defect);
    let limit = Limit {
        until: None,
        cases: 400_000,
        disagreements: 1,
    };
    let executed = execution::run::<S>(S::PROCESSORS, 1, limit);
    for (case, _) in &executed.disagreements {
        println!("{case}");
    }
    let read = spelling::run(reader, 1, 100_000, None);
    let seen = Seen {
        kept: !execution::replay::<S>().is_empty(),
        executed: !executed.disagreements.is_empty(),
        read: !read.unexplained.is_empty(),
    };
    mutant::choose(None);
    seen
}

/// Whether execution and disassembly detect a defect, by the last columns of its row in
/// doc/testing.md.
fn documented(mutant: &str) -> [bool; 2] {
    let text = include_str!("../../../doc/testing.md");
    let begins = format!("| `{mutant}` |");
    let row = text.lines().find(|line| line.starts_with(&begins));
    let row = row.unwrap_or_else(|| panic!("{mutant} is in no table"));
    let cells: Vec<_> = row
        .trim_end_matches('|')
        .split('|')
        .map(str::trim)
        .collect();
    let [.., executed, read] = cells[..] else {
        panic!("{row}");
    };
    [executed == "yes", read == "yes"]
}

/// The active defect is global to the process.
static ONE_AT_A_TIME: Mutex<()> = Mutex::new(());

/// Checks each defect of a set, and the absence of one, against what should detect it.
fn each_is_seen<S: Set>(
    defects: &[Mutant],
    reader: &spelling::Set<S::Instruction>,
    expected: impl Fn(Mutant) -> (bool, bool),
) {
    let _chosen = ONE_AT_A_TIME.lock();
    let mut otherwise = Vec::new();
    let defects = defects.iter().map(|defect| Some(*defect));
    for defect in [None].into_iter().chain(defects) {
        let name = defect.map_or("none", Mutant::name);
        let seen = seen::<S>(defect, reader);
        println!("{name:<20} {seen:?}");
        let (executed, read) = defect.map_or((false, false), &expected);
        if defect.is_some() {
            assert_eq!(
                [executed, read],
                documented(name),
                "{name} in doc/testing.md"
            );
        }
        // Regression cases need not cover a defect, but must not fail if random cases do not.
        let is_expected = [seen.executed, seen.read] == [executed, read];
        if !is_expected || seen.kept && !executed {
            otherwise.push(name);
        }
    }
    assert!(otherwise.is_empty(), "{otherwise:?}");
}

/// A load that writes back to a register of its list has the same effect in the slot, and every
/// disassembler knows it; only the vectors know that the manual leaves it unpredictable. An
/// exclusive access also has the same effect in the slot unless a trap intervenes, but some words
/// that are then accepted are undefined.
fn of_arm(defect: Mutant) -> (bool, bool) {
    match defect {
        Mutant::BaseInList => (false, false),
        Mutant::ExclusiveAccepted => (false, true),
        Mutant::DownByList => (true, true),
        _ => (true, false),
    }
}

/// As of A32: a base in the list, and sp, have the same effect in the slot; and of exclusive stores
/// only the words that are then accepted though there are none are seen.
fn of_t32(defect: Mutant) -> (bool, bool) {
    match defect {
        Mutant::BlockBase | Mutant::StackOperand => (false, false),
        Mutant::ExclusiveKept => (false, true),
        Mutant::SignOfBranch => (true, true),
        _ => (true, false),
    }
}

/// A store that writes back its own register, and a load pair into one register, have the same
/// effect in the slot, though capstone does not know them. An exclusive store by itself fails in
/// the slot as well.
fn of_arm64(defect: Mutant) -> (bool, bool) {
    match defect {
        Mutant::StoreExclusive => (false, false),
        Mutant::MovedBase | Mutant::PairOnce => (false, true),
        _ => (true, false),
    }
}

/// An interrupt in between cannot be seen with a single instruction.
fn of_x86(defect: Mutant) -> (bool, bool) {
    match defect {
        Mutant::AnyAddress | Mutant::ShadowIgnored => (false, false),
        Mutant::LockAnywhere => (false, true),
        Mutant::ImmediateOfFour
        | Mutant::LowRegister
        | Mutant::ReleaseIgnored
        | Mutant::SegmentIgnored
        | Mutant::SibWithoutBase => (true, true),
        _ => (true, false),
    }
}

#[test]
fn every_defect_of_arm_is_seen_by_the_judge_that_should() {
    each_is_seen::<A32>(Mutant::ARM, &arm::spelling::SET, of_arm);
}

#[test]
fn every_defect_of_t32_is_seen_by_the_judge_that_should() {
    each_is_seen::<T32>(Mutant::T32, &t32::spelling::SET, of_t32);
}

#[test]
fn every_defect_of_arm64_is_seen_by_the_judge_that_should() {
    each_is_seen::<A64>(Mutant::ARM64, &arm64::spelling::SET, of_arm64);
}

#[test]
fn every_defect_of_x86_is_seen_by_the_judge_that_should() {
    each_is_seen::<X86>(Mutant::X86, &x86::spelling::SET, of_x86);
}
