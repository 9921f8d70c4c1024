//! The tests detect seeded defects: each one is detected by the vectors, the model, the slots of
//! x86 or the walks as the tables in doc/testing.md say, and without a defect nothing is. Built
//! with `RUSTFLAGS='--cfg trapline_mutants'`; empty otherwise.
#![cfg(trapline_mutants)]

use engine_isa::mutant::{Mutant, choose};

mod arm;
mod arm64;
#[path = "../body/arm.rs"]
mod bodies_of_arm;
#[path = "../body/arm64.rs"]
mod bodies_of_arm64;
#[path = "../body/t32.rs"]
mod bodies_of_t32;
#[path = "../body/x86.rs"]
mod bodies_of_x86;
#[path = "../body/case.rs"]
mod case;
#[path = "../arm/model.rs"]
mod model_of_arm;
#[path = "../arm64/model.rs"]
mod model_of_arm64;
#[path = "../t32/model.rs"]
mod model_of_t32;
#[path = "../x86/model.rs"]
mod model_of_x86;
#[path = "../x86/reading.rs"]
mod reading;
mod t32;
#[path = "../vector/mod.rs"]
mod vector;
mod walk;
#[path = "../words/mod.rs"]
mod words;
mod x86;

/// The number of machine states that each emulated vector runs on.
const STATES: u32 = 48;

/// Each vector's word and plan.
fn vectors(set: &str) -> Vec<(u32, String)> {
    // A short instruction is the upper half of a word.
    let word = |digits: &str| {
        let unused = 32 - 4 * digits.len();
        u32::from_str_radix(digits, 16).unwrap() << unused
    };
    let vectors = vector::of(set).into_iter();
    vectors
        .map(|vector| (word(&vector.digits), vector.plan))
        .collect()
}

/// Pseudo-random numbers, the same each time.
struct Numbers(u64);

impl Numbers {
    const fn new() -> Self {
        Self(0x2545_f491_4f6c_dd1d)
    }

    fn next(&mut self) -> u32 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 16) as u32
    }

    fn next_two(&mut self) -> u64 {
        u64::from(self.next()) << 32 | u64::from(self.next())
    }
}

/// The number of vectors with a wrong plan.
fn wrong_plans(vectors: &[(u32, String)], plan: fn(u32) -> String) -> usize {
    let differs = |(word, said): &&(u32, String)| plan(*word) != *said;
    vectors.iter().filter(differs).count()
}

/// The number of runs of emulated vectors that end differently from the model's.
fn wrong_runs(vectors: &[(u32, String)], is_wrong: fn(u32, u32, &mut Numbers) -> bool) -> usize {
    let mut numbers = Numbers::new();
    let emulated = vectors
        .iter()
        .filter(|(_, plan)| plan.starts_with("emulate "));
    emulated
        .flat_map(|(word, _)| (0..STATES).map(|state| (*word, state)))
        .filter(|&(word, state)| is_wrong(word, state, &mut numbers))
        .count()
}

/// What detects a defect, by the first columns after its description in the tables of
/// doc/testing.md.
fn documented<const N: usize>(mutant: &str) -> [bool; N] {
    let text = include_str!("../../../../doc/testing.md");
    let begins = format!("| `{mutant}` |");
    let row = text.lines().find(|line| line.starts_with(&begins));
    let row = row.unwrap_or_else(|| panic!("{mutant} is in no table"));
    let cells: Vec<_> = row.split('|').map(str::trim).collect();
    let seen = std::array::from_fn(|witness| cells[3 + witness] == "yes");
    assert!(seen.contains(&true), "{mutant} has no witness");
    seen
}

/// An instruction set, with its defects.
struct Set {
    vectors: Vec<(u32, String)>,
    mutants: &'static [Mutant],
    plan: fn(u32) -> String,
    is_wrong: fn(u32, u32, &mut Numbers) -> bool,
}

impl Set {
    fn wrong(&self) -> (usize, usize) {
        let plans = wrong_plans(&self.vectors, self.plan);
        (plans, wrong_runs(&self.vectors, self.is_wrong))
    }

    /// The names of the defects that are not detected as documented.
    fn missed(&self) -> Vec<&'static str> {
        choose(None);
        assert_eq!(self.wrong(), (0, 0));
        let mut missed = Vec::new();
        for &mutant in self.mutants {
            choose(Some(mutant));
            let (plans, runs) = self.wrong();
            println!("{:<20} {plans:>6} plans {runs:>6} runs", mutant.name());
            if [plans > 0, runs > 0] != documented(mutant.name()) {
                missed.push(mutant.name());
            }
        }
        choose(None);
        missed
    }
}

/// A single test, since the active defect is global.
#[test]
fn each_mutant_is_caught_and_nothing_else_is() {
    let words = [arm::set(), t32::set(), arm64::set()]
        .map(|set| set.missed())
        .concat();
    let missed = [words, x86::missed(), walk::missed()].concat();
    assert!(missed.is_empty(), "not as documented: {missed:?}");
}
