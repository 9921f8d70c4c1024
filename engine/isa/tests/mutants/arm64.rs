//! A64, with random machine states.

use engine_isa::Plan;
use engine_isa::arm64::{self, Regs};
use engine_isa::mutant::Mutant;

use crate::model_of_arm64::{Model, Rom, cpu};
use crate::{Numbers, Set, vectors};

/// After how many loads memory faults, cycled through.
const LOADS: [usize; 4] = [2, 2, 1, 0];

pub fn set() -> Set {
    Set {
        vectors: vectors("arm64"),
        mutants: Mutant::ARM64,
        plan: |word| arm64::plan(word).to_string(),
        is_wrong,
    }
}

/// Any registers, some with one half or both zero, and the stack pointer mostly aligned.
fn regs(numbers: &mut Numbers) -> Regs {
    const HALVES: [u64; 5] = [!0, !0, 0, 0xffff_ffff, !0xffff_ffff];
    let mut regs = Regs::default();
    for register in &mut regs.x {
        *register = numbers.next_two() & HALVES[numbers.next() as usize % HALVES.len()];
    }
    let aligned = !u64::from(numbers.next() & 0b1111);
    regs.sp = numbers.next_two()
        & if numbers.next().is_multiple_of(8) {
            aligned
        } else {
            !0b1111
        };
    regs.pc = numbers.next_two() & !0b11;
    regs.pstate = numbers.next().into();
    regs
}

fn is_wrong(word: u32, state: u32, numbers: &mut Numbers) -> bool {
    let (before, seed) = (regs(numbers), numbers.next_two());
    let Plan::Emulate(emulation) = arm64::plan(word) else {
        return true;
    };
    let bti = state.is_multiple_of(2);
    let loads = LOADS[state as usize / 2 % LOADS.len()];
    let (mut regs, mut rom) = (before, Rom::of_loads(loads, seed));
    let mut model = Model {
        regs: before,
        rom: rom.clone(),
        bti,
    };
    let result = emulation.run(&mut regs, &mut rom, &cpu(bti));
    let expected = model.execute(word);
    let after = if expected.is_ok() { model.regs } else { before };
    result != expected || rom != model.rom || regs != after
}
