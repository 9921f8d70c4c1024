//! What a function walk needs to know of Thumb: literals, and IT blocks.

mod switch;

use super::emulate::{far, plain};
use super::{control, length, next};
use crate::arm::PC;
use crate::arm::operand::{bit, bits};
use crate::arm::state::Block;
use crate::body::sealed::{Code, Ground};
use crate::body::{Gap, Step, Steps, Unwalked};
use crate::mutant::{self, Mutant};
use crate::{Away, Control};

/// T16 and T32, as a function walk decodes them.
#[derive(Clone, Copy, Debug)]
pub struct T32;

impl Steps for T32 {
    const ALIGN: u64 = 2;
    const PARTS: u64 = 1024;
    type Place = Block;

    fn step(code: &Code, at: u64, block: Block) -> Step {
        let word = word(code);
        Step {
            length: length(word) as u64,
            control: control(word, block, at as u32),
            goes_on: !(is_call(word) || is_nop(word)),
        }
    }

    fn next_place(code: &Code, block: Block) -> Block {
        if mutant::is_chosen(Mutant::PlaceForgotten) {
            return Block::NONE;
        }
        next(word(code), block)
    }

    /// `bl`, and `blx` to an address, which counts from a multiple of 4.
    fn call(code: &Code, at: u64) -> Option<u64> {
        let word = word(code);
        let pc = (at as u32).wrapping_add(4);
        let from = match word & 0xf800_d000 {
            0xf000_d000 => pc,
            0xf000_c000 => pc & !0b11,
            _ => return None,
        };
        Some(from.wrapping_add_signed(far(word)).into())
    }

    /// What seems to be `movs r0, r0` is padding.
    fn gap(code: &Code) -> Gap {
        match word(code) >> 16 {
            0 => Gap::Filling(2),
            _ => Gap::Instruction,
        }
    }

    fn survey(
        code: &Code,
        at: u64,
        control: Control,
        ground: &mut Ground<'_>,
    ) -> Result<Control, Unwalked> {
        let word = word(code);
        if let Some((from, bytes)) = literal(word, at as u32) {
            ground.is_data(from.into(), bytes);
        }
        if let Some((register, from)) = address(word, at as u32) {
            if switch::is_jumped_to(register, at, length(word) as u64, ground)? {
                ground.reach(from.into());
            } else {
                ground.has_data(from.into(), 4);
            }
        }
        if word >> 16 == BX_PC && !mutant::is_chosen(Mutant::VeneerIsThumb) {
            // What follows is A32.
            ground.has_data(at.wrapping_add(4) & !0b11, 4);
        }
        match control.away {
            Some(Away::Switch) => switch::by_pc(word, at, ground)?,
            Some(_) if switch::by_register(word, at, ground)? => {
                return Ok(Control {
                    away: Some(Away::Switch),
                    ..control
                });
            }
            _ => {}
        }
        Ok(control)
    }
}

const BX_PC: u32 = 0x4778;

const fn word(code: &Code) -> u32 {
    let [a, b, c, d, ..] = *code;
    super::word([a, b, c, d])
}

/// `bl`, and `blx` to an address or through a register.
const fn is_call(word: u32) -> bool {
    matches!(word & 0xf800_d000, 0xf000_d000 | 0xf000_c000) || word >> 16 & 0xff87 == 0x4780
}

/// `nop`, `nop.w`, and `mov r8, r8`, the no-op used before they existed.
const fn is_nop(word: u32) -> bool {
    matches!(word >> 16, 0xbf00 | 0x46c0) || word == 0xf3af_8000
}

/// The literal that a pc-relative load reads: its address and its size in bytes.
fn literal(word: u32, at: u32) -> Option<(u32, u64)> {
    let is_exact = mutant::is_chosen(Mutant::LiteralUnaligned);
    let pc = at.wrapping_add(4) & if is_exact { !0 } else { !0b11 };
    if word >> 27 == 0b0_1001 {
        return Some((pc.wrapping_add(bits(word, 16, 8) << 2), 4));
    }
    if bits(word, 16, 4) as usize != PC {
        return None;
    }
    let short = bits(word, 0, 8) << 2;
    let (offset, bytes) = match word >> 16 & 0xff7f {
        0xf85f => (bits(word, 0, 12), 4),
        // With the pc as its destination this is a hint.
        0xf81f | 0xf83f | 0xf91f | 0xf93f if bits(word, 12, 4) as usize != PC => {
            (bits(word, 0, 12), 4)
        }
        0xe95f => (short, 8),
        0xed1f | 0xed5f if bits(word, 8, 4) == 0b1010 => (short, 4),
        0xed1f | 0xed5f if bits(word, 8, 4) == 0b1011 => (short, 8),
        _ => return None,
    };
    let from = if bit(word, 23) {
        pc.wrapping_add(offset)
    } else {
        pc.wrapping_sub(offset)
    };
    Some((from, bytes))
}

/// The register and the address that `adr` computes: data of unknown size, or code that is jumped to.
/// An odd one is where Thumb code is called, or goes on.
pub(super) const fn address(word: u32, at: u32) -> Option<(u32, u32)> {
    let pc = at.wrapping_add(4) & !0b11;
    if word >> 27 == 0b1_0100 {
        let from = pc.wrapping_add(bits(word, 16, 8) << 2);
        return Some((bits(word, 24, 3), from));
    }
    let offset = plain(word);
    let from = match (word >> 16 & 0xfbff, bit(word, 15)) {
        (0xf20f, false) => pc.wrapping_add(offset),
        (0xf2af, false) => pc.wrapping_sub(offset),
        _ => return None,
    };
    if bit(from, 0) {
        return None;
    }
    Some((bits(word, 8, 4), from))
}
