//! A32, with random machine states.

use engine_isa::Plan;
use engine_isa::arm::{self, Regs, Version};
use engine_isa::mutant::Mutant;

use crate::model_of_arm::{Model, PC, Ram};
use crate::{Numbers, Set, vectors};

/// More accesses than any instruction makes.
const PLENTY: usize = 32;
/// After how many accesses memory faults, cycled through.
const ACCESSES: [usize; 4] = [PLENTY, PLENTY, 3, 1];

pub fn set() -> Set {
    Set {
        vectors: vectors("arm"),
        mutants: Mutant::ARM,
        plan: |word| arm::plan(word).to_string(),
        is_wrong,
    }
}

fn is_wrong(word: u32, state: u32, numbers: &mut Numbers) -> bool {
    let version = [Version::V6, Version::V7][state as usize % 2];
    let accesses = ACCESSES[state as usize / 2 % ACCESSES.len()];
    differs(word, version, regs(numbers), accesses)
}

fn regs(numbers: &mut Numbers) -> Regs {
    const THUMB_AND_BIG_ENDIAN: u32 = 1 << 5 | 1 << 9;
    let mut regs = Regs::default();
    for register in &mut regs.r {
        *register = numbers.next()
            & if numbers.next().is_multiple_of(4) {
                !0
            } else {
                !0b11
            };
    }
    regs.r[PC] &= !0b11;
    regs.cpsr = numbers.next() & !THUMB_AND_BIG_ENDIAN;
    regs
}

fn differs(word: u32, version: Version, before: Regs, accesses: usize) -> bool {
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
