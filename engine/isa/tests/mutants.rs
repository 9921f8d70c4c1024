//! The instruction core's tests can see a defect: with each that is seeded, vectors or model
//! differ, and without one neither does. Built with `RUSTFLAGS='--cfg trapline_mutants'`; without
//! that there is nothing here.
#![cfg(trapline_mutants)]

use std::fs;
use std::path::Path;

use engine_isa::Plan;
use engine_isa::arm::{self, Regs, Version};
use engine_isa::mutant::{Mutant, choose};

#[path = "arm/model.rs"]
mod model;

use model::{Model, PC, Ram};

/// How many states of the machine each emulated vector is run on.
const STATES: u32 = 48;
/// More accesses than any instruction makes.
const PLENTY: usize = 32;
/// How many accesses there are before memory faults, by turns.
const ACCESSES: [usize; 4] = [PLENTY, PLENTY, 3, 1];

/// Each vector's word and plan.
fn vectors() -> Vec<(u32, String)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("vectors/arm");
    let files = fs::read_dir(folder).unwrap();
    let texts = files.map(|file| fs::read_to_string(file.unwrap().path()).unwrap());
    texts
        .flat_map(|text| text.lines().filter_map(vector).collect::<Vec<_>>())
        .collect()
}

fn vector(line: &str) -> Option<(u32, String)> {
    let mut columns = line.split('|').map(str::trim);
    let word = u32::from_str_radix(columns.next()?, 16).ok()?;
    Some((word, columns.next_back()?.to_owned()))
}

/// Numbers that look like chance, the same each time.
struct Numbers(u64);

impl Numbers {
    fn next(&mut self) -> u32 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 16) as u32
    }

    fn regs(&mut self) -> Regs {
        const THUMB_AND_BIG_ENDIAN: u32 = 1 << 5 | 1 << 9;
        let mut regs = Regs::default();
        for register in &mut regs.r {
            *register = self.next()
                & if self.next().is_multiple_of(4) {
                    !0
                } else {
                    !0b11
                };
        }
        regs.r[PC] &= !0b11;
        regs.cpsr = self.next() & !THUMB_AND_BIG_ENDIAN;
        regs
    }
}

/// How many vectors' plans are not as they say.
fn wrong_plans(vectors: &[(u32, String)]) -> usize {
    let differs = |(word, plan): &&(u32, String)| arm::plan(*word).to_string() != *plan;
    vectors.iter().filter(differs).count()
}

/// How many runs of emulated vectors end otherwise than the model's.
fn wrong_runs(vectors: &[(u32, String)]) -> usize {
    let mut numbers = Numbers(0x2545_f491_4f6c_dd1d);
    let emulated = vectors
        .iter()
        .filter(|(_, plan)| plan.starts_with("emulate "));
    emulated
        .flat_map(|(word, _)| (0..STATES).map(|state| (*word, state)))
        .filter(|&(word, state)| {
            let version = [Version::V6, Version::V7][state as usize % 2];
            let accesses = ACCESSES[state as usize / 2 % ACCESSES.len()];
            is_wrong(word, version, numbers.regs(), accesses)
        })
        .count()
}

fn is_wrong(word: u32, version: Version, before: Regs, accesses: usize) -> bool {
    let Plan::Emulate(emulation) = arm::plan(word) else {
        return true;
    };
    let (mut regs, mut ram) = (before, Ram::of_accesses(accesses));
    let mut model = Model::new(version, before, ram.clone());
    let (result, expected) = (
        emulation.run(version, &mut regs, &mut ram),
        model.execute(word),
    );
    let after = if expected.is_ok() { model.regs } else { before };
    result != expected || ram != model.ram || regs != after
}

/// One test, since the defect is chosen for all.
#[test]
fn each_mutant_is_caught_and_nothing_else_is() {
    let vectors = vectors();
    choose(None);
    assert_eq!((wrong_plans(&vectors), wrong_runs(&vectors)), (0, 0));
    let mut missed = Vec::new();
    for &mutant in Mutant::ARM {
        choose(Some(mutant));
        let (plans, runs) = (wrong_plans(&vectors), wrong_runs(&vectors));
        println!("{:<20} {plans:>6} plans {runs:>6} runs", mutant.name());
        if plans + runs == 0 {
            missed.push(mutant.name());
        }
    }
    choose(None);
    assert!(missed.is_empty(), "not caught: {missed:?}");
}
