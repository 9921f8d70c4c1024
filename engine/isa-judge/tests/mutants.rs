//! Which judge sees which of the defects that can be built into the A32 plans:
//! `RUSTFLAGS="--cfg trapline_mutants" cargo test -p engine-isa-judge --features unicorn --test
//! mutants`. What neither sees is for the vectors.

#![cfg(all(feature = "unicorn", trapline_mutants))]

use engine_isa::mutant::{self, Mutant};
use engine_isa_judge::arm::execution::{self, Limit};
use engine_isa_judge::arm::spelling::SET;
use engine_isa_judge::spelling;

/// Who sees a defect: the processor, the disassembler.
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

#[test]
fn every_defect_is_seen_by_the_judge_that_should() {
    assert_eq!(seen(None), [false, false], "without a defect");
    for &defect in Mutant::ALL {
        let [executed, read] = seen(Some(defect));
        println!("{:20} Unicorn {executed:5} capstone {read}", defect.name());
    }
}
