//! What a function walk needs to know of A64: literals, and that `br` is a switch.

use super::control::control;
use crate::body::sealed::{Code, Ground};
use crate::body::{Gap, Step, Steps, Unwalked};
use crate::mutant::{self, Mutant};
use crate::{Away, Control};

/// A64, as a function walk decodes it.
///
/// `br` is always taken for a switch, never for an exit: kernels are built with frame pointers, so
/// compiled code does not use it for tail calls.
#[derive(Clone, Copy, Debug)]
pub struct A64;

impl Steps for A64 {
    const ALIGN: u64 = 4;
    const PARTS: u64 = 1024;
    type Place = ();

    fn step(code: &Code, at: u64, (): ()) -> Step {
        let word = word(code);
        Step {
            length: 4,
            control: with_switch(control(word, at)),
            goes_on: !(is_call(word) || word == NOP),
        }
    }

    fn next_place(_: &Code, (): ()) {}

    /// `bl`.
    fn call(code: &Code, at: u64) -> Option<u64> {
        let word = word(code);
        let words = super::operand::signed(word & 0x3ff_ffff, 26);
        (word >> 26 == 0b10_0101).then(|| at.wrapping_add_signed(words.wrapping_mul(4)))
    }

    fn gap(code: &Code) -> Gap {
        match word(code) {
            0 => Gap::Filling(4),
            _ => Gap::Instruction,
        }
    }

    fn survey(
        code: &Code,
        at: u64,
        control: Control,
        ground: &mut Ground<'_>,
    ) -> Result<Control, Unwalked> {
        if let Some((from, bytes)) = literal(word(code), at) {
            ground.is_data(from, bytes);
        }
        Ok(control)
    }
}

const NOP: u32 = 0xd503_201f;

const fn word(code: &Code) -> u32 {
    let [a, b, c, d, ..] = *code;
    u32::from_le_bytes([a, b, c, d])
}

fn with_switch(control: Control) -> Control {
    match control.away {
        Some(Away::Indirect) if !mutant::is_chosen(Mutant::SwitchIsTail) => Control {
            away: Some(Away::Switch),
            ..control
        },
        _ => control,
    }
}

/// `bl`, `blr`, and `brk`.
const fn is_call(word: u32) -> bool {
    word >> 26 == 0b10_0101 || word & 0xfee0_0000 == 0xd620_0000 || word >> 21 == 0x6a1
}

/// The literal that `ldr` or `ldrsw` reads: its address and its size in bytes.
fn literal(word: u32, at: u64) -> Option<(u64, u64)> {
    if word & 0x3b00_0000 != 0x1800_0000 {
        return None;
    }
    let bytes = match (word >> 30, word >> 26 & 1) {
        (0b00, _) | (0b10, 0) => 4,
        (0b01, _) => 8,
        (0b10, _) => 16,
        _ => return None,
    };
    let words = super::operand::signed(word >> 5 & 0x7_ffff, 19);
    Some((at.wrapping_add_signed(words.wrapping_mul(4)), bytes))
}
