//! T16 and T32, in a process.
//!
//! A vector whose instruction may be in an IT block is also run as the last of one, and as one that
//! others follow. Then the text is an IT and the instruction, and exits follow in the block: whether
//! the first one ends the run says which place the instruction has left the block in.

mod near;
mod reach;
mod reading;

use std::ops::Range;

use engine_isa::Plan as Planned;
use engine_isa::Row;
use engine_isa::arm::{Block, Regs, Version, t32};
use fastrand::Rng;

use super::{PC, State, THUMB};
use crate::image::{self, Image, Part};
use crate::instruction::{Plan, Text, Vector};
use crate::places::{PAGE, Places};
use crate::set::{Around, Set};
use reading::Reading;

/// A permanently undefined instruction that no one else uses: ends a run.
const LEAVE: u16 = 0xdef4;

/// The same for ARM state. In Thumb state it is also an exit: [`LEAVE`], and a branch to it.
const ARM_EXIT: u32 = 0xe7fd_def4;

/// The parts of a page that exits of ARM are in.
fn exits_of_arm() -> [Range<usize>; 2] {
    [0..1024, 3 * 1024..PAGE]
}

/// T16 and T32.
pub struct T32;

impl Set for T32 {
    type State = State;

    const POINTER: usize = 4;
    const ENTRY: u64 = 1;
    const LEAVE: &'static [u8] = &LEAVE.to_le_bytes();
    const ROWS: &'static [Row] = t32::ROWS;

    fn text(column: &str) -> Option<Text> {
        let word = u32::from_str_radix(column, 16).ok()?;
        match column.len() {
            4 => Text::new(&(word as u16).to_le_bytes()),
            8 => Text::new(&word.rotate_left(16).to_le_bytes()),
            _ => None,
        }
    }

    fn variants(vector: Vector) -> Vec<Vector> {
        let mut prng = Rng::with_seed(vector.seed(0));
        let condition = prng.u8(..14) << 4;
        let last = 0b1000;
        let before_others = prng.u8(1..8) | prng.u8(..2) << 3;
        let blocks = [last, before_others].map(|mask| in_block(&vector, condition | mask));
        let blocks = blocks.into_iter().flatten();
        blocks.chain([vector]).collect()
    }

    fn offset(text: &Text) -> usize {
        Reading::of(text).offset()
    }

    fn row(text: &Text) -> usize {
        t32::row(Reading::of(text).word)
    }

    /// In a process nothing is unfit: whatever needs a privilege has no effect, or raises a signal,
    /// and a signal is handled on a stack of its own.
    fn unfit(_: &Text, _: Plan) -> Option<&'static str> {
        None
    }

    fn fit(text: &Text, _: &Places) -> Text {
        let mut text = *text;
        let reading = Reading::of(&text);
        let near = near::near(reading.word).rotate_left(16).to_le_bytes();
        let instruction = &mut text.bytes_mut()[reading.offset()..];
        let length = instruction.len();
        instruction.copy_from_slice(&near[..length]);
        text
    }

    fn prepare(text: &Text, page: &mut [u8; PAGE], places: &Places) {
        let reading = Reading::of(text);
        near::prepare(reading.word, reading.offset(), page, places);
    }

    /// Of addresses in the page, every other one is of Thumb.
    fn random_state(prng: &mut Rng, places: &Places) -> State {
        let mut state = State::random(prng, places);
        for register in &mut state.registers[..PC] {
            let is_code = matches!(part(*register, 1, places), Some(Part::Page(_)));
            *register |= u32::from(is_code && prng.bool());
        }
        state.cpsr |= THUMB;
        state
    }

    fn complete(state: &mut State, prng: &mut Rng) {
        state.complete(prng);
    }

    fn is_executed(text: &Text, state: &State) -> bool {
        Reading::of(text).is_executed(state.cpsr)
    }

    fn is_confined(text: &Text, state: &State, around: &Around<'_>) -> bool {
        let reading = Reading::of(text);
        if !reading.is_executed(state.cpsr) {
            return true;
        }
        match t32::plan(reading.word, reading.block()) {
            Planned::Emulate(emulation) => {
                let (r, cpsr) = (state.registers, reading.block().in_status(state.cpsr));
                let mut regs = Regs { r, cpsr };
                regs.r[PC] += reading.offset() as u32;
                let mut memory = Image {
                    around,
                    length: text.bytes().len(),
                    lowest: 0,
                };
                let done = emulation.run(Version::OWN, &mut regs, &mut memory);
                done.is_ok() && is_at_exit(&regs, around)
            }
            Planned::Relocate(_) => access_is_confined(text, reading, state, around.places),
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

/// The vector behind an IT with this condition and mask, unless the engine refuses it there.
fn in_block(vector: &Vector, condition_and_mask: u8) -> Option<Vector> {
    let text = Reading::behind_it(condition_and_mask, &vector.text)?;
    let block = Block::begun(condition_and_mask);
    let plan = t32::plan(Reading::of(&text).word, block).into();
    (plan != Plan::Refuse).then(|| Vector {
        text,
        disassembly: format!("it{block}, {}", vector.disassembly),
        plan,
    })
}

fn part(address: u32, bytes: u32, places: &Places) -> Option<Part> {
    image::part(address.into(), bytes.into(), places)
}

fn access_is_confined(text: &Text, reading: Reading, state: &State, places: &Places) -> bool {
    let Some(reach) = reach::reach(reading.word, state) else {
        return true;
    };
    let (address, bytes) = (reach.address, reach.bytes);
    let is_there = match part(address, bytes, places) {
        Some(Part::Data(_) | Part::Stack(_)) => true,
        Some(Part::Page(_)) => {
            let length = text.bytes().len();
            reach.is_read && !image::is_site(address.into(), bytes.into(), length, places)
        }
        None => false,
    };
    is_there && address.is_multiple_of(reach.aligned)
}

/// Whether an exit of their state is at the registers' pc.
fn is_at_exit(regs: &Regs, around: &Around<'_>) -> bool {
    let at = u64::from(regs.r[PC]).wrapping_sub(around.places.page) as usize;
    let is_exit = |exit: &[u8]| {
        let there = around.page.get(at..).unwrap_or_default();
        at.is_multiple_of(exit.len()) && there.starts_with(exit)
    };
    match regs.cpsr & THUMB {
        0 => is_exit(&ARM_EXIT.to_le_bytes()),
        _ => is_exit(&LEAVE.to_le_bytes()),
    }
}

#[cfg(test)]
mod tests;
