//! Which judge sees which of the defects that can be built into the A32 plans. Built with
//! `RUSTFLAGS='--cfg trapline_mutants'` and the feature `unicorn`; without these there is nothing
//! here.
#![cfg(all(feature = "unicorn", trapline_mutants))]

use engine_isa::mutant::{self, Mutant};
use engine_isa_judge::arm::execution::{self, Limit};
use engine_isa_judge::arm::spelling::SET;
use engine_isa_judge::spelling;

/// Whether the processor sees a defect, and whether the disassembler does.
fn seen(defect: Option<Mutant>) -> [bool; 2] {
    mutant::choose(defect);
    let limit = Limit {
        until: None,
        cases: 400_000,
        disagreements: 1,
    };
    let executed = execution::run(1, limit);
    let read = spelling::run(&SET, 1, 100_000, None);
    mutant::choose(None);
    [
        !executed.disagreements.is_empty(),
        !read.unexplained.is_empty(),
    ]
}

/// What should see it. A load that writes back to a register of its list does in the slot what it
/// does elsewhere, and is an instruction to any disassembler; that the manual leaves it open is for
/// the vectors to know.
fn expected(defect: Mutant) -> [bool; 2] {
    match defect {
        Mutant::BaseInList => [false, false],
        Mutant::ExclusiveAccepted => [false, true],
        Mutant::DownByList => [true, true],
        _ => [true, false],
    }
}

/// One test, since the defect is chosen for all.
#[test]
fn every_defect_is_seen_by_the_judge_that_should() {
    assert_eq!(seen(None), [false, false], "without a defect");
    for &defect in Mutant::ALL {
        let seen = seen(Some(defect));
        println!(
            "{:<20} Unicorn {} capstone {}",
            defect.name(),
            seen[0],
            seen[1]
        );
        assert_eq!(seen, expected(defect), "{}", defect.name());
    }
}
