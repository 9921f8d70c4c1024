//! Shrinks a disagreement: the registers that remain are the relevant ones.

use crate::case::Verdict;
use crate::regression::Case;
use crate::set::Set;

/// The smallest case derived from this one that still disagrees.
pub fn shrink<S: Set>(case: Case<S>) -> Case<S> {
    let mut smallest = case;
    while let Some(smaller) = smaller(&smallest).into_iter().find(disagrees) {
        smallest = smaller;
    }
    smallest
}

/// Whether a new processor disagrees with our plan.
pub fn disagrees<S: Set>(case: &Case<S>) -> bool {
    matches!(case.judge(), Verdict::Disagree(_))
}

/// Simpler cases: without the wide registers, without one register, without one flag, or with a
/// simpler instruction.
fn smaller<S: Set>(case: &Case<S>) -> Vec<Case<S>> {
    let mut found = Vec::new();
    let mut with = |change: &dyn Fn(&mut Case<S>)| {
        let mut smaller = case.clone();
        change(&mut smaller);
        if smaller != *case {
            found.push(smaller);
        }
    };
    with(&|case| case.state[S::CORE..].fill(0));
    let registers = (0..case.state.count()).filter(|place| ![S::PC, S::FLAGS].contains(place));
    for register in registers {
        with(&|case| case.state[register] = 0);
    }
    for flag in (0..64).filter(|flag| S::FREE_FLAGS >> flag & 1 == 1) {
        with(&|case| case.state[S::FLAGS] &= !(1 << flag));
    }
    for instruction in S::simpler(case.instruction) {
        with(&|case| case.instruction = instruction);
    }
    found
}
