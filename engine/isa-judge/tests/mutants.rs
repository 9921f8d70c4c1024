//! Which judge sees which of the defects that can be built into the A32 plans. Built with
//! `RUSTFLAGS='--cfg trapline_mutants'` and the feature `unicorn`; without these there is nothing
//! here.
#![cfg(all(feature = "unicorn", trapline_mutants))]

use engine_isa::mutant::{self, Mutant};
use engine_isa_judge::arm::execution::{self, Limit};
use engine_isa_judge::arm::spelling::SET;
use engine_isa_judge::spelling;

/// Who sees a defect.
#[derive(Debug, PartialEq, Eq)]
struct Seen {
    /// The processor, on the cases that were kept.
    kept: bool,
    /// The processor, on cases by chance.
    executed: bool,
    /// The disassembler.
    read: bool,
}

fn seen(defect: Option<Mutant>) -> Seen {
    mutant::choose(defect);
    let limit = Limit {
        until: None,
        cases: 400_000,
        disagreements: 1,
    };
    let executed = execution::run(1, limit);
    for (case, _) in &executed.disagreements {
        println!("{case}");
    }
    let read = spelling::run(&SET, 1, 100_000, None);
    let seen = Seen {
        kept: !execution::replay().is_empty(),
        executed: !executed.disagreements.is_empty(),
        read: !read.unexplained.is_empty(),
    };
    mutant::choose(None);
    seen
}

/// Who should see it. A load that writes back to a register of its list does in the slot what it
/// does elsewhere, and is an instruction to any disassembler; that the manual leaves it open is for
/// the vectors to know. An exclusive access does the same in the slot as well, as long as no trap
/// comes between, but not all that is then accepted is an instruction.
fn expected(defect: Option<Mutant>) -> Seen {
    let (executed, read) = match defect {
        None | Some(Mutant::BaseInList) => (false, false),
        Some(Mutant::ExclusiveAccepted) => (false, true),
        Some(Mutant::DownByList) => (true, true),
        Some(_) => (true, false),
    };
    Seen {
        kept: executed,
        executed,
        read,
    }
}

/// One test, since the defect is chosen for all.
#[test]
fn every_defect_is_seen_by_the_judge_that_should() {
    let defects = Mutant::ARM.iter().map(|defect| Some(*defect));
    for defect in [None].into_iter().chain(defects) {
        let name = defect.map_or("none", Mutant::name);
        let seen = seen(defect);
        println!("{name:<20} {seen:?}");
        assert_eq!(seen, expected(defect), "{name}");
    }
}
