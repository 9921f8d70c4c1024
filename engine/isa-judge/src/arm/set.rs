//! A32 for execution.

use std::sync::LazyLock;

use engine_isa::Fault;
use engine_isa::arm::{self, Emulation, ROWS, Regs, Relocation, Version};

use super::{judged, usual};
use crate::machine::Guest;
use crate::prng::{self, Rng, edge, percent, small};
use crate::set::{Done, Machine, Outcome, PlanOf, Set};
use crate::state::{Names, State};
use crate::window::{self, Window};
use crate::words;

/// A32.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct A32;

/// Index of the program counter in a state.
pub const PC: usize = 15;
/// Index of the CPSR.
pub const CPSR: usize = 16;
/// Index of the FPSCR.
pub const FPSCR: usize = 17;
/// Index of the first double register; some processors have only the first 16.
pub const D0: usize = 18;

/// Supervisor mode, with A, I and F masked.
const MODE: u64 = 0x13;
/// N, Z, C, V, Q, the four of GE, and A, I, F.
const FREE_FLAGS: u64 = 0xf80f_01c0;
/// Rounding, flush to zero, default NaN, and the flags.
const FREE_FPSCR: u64 = 0xf3c0_009f;

static NAMES: LazyLock<Vec<String>> = LazyLock::new(|| {
    let core = (0..16).map(|number| format!("r{number}"));
    let status = ["cpsr", "fpscr"].map(str::to_owned);
    let double = (0..32).map(|number| format!("d{number}"));
    core.chain(status).chain(double).collect()
});

impl Set for A32 {
    type Instruction = u32;
    type Emulation = Emulation;
    type Relocation = Relocation;

    const NAME: &'static str = "arm";
    /// An ARM1176 and a Cortex-A15.
    const PROCESSORS: &'static [&'static str] = &["v6", "v7"];
    const PLACE_BYTES: usize = 8;
    const SLOT_BYTES: usize = 16;
    /// Permanently undefined: the word after an instruction ends the block that Unicorn translates.
    const STOP: &'static [u8] = &[0xf0, 0x00, 0xf0, 0xe7];
    const REFUSED: u32 = arm::TRAP;
    const CORE: usize = FPSCR;
    const PC: usize = PC;
    const FLAGS: usize = CPSR;
    const FREE_FLAGS: u64 = FREE_FLAGS;
    const NOT_KNOWN: &'static [(&'static str, &'static str)] = judged::NOT_KNOWN;
    const KEPT: &'static str = include_str!("../../regressions/arm.txt");

    fn names() -> Names {
        &NAMES
    }

    fn rows() -> Vec<&'static str> {
        ROWS.iter().map(|row| row.name).collect()
    }

    fn row(word: u32) -> usize {
        arm::row(word)
    }

    fn plan(word: u32) -> PlanOf<Self> {
        arm::plan(word)
    }

    fn slot(relocation: Relocation, _: u64, from: u64) -> Option<Vec<u8>> {
        Some(relocation.slot(from as u32 + 4).to_vec())
    }

    fn emulate(
        emulation: Emulation,
        processor: &'static str,
        state: &mut State,
        window: &mut Window,
    ) -> Result<(), Fault> {
        let mut regs = Regs::default();
        for (register, value) in regs.r.iter_mut().zip(&state[0..CPSR]) {
            *register = *value as u32;
        }
        regs.cpsr = state[CPSR] as u32;
        let result = emulation.run(version(processor), &mut regs, window);
        for (register, value) in regs.r.iter().zip(&mut state[0..CPSR]) {
            *value = (*register).into();
        }
        state[CPSR] = regs.cpsr.into();
        result
    }

    fn any(rng: &mut Rng) -> u32 {
        words::any(ROWS, usual, rng)
    }

    fn drawn(row: usize, rng: &mut Rng) -> u32 {
        words::of_row(&ROWS[row], rng)
    }

    /// Registers that may be a base mostly point into the window; those that may be an offset are
    /// mostly small.
    fn state(word: u32, pc: u64, rng: &mut Rng) -> State {
        let mut state = State::zero(&NAMES);
        state[0..PC].fill_with(|| value(rng));
        let field = |low: u32| (word >> low & 15) as usize;
        if percent(rng, 60) {
            state[field(0)] = small(rng) & WORD;
        }
        if percent(rng, 75) {
            state[field(16)] = window::pointer(rng);
        }
        state[PC] = pc;
        state[CPSR] = rng.u64(..) & FREE_FLAGS | MODE;
        state[D0..].fill_with(|| prng::double(rng));
        if percent(rng, 50) {
            state[FPSCR] = rng.u64(..) & FREE_FPSCR;
        }
        state
    }

    fn bytes(word: &u32) -> Vec<u8> {
        word.to_le_bytes().to_vec()
    }

    fn text(word: u32) -> String {
        format!("{word:08x}")
    }

    fn read(text: &str) -> Option<u32> {
        words::read(text)
    }

    fn simpler(word: u32) -> Vec<u32> {
        words::simpler(word, arm::row)
    }

    fn machine(processor: &'static str) -> Box<dyn Machine> {
        Box::new(Guest::<Self>::new(processor))
    }

    fn is_wide(word: u32) -> bool {
        judged::is_float(word)
    }

    fn not_judged(word: u32, _: &'static str) -> Option<&'static str> {
        judged::not_judged(word)
    }

    fn changes_system(word: u32) -> bool {
        judged::changes_system(word)
    }

    fn excused(_: &Done<'_, Self>, _: &Outcome, _: &Outcome) -> Option<&'static str> {
        None
    }

    fn compared_at_fault(done: &Done<'_, Self>, register: usize) -> u64 {
        match register {
            0..PC if judged::loads(done.instruction) >> register & 1 == 1 => 0,
            _ => u64::MAX,
        }
    }

    fn unsettled_at_fault(_: &Done<'_, Self>) -> u64 {
        4
    }
}

/// The mask of a 32-bit register.
const WORD: u64 = 0xffff_ffff;

fn value(rng: &mut Rng) -> u64 {
    WORD & match rng.u32(0..10) {
        0..3 => window::pointer(rng),
        3..5 => small(rng),
        5..7 => edge(rng).into(),
        _ => rng.u64(..),
    }
}

/// The architecture version of a processor.
fn version(processor: &str) -> Version {
    match processor {
        "v6" => Version::V6,
        _ => Version::V7,
    }
}
