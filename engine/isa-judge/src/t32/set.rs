//! T16 and T32 for execution.

use std::sync::LazyLock;

use engine_isa::arm::t32::{self, ROWS};
use engine_isa::arm::{Arm, Block, Emulation, Mode, Regs, Relocation, Version};
use engine_isa::{Arch, Fault};

use super::{Placed, any, judged, placed};
use crate::machine::Guest;
use crate::prng::{self, Rng, edge, percent, small};
use crate::set::{Done, End, Machine, Outcome, PlanOf, Set};
use crate::state::{Names, State};
use crate::window::{self, Window};
use crate::words;

/// T16 and T32.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct T32;

/// Index of the program counter in a state.
pub const PC: usize = 15;
/// Index of the CPSR.
pub const CPSR: usize = 16;
/// Index of the FPSCR.
pub const FPSCR: usize = 17;
/// Index of the first double register.
pub const D0: usize = 18;

/// Supervisor mode in Thumb state, with A, I and F masked.
const MODE: u64 = 0x33;
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

impl Set for T32 {
    type Instruction = Placed;
    type Emulation = Emulation;
    type Relocation = Relocation;

    const NAME: &'static str = "t32";
    /// A Cortex-A15.
    const PROCESSORS: &'static [&'static str] = &["v7"];
    /// Every other instruction is not at a multiple of 4.
    const PLACE_BYTES: usize = 10;
    const SLOT_BYTES: usize = 16;
    /// A breakpoint, the one instruction that stops whether the condition of its IT block holds or
    /// not: Unicorn executes a block as a whole.
    const STOP: &'static [u8] = &[0x00, 0xbe];
    const REFUSED: Placed = Placed::alone((t32::TRAP as u32) << 16);
    const CORE: usize = FPSCR;
    const PC: usize = PC;
    const FLAGS: usize = CPSR;
    const FREE_FLAGS: u64 = FREE_FLAGS;
    const NOT_KNOWN: &'static [(&'static str, &'static str)] = judged::NOT_KNOWN;
    const KEPT: &'static str = include_str!("../../regressions/t32.txt");

    fn names() -> Names {
        &NAMES
    }

    fn rows() -> Vec<&'static str> {
        ROWS.iter().map(|row| row.name).collect()
    }

    fn row(one: Placed) -> usize {
        t32::row(one.word)
    }

    fn plan(one: Placed) -> PlanOf<Self> {
        t32::plan(one.word, one.block())
    }

    fn slot(relocation: Relocation, _: u64, from: u64) -> Option<Vec<u8>> {
        let next = from as u32 + relocation.length() as u32;
        Some(relocation.slot(next).to_vec())
    }

    fn emulate(
        emulation: Emulation,
        _: &'static str,
        state: &mut State,
        window: &mut Window,
    ) -> Result<(), Fault> {
        let mut regs = registers(state);
        let result = emulation.run(Version::V7, &mut regs, window);
        set_registers(state, &regs);
        result
    }

    fn enter(state: &mut State, slot: u64) {
        let mut regs = registers(state);
        Arm::enter(&mut regs, slot as usize);
        set_registers(state, &regs);
    }

    fn trapped_at(one: Placed, slot: u64) -> Option<u64> {
        let length = t32::length(one.word) as u64;
        Arm::ends_in_trap(Mode::T32(one.block())).then_some(slot + length)
    }

    fn leave(one: Placed, state: &mut State, from: u64) {
        let next = from as usize + t32::length(one.word);
        let mut regs = registers(state);
        Arm::leave(&mut regs, Mode::T32(one.block()), next);
        set_registers(state, &regs);
    }

    fn faulted(state: &mut State, before: &State) {
        let block = Block::of(before[CPSR] as u32);
        state[CPSR] = block.in_status(state[CPSR] as u32).into();
    }

    fn any(rng: &mut Rng) -> Placed {
        let one = any(rng);
        placed(one, rng)
    }

    fn drawn(row: usize, rng: &mut Rng) -> Placed {
        let one = Placed::alone(words::of_row(&ROWS[row], rng));
        placed(one, rng)
    }

    /// Registers that may be a base mostly point into the window; those that may be an offset are
    /// mostly small, and those that may be compared with 0 sometimes are.
    fn state(one: Placed, pc: u64, rng: &mut Rng) -> State {
        let mut state = State::zero(&NAMES);
        state[0..PC].fill_with(|| value(rng));
        let (bases, offsets) = operands(one.word);
        for offset in offsets {
            if percent(rng, 60) {
                state[offset] = small(rng) & WORD;
            }
        }
        for base in bases {
            if percent(rng, 75) {
                state[base] = window::pointer(rng);
            }
        }
        if one.word >> 28 == 0b1011 && percent(rng, 30) {
            state[(one.word >> 16 & 7) as usize] = 0;
        }
        state[PC] = pc;
        let status = (rng.u64(..) & FREE_FLAGS | MODE) as u32;
        state[CPSR] = one.block().in_status(status).into();
        state[D0..].fill_with(|| prng::double(rng));
        if percent(rng, 50) {
            state[FPSCR] = rng.u64(..) & FREE_FPSCR;
        }
        state
    }

    fn bytes(one: &Placed) -> Vec<u8> {
        one.bytes()
    }

    fn text(one: Placed) -> String {
        let bytes = t32::length(one.word);
        let digits = match bytes {
            2 => format!("{:04x}", one.word >> 16),
            _ => format!("{:08x}", one.word),
        };
        match one.state {
            0 => digits,
            state => format!("{digits}@{state:02x}"),
        }
    }

    fn read(text: &str) -> Option<Placed> {
        let (digits, state) = text.split_once('@').unwrap_or((text, "0"));
        let number = words::read(digits)?;
        let word = if digits.len() == 4 {
            number << 16
        } else {
            number
        };
        let state = u8::from_str_radix(state, 16).ok()?;
        Some(Placed {
            state,
            ..Placed::alone(word)
        })
    }

    fn simpler(one: Placed) -> Vec<Placed> {
        let words = words::simpler(one.word, t32::row).into_iter();
        words
            .map(|word| Placed {
                state: one.state,
                ..Placed::alone(word)
            })
            .filter(|simpler| *simpler != one)
            .collect()
    }

    fn machine(processor: &'static str) -> Box<dyn Machine> {
        Box::new(Guest::<Self>::new(processor))
    }

    fn is_wide(one: Placed) -> bool {
        judged::is_float(one.word)
    }

    fn not_judged(one: Placed, _: &'static str) -> Option<&'static str> {
        judged::not_judged(one.word)
    }

    fn changes_system(one: Placed) -> bool {
        judged::changes_system(one.word)
    }

    fn excused(done: &Done<'_, Self>, native: &Outcome, ours: &Outcome) -> Option<&'static str> {
        let is_arm = ours.end == End::Done && !is_thumb(&ours.state);
        if is_arm && ours.state[PC] & 0b11 != 0 {
            return Some(
                "an address of ARM instructions that is no multiple of 4 is unpredictable",
            );
        }
        let went_on = native.state[PC] != done.before[PC];
        let faulted = matches!(native.end, End::Fault(_));
        let word = done.instruction.word;
        let next = done.before[PC] + t32::length(word) as u64;
        let branched = ours.state[PC] != next;
        if !done.instruction.block().is_inside() {
            None
        } else if faulted && went_on {
            Some("Unicorn has gone on in the IT block after a store that faulted")
        } else if done.emulated && branched && window::is_code(ours.state[PC]) {
            Some("Unicorn executes what a branch from an IT block leads to")
        } else if judged::is_isb(word) {
            Some("Unicorn ends an IT block at `isb`")
        } else {
            judged::may_be_trapped(word)
                .then_some("Unicorn does not advance an IT block where a hypervisor may trap")
        }
    }

    fn compared_at_fault(done: &Done<'_, Self>, register: usize) -> u64 {
        match register {
            0..=14 if judged::loads(done.instruction.word) >> register & 1 == 1 => 0,
            // Unicorn leaves the place in the block open.
            CPSR => !u64::from(Block::begun(0xff).in_status(0)),
            _ => u64::MAX,
        }
    }

    fn unsettled_at_fault(_: &Done<'_, Self>) -> u64 {
        4
    }
}

/// CPSR.T.
fn is_thumb(state: &State) -> bool {
    state[CPSR] >> 5 & 1 == 1
}

/// The mask of a 32-bit register.
const WORD: u64 = 0xffff_ffff;

fn registers(state: &State) -> Regs {
    let mut regs = Regs::default();
    for (register, value) in regs.r.iter_mut().zip(&state[0..CPSR]) {
        *register = *value as u32;
    }
    regs.cpsr = state[CPSR] as u32;
    regs
}

fn set_registers(state: &mut State, regs: &Regs) {
    for (register, value) in regs.r.iter().zip(&mut state[0..CPSR]) {
        *value = (*register).into();
    }
    state[CPSR] = regs.cpsr.into();
}

/// The registers that may be bases, and those that may be offsets.
fn operands(word: u32) -> (Vec<usize>, Vec<usize>) {
    let field = |low: u32, most: u32| (word >> low & most) as usize;
    if t32::length(word) == 4 {
        return (vec![field(16, 15)], vec![field(0, 15)]);
    }
    let base = if word >> 28 == 0b1100 {
        field(24, 7)
    } else {
        field(19, 7)
    };
    (vec![base, 13], vec![field(22, 7)])
}

fn value(rng: &mut Rng) -> u64 {
    WORD & match rng.u32(0..10) {
        0..3 => window::pointer(rng),
        3..5 => small(rng),
        5..7 => edge(rng).into(),
        _ => rng.u64(..),
    }
}
