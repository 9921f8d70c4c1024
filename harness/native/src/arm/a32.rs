//! A32.

use std::ops::Range;

use engine_isa::Plan as Planned;
use engine_isa::arm::{self, Regs, Version};
use fastrand::Rng;

use super::{PC, SP, State, THUMB, safe};
use crate::image::{self, Image, Part};
use crate::instruction::{Plan, Text};
use crate::places::{PAGE, Places};
use crate::set::{Around, InKernel, Set};

/// A permanently undefined instruction that no one else uses: ends a run.
const LEAVE: u32 = 0xe7f0_00f4;

/// SVC mode with IRQs masked.
const MODE: u32 = 0x93;

/// Bytes below the stack pointer that an exception entry leaves alone.
const UNTOUCHED_BELOW_SP: u64 = 64;

/// The A32 instruction set.
pub struct A32;

impl Set for A32 {
    type State = State;

    const POINTER: usize = 4;
    const LEAVE: &'static [u8] = &LEAVE.to_le_bytes();

    fn text(column: &str) -> Option<Text> {
        let word = u32::from_str_radix(column, 16).ok()?;
        Some(Text::of_word(word))
    }

    fn unfit(text: &Text, plan: Plan) -> Option<&'static str> {
        // The final stack pointer of an emulation is checked by running it beforehand.
        safe::unfit(text.word()).filter(|&why| plan != Plan::Emulate || why != safe::SETS_SP)
    }

    fn fit(text: &Text, _: &Places) -> Text {
        *text
    }

    /// Puts the address of an exit where a load of the PC reads its literal.
    fn prepare(text: &Text, page: &mut [u8; PAGE], places: &Places) {
        if let Some(literal) = literal_exit(text.word(), places) {
            image::put(page, literal, &(places.page as u32).to_le_bytes());
        }
    }

    fn random_state(prng: &mut Rng, places: &Places) -> State {
        let mut state = State::random(prng, places);
        state.cpsr |= MODE;
        state
    }

    fn complete(state: &mut State, prng: &mut Rng) {
        state.complete(prng);
    }

    fn is_confined(text: &Text, state: &State, around: &Around<'_>) -> bool {
        let word = text.word();
        match arm::plan(word) {
            Planned::Emulate(emulation) => {
                let (r, cpsr) = (state.registers, state.cpsr);
                let mut regs = Regs { r, cpsr };
                let mut memory = Image {
                    around,
                    length: 4,
                    lowest: Self::sp(state) - UNTOUCHED_BELOW_SP,
                };
                let done = emulation.run(Version::OWN, &mut regs, &mut memory);
                let [sp, pc] = [SP, PC].map(|number| u64::from(regs.r[number]));
                let is_aligned = (sp | pc).is_multiple_of(4) && regs.cpsr & THUMB == 0;
                done.is_ok() && is_aligned && image::ends_at_exit(sp, pc, 4, around.places)
            }
            Planned::Relocate(_) => access_is_confined(word, state, around.places),
            Planned::Refuse(_) => false,
        }
    }

    fn difference(native: &State, probed: &State) -> Option<String> {
        native.difference(probed)
    }

    fn describe(state: &State) -> String {
        state.describe()
    }
}

impl InKernel for A32 {
    /// Flips up to three bits outside the condition field.
    fn neighbour(text: &Text, prng: &mut Rng) -> Text {
        let bits = (0..3).fold(0, |bits, _| bits | 1 << prng.u32(..28));
        Text::of_word(text.word() ^ bits)
    }

    fn plan(text: &Text) -> Plan {
        arm::plan(text.word()).into()
    }

    fn unexpected_end(state: &State) -> Option<String> {
        (state.instruction != LEAVE).then(|| format!("{:08x}", state.instruction))
    }

    fn sp(state: &State) -> u64 {
        state.registers[SP].into()
    }

    /// The kernel's fixup of an unaligned access starts its frame right at the stack pointer.
    fn untouched_below_sp(text: &Text, state: &State) -> u64 {
        let reach = safe::reach(text.word(), &state.registers, state.cpsr);
        match reach.is_some_and(|reach| reach.is_fixed_up()) {
            true => 0,
            false => UNTOUCHED_BELOW_SP,
        }
    }

    fn stored(text: &Text, state: &State) -> Option<Range<u64>> {
        let reach = safe::reach(text.word(), &state.registers, state.cpsr)?;
        let from = u64::from(reach.address);
        (!reach.is_read).then(|| from..from + u64::from(reach.bytes))
    }
}

fn access_is_confined(word: u32, state: &State, places: &Places) -> bool {
    if safe::moves_sp_by_elements(word) {
        return false;
    }
    if let Some(register) = safe::floating_point_state(word) {
        return state.registers[register] & 0x0fff_ffff == 0;
    }
    let Some(reach) = safe::reach(word, &state.registers, state.cpsr) else {
        return true;
    };
    let lowest = state.registers[SP] - UNTOUCHED_BELOW_SP as u32;
    let (address, bytes) = (reach.address.into(), reach.bytes.into());
    let is_there = match image::part(address, bytes, places) {
        Some(Part::Data(_)) => true,
        Some(Part::Stack(_)) => !reach.is_read || reach.address >= lowest,
        Some(Part::Page(_)) => {
            let sees = image::is_site(address, bytes, 4, places);
            reach.is_read && word & 1 << 20 != 0 && !sees
        }
        None => false,
    };
    is_there && reach.address.is_multiple_of(reach.aligned)
}

/// The offset in the page that `ldr pc, [pc, #imm]` loads from, if the instruction is one and the
/// offset is usable.
fn literal_exit(word: u32, places: &Places) -> Option<usize> {
    let (up, offset) = (word & 1 << 23 != 0, word & 0xfff);
    let pc = (places.site - places.page) as u32 + 8;
    let at = if up {
        pc + offset
    } else {
        pc.checked_sub(offset)?
    };
    let is_apart = at.abs_diff(pc - 4) >= 8 && at >= 1024 && at % 4 == 0;
    (word & 0x0f7f_f000 == 0x051f_f000 && is_apart && at as usize + 4 <= PAGE)
        .then_some(at as usize)
}
