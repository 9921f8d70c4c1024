//! A64.

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
use crate::set::{Around, Set};

/// `brk` with a number that nobody else has a use for: it ends a run.
const LEAVE: u32 = 0xd420_0000 | 0xd7d0 << 5;

/// How a run ends that ends as it should.
const LEFT: u64 = 1;

/// The bits of PAR_EL1 that a page's address has.
const PAGES: u64 = 0x0000_ffff_ffff_f000;

/// A64.
pub struct A64;

/// The registers.
#[derive(Clone, FromBytes, IntoBytes, KnownLayout, Immutable)]
#[repr(C)]
pub struct State {
    /// x0 to x30.
    registers: [u64; 31],
    /// The stack pointer.
    sp: u64,
    /// The address of the instruction.
    pc: u64,
    /// The flags, and what else the processor keeps with them.
    pstate: u64,
    /// How floating point is done.
    fpcr: u32,
    /// What became of it.
    fpsr: u32,
    /// What ended the run.
    ended: u64,
    /// What the processor last said of an address: no instruction that is run asks it, but a probe may.
    par: u64,
    /// Zero.
    reserved: u64,
    /// v0 to v31.
    vectors: [[u64; 2]; 32],
}

impl State {
    /// The register of that number, of which the last is the stack pointer.
    fn base(&self, number: u32) -> u64 {
        let register = self.registers.get(number as usize);
        register.copied().unwrap_or(self.sp)
    }

    /// The register of that number, of which the last is zero.
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

    fn neighbour(text: &Text, chance: &mut Rng) -> Text {
        let bits = (0..3).fold(0, |bits, _| bits | 1 << chance.u32(..32));
        Text::of_word(text.word() ^ bits)
    }

    fn plan(text: &Text) -> Plan {
        arm64::plan(text.word()).into()
    }

    fn unfit(text: &Text, _: Plan) -> Option<&'static str> {
        safe::unfit(text.word())
    }

    fn fit(text: &Text, places: &Places) -> Text {
        Text::of_word(safe::fit(text.word(), places.site - places.page))
    }

    fn prepare(_: &Text, _: &mut [u8; PAGE], _: &Places) {}

    fn by_chance(chance: &mut Rng, places: &Places) -> State {
        let mut state = State::new_zeroed();
        state.registers = [(); 31].map(|()| value(chance, places));
        state.sp = stack_pointer(chance, places);
        state.pc = places.site;
        state.pstate = chance.u64(..16) << 28;
        state
    }

    fn complete(state: &mut State, chance: &mut Rng) {
        state.par = PAGES & chance.u64(..);
        state.fpcr = chance.u32(..4) << 22;
        for half in state.vectors.as_flattened_mut() {
            *half = match chance.bool() {
                true => u64::from(number(chance)) << 32 | u64::from(number(chance)),
                false => chance.u64(..),
            };
        }
    }

    fn keeps_inside(text: &Text, state: &State, around: &Around<'_>) -> bool {
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
                done.is_ok() && is_aligned && image::comes_out(regs.sp, regs.pc, 4, around.places)
            }
            Planned::Relocate(_) => reaches_little(text.word(), state, around.places),
            Planned::Refuse(_) => false,
        }
    }

    fn cut_short(state: &State) -> Option<String> {
        (state.ended != LEFT).then(|| format!("{}", state.ended))
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

    fn sp(state: &State) -> u64 {
        state.sp
    }

    fn stored(text: &Text, state: &State) -> Option<Range<u64>> {
        let reach = safe::reach(text.word(), state)?;
        (!reach.is_read).then(|| reach.address..reach.address + reach.bytes)
    }

    fn told(state: &State) -> String {
        format!(
            "{:x?} sp {:x} pstate {:x}",
            state.registers, state.sp, state.pstate
        )
    }
}

/// For an emulation that is only asked where it leads: no signed address is one to go to.
struct Unsigned;

impl Processor for Unsigned {
    fn sign(&self, pointer: u64, _: u64) -> u64 {
        pointer
    }

    fn has_branch_types(&self) -> bool {
        false
    }
}

fn reaches_little(word: u32, state: &State, places: &Places) -> bool {
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
