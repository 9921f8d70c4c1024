//! A disagreement made as small as it can be: what is left of the registers is what it is about.

use engine_isa::arm;

use super::case::Verdict;
use super::regression::Case;

/// The smallest case near this one on which there still is a disagreement.
pub fn shrink(case: Case) -> Case {
    let mut smallest = case;
    while let Some(smaller) = smaller(&smallest).into_iter().find(disagrees) {
        smallest = smaller;
    }
    smallest
}

/// Whether a processor that has executed nothing before disagrees with us.
pub fn disagrees(case: &Case) -> bool {
    matches!(case.judge(), Verdict::Disagree(_))
}

/// Cases that are simpler than this one, each in one thing.
fn smaller(case: &Case) -> Vec<Case> {
    let mut found = Vec::new();
    let mut with = |change: &dyn Fn(&mut Case)| {
        let mut smaller = case.clone();
        change(&mut smaller);
        if smaller != *case {
            found.push(smaller);
        }
    };
    for register in 0..15 {
        with(&|case| case.state.r[register] = 0);
    }
    with(&|case| case.state.d = [0; 32]);
    for register in 0..32 {
        with(&|case| case.state.d[register] = 0);
    }
    with(&|case| case.state.fpscr = 0);
    for flag in (6..32).filter(|flag| case.state.cpsr >> flag & 1 == 1) {
        with(&|case| case.state.cpsr &= !(1 << flag));
    }
    let row = arm::row(case.word);
    for bit in 0..32 {
        let word = case.word & !(1 << bit);
        if arm::row(word) == row {
            with(&|case| case.word = word);
        }
    }
    found
}
