//! T16 and T32, with random machine states, in IT blocks and outside.

use engine_isa::Plan;
use engine_isa::arm::t32;
use engine_isa::arm::{Block, Regs, Version};
use engine_isa::mutant::Mutant;

use crate::model_of_arm::{PC, Ram};
use crate::model_of_t32::{Model, is_block, with_itstate};
use crate::{Numbers, Set, vectors};

/// More accesses than any instruction makes.
const PLENTY: usize = 32;
/// After how many accesses memory faults, cycled through.
const ACCESSES: [usize; 4] = [PLENTY, PLENTY, 3, 1];

pub fn set() -> Set {
    Set {
        vectors: vectors("t32"),
        mutants: Mutant::T32,
        plan: |word| t32::plan(word, Block::NONE).to_string(),
        is_wrong,
    }
}

fn is_wrong(word: u32, state: u32, numbers: &mut Numbers) -> bool {
    let accesses = ACCESSES[state as usize / 2 % ACCESSES.len()];
    let before = regs(state % 2 == 1, numbers);
    let Plan::Emulate(emulation) = t32::plan(word, Block::of(before.cpsr)) else {
        // What a block forbids.
        return !Block::of(before.cpsr).is_inside();
    };
    let (mut regs, mut ram) = (before, Ram::of_accesses(accesses));
    let mut model = Model::new(before, ram.clone());
    let (result, expected) = (
        emulation.run(Version::V7, &mut regs, &mut ram),
        model.execute(word),
    );
    let after = if expected.is_ok() { model.regs } else { before };
    result != expected || ram != model.ram || regs != after
}

fn regs(in_block: bool, numbers: &mut Numbers) -> Regs {
    const THUMB: u32 = 1 << 5;
    const BIG_ENDIAN: u32 = 1 << 9;
    let mut regs = Regs::default();
    for register in &mut regs.r {
        *register = match numbers.next() % 8 {
            0 => 0,
            1 | 2 => numbers.next(),
            _ => numbers.next() & !0b11,
        };
    }
    regs.r[PC] &= !0b1;
    let state = numbers.next() & 0xff;
    let state = if in_block && is_block(state) {
        state
    } else {
        0
    };
    regs.cpsr = with_itstate(numbers.next() & !BIG_ENDIAN | THUMB, state);
    regs
}
