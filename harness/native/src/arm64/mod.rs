//! A64. The layout of [`State`] is shared with the self-test in `engine/kmod`.

mod safe;

use std::ops::Range;

use engine_isa::Plan as Planned;
use engine_isa::arm64::{self, Processor, Regs};
use fastrand::Rng;
use zerocopy::{FromBytes, FromZeros, Immutable, IntoBytes, KnownLayout};

use crate::cases::{number, stack_pointer, value};
use crate::image::{self, Image, Part};
use crate::instruction::{Plan, Text};
use crate::places::{PAGE, Places};
use crate::set::{Around, InKernel, Set};

/// A UDF with an immediate that no one else uses: ends a run.
const LEAVE: u32 = 0xd7d0;

/// [`State::ended`] of a run that reached [`LEAVE`].
const EXITED: u64 = 1;

/// The address bits of PAR_EL1.
const PAGES: u64 = 0x0000_ffff_ffff_f000;

/// The A64 instruction set.
pub struct A64;

/// Registers before and after a run.
#[derive(Clone, FromBytes, IntoBytes, KnownLayout, Immutable)]
#[repr(C)]
pub struct State {
    /// x0 to x30.
    pub registers: [u64; 31],
    /// The stack pointer.
    pub sp: u64,
    /// Address of the instruction.
    pub pc: u64,
    /// PSTATE, with the flags.
    pub pstate: u64,
    /// FPCR.
    pub fpcr: u32,
    /// FPSR.
    pub fpsr: u32,
    /// What ended the run.
    ended: u64,
    /// PAR_EL1. No instruction that is run writes it, but a probe that translates an address may.
    par: u64,
    /// Zero.
    reserved: u64,
    /// v0 to v31.
    pub vectors: [[u64; 2]; 32],
}

impl State {
    /// A register where number 31 is the stack pointer.
    fn base(&self, number: u32) -> u64 {
        let register = self.registers.get(number as usize);
        register.copied().unwrap_or(self.sp)
    }

    /// A register where number 31 is zero.
    fn register(&self, number: u32) -> u64 {
        let register = self.registers.get(number as usize);
        register.copied().unwrap_or(0)
    }
}

impl Set for A64 {
    type State = State;

    const POINTER: usize = 8;
    const LEAVE: &'static [u8] = &LEAVE.to_le_bytes();

    fn text(column: &str) -> Option<Text> {
        let word = u32::from_str_radix(column, 16).ok()?;
        Some(Text::of_word(word))
    }

    fn unfit(text: &Text, _: Plan) -> Option<&'static str> {
        safe::unfit(text.word())
    }

    fn fit(text: &Text, places: &Places) -> Text {
        Text::of_word(safe::fit(text.word(), places.site - places.page))
    }

    fn prepare(_: &Text, _: &mut [u8; PAGE], _: &Places) {}

    fn random_state(prng: &mut Rng, places: &Places) -> State {
        let mut state = State::new_zeroed();
        state.registers = [(); 31].map(|()| value(prng, places));
        state.sp = stack_pointer(prng, places);
        state.pc = places.site;
        state.pstate = prng.u64(..16) << 28;
        state
    }

    fn complete(state: &mut State, prng: &mut Rng) {
        state.par = PAGES & prng.u64(..);
        state.fpcr = prng.u32(..4) << 22;
        for half in state.vectors.as_flattened_mut() {
            *half = match prng.bool() {
                true => u64::from(number(prng)) << 32 | u64::from(number(prng)),
                false => prng.u64(..),
            };
        }
    }

    fn is_confined(text: &Text, state: &State, around: &Around<'_>) -> bool {
        match arm64::plan(text.word()) {
            Planned::Emulate(emulation) => {
                let mut regs = Regs {
                    x: state.registers,
                    sp: state.sp,
                    pc: state.pc,
                    pstate: state.pstate,
                };
                let mut memory = Image {
                    around,
                    length: 4,
                    lowest: state.sp,
                };
                let done = emulation.run(&mut regs, &mut memory, &Unsigned);
                let is_aligned = regs.pc.is_multiple_of(4) && regs.sp.is_multiple_of(16);
                done.is_ok()
                    && is_aligned
                    && image::ends_at_exit(regs.sp, regs.pc, 4, around.places)
            }
            Planned::Relocate(_) => access_is_confined(text.word(), state, around.places),
            Planned::Refuse(_) => false,
        }
    }

    fn difference(native: &State, probed: &State) -> Option<String> {
        let numbered = (0..).zip(native.registers.iter().zip(&probed.registers));
        for (number, (native, probed)) in numbered {
            if native != probed {
                return Some(format!("x{number} is {native:x} or {probed:x}"));
            }
        }
        let others = |state: &State| {
            let [sp, pc, pstate] = [state.sp, state.pc, state.pstate];
            let [fpcr, fpsr] = [state.fpcr, state.fpsr].map(u64::from);
            [sp, pc, pstate, fpcr, fpsr, state.par]
        };
        let (native_others, probed_others) = (others(native), others(probed));
        if native_others != probed_others {
            return Some(format!(
                "sp, pc, pstate, fpcr, fpsr and par are {native_others:x?} or {probed_others:x?}"
            ));
        }
        (native.vectors != probed.vectors)
            .then(|| format!("{:x?} or {:x?}", native.vectors, probed.vectors))
    }

    fn describe(state: &State) -> String {
        format!(
            "{:x?} sp {:x} pstate {:x}",
            state.registers, state.sp, state.pstate
        )
    }
}

impl InKernel for A64 {
    fn neighbour(text: &Text, prng: &mut Rng) -> Text {
        let bits = (0..3).fold(0, |bits, _| bits | 1 << prng.u32(..32));
        Text::of_word(text.word() ^ bits)
    }

    fn plan(text: &Text) -> Plan {
        arm64::plan(text.word()).into()
    }

    fn unexpected_end(state: &State) -> Option<String> {
        (state.ended != EXITED).then(|| format!("{}", state.ended))
    }

    fn sp(state: &State) -> u64 {
        state.sp
    }

    fn stored(text: &Text, state: &State) -> Option<Range<u64>> {
        let reach = safe::reach(text.word(), state)?;
        (!reach.is_read).then(|| reach.address..reach.address + reach.bytes)
    }
}

/// For an emulation run only to see where it ends; signed addresses are never followed.
struct Unsigned;

impl Processor for Unsigned {
    fn sign(&self, pointer: u64, _: u64) -> u64 {
        pointer
    }

    fn has_branch_types(&self) -> bool {
        false
    }
}

fn access_is_confined(word: u32, state: &State, places: &Places) -> bool {
    let Some(reach) = safe::reach(word, state) else {
        return true;
    };
    let is_there = match image::part(reach.address, reach.bytes, places) {
        Some(Part::Data(_)) => true,
        Some(Part::Stack(_)) => !reach.is_read || reach.address >= state.sp,
        Some(Part::Page(_)) | None => false,
    };
    is_there && reach.address.is_multiple_of(reach.aligned)
}
