//! A64 for execution.

use std::sync::LazyLock;

use engine_isa::arm64::{self, Emulation, ROWS, Regs, Relocation};
use engine_isa::{Fault, Plan, Row};

use super::guest::Signing;
use super::judged;
use super::places::{A64, FPCR, PC, PSTATE, Q0, SP};
use crate::machine::Guest;
use crate::prng::{self, Rng, percent, small, wide_edge};
use crate::set::{Done, Machine, Outcome, PlanOf, Set};
use crate::state::{Names, State};
use crate::window::{self, Window};
use crate::words;

/// EL1 with its own stack pointer.
const MODE: u64 = 0b0101;
/// PSTATE.BTYPE, the type of the last branch.
const BTYPE: u64 = 0b11 << 10;
/// N, Z, C, V; D, A, I, F; and BTYPE.
const FREE_FLAGS: u64 = 0xf000_03c0 | BTYPE;
/// Rounding, flush to zero, and default NaN, for all sizes and for half precision.
const FREE_FPCR: u64 = 0x07c8_0000;
/// The flags.
const FREE_FPSR: u64 = 0x0800_009f;

static NAMES: LazyLock<Vec<String>> = LazyLock::new(|| {
    let core = (0..31).map(|number| format!("x{number}"));
    let status = ["sp", "pc", "pstate", "fpcr", "fpsr"].map(str::to_owned);
    let vector = (0..32).flat_map(|number| [format!("q{number}"), format!("q{number}.high")]);
    core.chain(status).chain(vector).collect()
});

/// Emulated rows: they are few, and generate the most interesting cases.
static EMULATED: LazyLock<Vec<Row>> = LazyLock::new(|| {
    let is_emulated =
        |row, word| arm64::row(word) == row && matches!(arm64::plan(word), Plan::Emulate(_));
    words::accepting(ROWS, is_emulated)
});

impl Set for A64 {
    type Instruction = u32;
    type Emulation = Emulation;
    type Relocation = Relocation;

    const NAME: &'static str = "arm64";
    const PROCESSORS: &'static [&'static str] = &["a72", "max"];
    const PLACE_BYTES: usize = 8;
    const SLOT_BYTES: usize = 16;
    /// Permanently undefined.
    const STOP: &'static [u8] = &[0; 4];
    const REFUSED: u32 = 0;
    const CORE: usize = FPCR;
    const PC: usize = PC;
    const FLAGS: usize = PSTATE;
    const FREE_FLAGS: u64 = FREE_FLAGS;
    const NOT_KNOWN: &'static [(&'static str, &'static str)] = &[];
    const KEPT: &'static str = include_str!("../../regressions/arm64.txt");

    fn why_not_known(name: &str) -> Option<&'static str> {
        judged::why_not_known(name)
    }

    fn names() -> Names {
        &NAMES
    }

    fn rows() -> Vec<&'static str> {
        ROWS.iter().map(|row| row.name).collect()
    }

    fn row(word: u32) -> usize {
        arm64::row(word)
    }

    fn plan(word: u32) -> PlanOf<Self> {
        arm64::plan(word)
    }

    fn slot(relocation: Relocation, at: u64, from: u64) -> Option<Vec<u8>> {
        Some(relocation.slot(at, from + 4)?.to_vec())
    }

    fn emulate(
        emulation: Emulation,
        processor: &'static str,
        state: &mut State,
        window: &mut Window,
    ) -> Result<(), Fault> {
        let mut regs = Regs::default();
        regs.x.copy_from_slice(&state[0..SP]);
        (regs.sp, regs.pc, regs.pstate) = (state[SP], state[PC], state[PSTATE]);
        emulation.run(&mut regs, window, &Signing::of(processor))?;
        state[0..SP].copy_from_slice(&regs.x);
        (state[SP], state[PC], state[PSTATE]) = (regs.sp, regs.pc, regs.pstate);
        Ok(())
    }

    fn any(rng: &mut Rng) -> u32 {
        let rows = if percent(rng, 20) { &EMULATED } else { ROWS };
        words::any(rows, |word, _| word, rng)
    }

    fn drawn(row: usize, rng: &mut Rng) -> u32 {
        words::of_row(&ROWS[row], rng)
    }

    fn state(word: u32, pc: u64, rng: &mut Rng) -> State {
        let mut state = State::zero(&NAMES);
        state[0..SP].fill_with(|| value(rng));
        let field = |low: u32| (word >> low & 31) as usize;
        if percent(rng, 60) {
            state[field(16)] = small(rng);
        }
        state[SP] = window::pointer(rng);
        if percent(rng, 75) {
            state[field(5)] = window::pointer(rng);
        }
        if percent(rng, 90) {
            state[SP] &= !15;
        }
        state[PC] = pc;
        state[PSTATE] = rng.u64(..) & FREE_FLAGS | MODE;
        if percent(rng, 50) {
            state[FPCR] = rng.u64(..) & FREE_FPCR;
            state[FPCR + 1] = rng.u64(..) & FREE_FPSR;
        }
        state[Q0..].fill_with(|| prng::double(rng));
        if percent(rng, 90) {
            judged::survive(word, &mut state);
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
        words::simpler(word, arm64::row)
    }

    fn machine(processor: &'static str) -> Box<dyn Machine> {
        Box::new(Guest::<Self>::new(processor))
    }

    fn is_wide(word: u32) -> bool {
        judged::is_wide(word)
    }

    fn not_judged(word: u32, _: &'static str) -> Option<&'static str> {
        judged::not_judged(word)
    }

    fn not_survived(word: u32, state: &State) -> Option<&'static str> {
        judged::not_survived(word, state)
    }

    fn changes_system(word: u32) -> bool {
        judged::changes_system(word)
    }

    fn excused(done: &Done<'_, Self>, _: &Outcome, ours: &Outcome) -> Option<&'static str> {
        judged::excused(done, ours)
    }

    /// A processor without BTI has no BTYPE, and QEMU does not clear it at the speculation barrier.
    fn compared(done: &Done<'_, Self>, register: usize) -> u64 {
        const BARRIER: u32 = 0xd503_30ff;
        match register {
            PSTATE if done.processor == "a72" || done.instruction == BARRIER => !BTYPE,
            _ => u64::MAX,
        }
    }
}

fn value(rng: &mut Rng) -> u64 {
    match rng.u32(0..10) {
        0..3 => window::pointer(rng),
        3..5 => small(rng),
        5..7 => wide_edge(rng),
        _ => rng.u64(..),
    }
}
