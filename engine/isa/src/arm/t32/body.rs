//! What a function walk needs to know of Thumb: literals, switches, and IT blocks.

use super::{control, length, next};
use crate::arm::operand::{bit, bits};
use crate::arm::state::Block;
use crate::arm::{LR, PC};
use crate::body::sealed::{Code, Ground};
use crate::body::{Gap, Step, Steps, Unwalked};
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
        Some(from.wrapping_add_signed(super::emulate::far(word)).into())
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
    ) -> Result<(), Unwalked> {
        let word = word(code);
        if let Some((from, bytes)) = literal(word, at as u32) {
            ground.is_data(from.into(), bytes);
        }
        if let Some(from) = address(word, at as u32) {
            ground.has_data(from.into(), 4);
        }
        match control.away {
            Some(Away::Switch) => switch(word, at, ground),
            _ => Ok(()),
        }
    }
}

const fn word(code: &Code) -> u32 {
    let [a, b, c, d, ..] = *code;
    super::word([a, b, c, d])
}

/// `bl`, and `blx` to an address or through a register.
const fn is_call(word: u32) -> bool {
    matches!(word & 0xf800_d000, 0xf000_d000 | 0xf000_c000) || word >> 16 & 0xff87 == 0x4780
}

const fn is_nop(word: u32) -> bool {
    word >> 16 == 0xbf00 || word == 0xf3af_8000
}

/// The literal that a pc-relative load reads: its address and its size in bytes.
const fn literal(word: u32, at: u32) -> Option<(u32, u64)> {
    let pc = at.wrapping_add(4) & !0b11;
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

/// The address that `adr` computes: data of unknown size. An odd one, or one in lr, is where code
/// goes on.
const fn address(word: u32, at: u32) -> Option<u32> {
    let pc = at.wrapping_add(4) & !0b11;
    if word >> 27 == 0b1_0100 {
        return Some(pc.wrapping_add(bits(word, 16, 8) << 2));
    }
    if word & 0x8000 != 0 || bits(word, 8, 4) as usize == LR {
        return None;
    }
    let offset = super::emulate::plain(word);
    let from = match word >> 16 & 0xfbff {
        0xf20f => pc.wrapping_add(offset),
        0xf2af => pc.wrapping_sub(offset),
        _ => return None,
    };
    if from & 1 != 0 { None } else { Some(from) }
}

/// How many instructions before a switch its bound check may be.
const REACH: usize = 8;

/// `tbb [pc, rm]` and `tbh [pc, rm, lsl #1]`, whose tables follow them.
fn switch(word: u32, at: u64, ground: &mut Ground<'_>) -> Result<(), Unwalked> {
    const BY_PC: u32 = 0xe8df_f000;
    if word & 0xffff_ffe0 == BY_PC {
        let first = at.wrapping_add(4);
        let count = bound(bits(word, 0, 4), at, ground)?;
        let bytes = if bit(word, 4) { 2 } else { 1 };
        return distances(first, bytes, count, ground);
    }
    Ok(())
}

/// The number of entries of a switch by this register: one is compared with the highest index, or
/// with their number, and what is beyond is branched away.
fn bound(register: u32, at: u64, ground: &mut Ground<'_>) -> Result<Option<u64>, Unwalked> {
    let mut beyond = None;
    let mut at = at;
    for _ in 0..REACH {
        let Some((from, word)) = before(at, ground)? else {
            return Ok(None);
        };
        at = from;
        if let Some(most) = compared(word, register) {
            return Ok(beyond.map(|beyond: u64| beyond.wrapping_add(most)));
        }
        beyond = beyond.or_else(|| beyond_most(word));
    }
    Ok(None)
}

/// The instruction that ends where the one at this address begins: its address and its word.
fn before(at: u64, ground: &mut Ground<'_>) -> Result<Option<(u64, u32)>, Unwalked> {
    for bytes in [2, 4] {
        let from = at.wrapping_sub(bytes);
        if !ground.is_code(from) {
            continue;
        }
        if let Some(word) = word_at(from, ground)?
            && length(word) as u64 == bytes
        {
            return Ok(Some((from, word)));
        }
    }
    Ok(None)
}

/// The word at an even address.
fn word_at(at: u64, ground: &mut Ground<'_>) -> Result<Option<u32>, Unwalked> {
    let word = ground.word(at)?;
    Ok(word.map(|word| word.rotate_left(16)))
}

/// The number that a register is compared with.
const fn compared(word: u32, register: u32) -> Option<u64> {
    if word >> 27 == 0b0_0101 && bits(word, 24, 3) == register {
        return Some(bits(word, 16, 8) as u64);
    }
    let is_long = word & 0xfbf0_8f00 == 0xf1b0_0f00 && bits(word, 16, 4) == register;
    if is_long {
        return Some(super::emulate::expanded(super::emulate::plain(word)) as u64);
    }
    None
}

/// How many more entries a switch has than it is compared with, if this lets only as many through:
/// a branch under the opposite condition, or `it` under this one.
const fn beyond_most(word: u32) -> Option<u64> {
    /// Unsigned lower, and lower or same; the opposite differs in the lowest bit.
    const LESS: u32 = 0b0011;
    const NO_MORE: u32 = 0b1001;
    let condition = if word >> 28 == 0b1101 {
        bits(word, 24, 4) ^ 1
    } else if word & 0xf800_d000 == 0xf000_8000 {
        bits(word, 22, 4) ^ 1
    } else if word >> 24 == 0xbf && bits(word, 16, 4) != 0 {
        bits(word, 20, 4)
    } else {
        return None;
    };
    match condition {
        LESS => Some(0),
        NO_MORE => Some(1),
        _ => None,
    }
}

/// A table of the distances from its beginning, in halfwords, each of one byte or two. If their
/// number is unknown, the table ends at the lowest address that it leads to.
fn distances(
    first: u64,
    bytes: u64,
    count: Option<u64>,
    ground: &mut Ground<'_>,
) -> Result<(), Unwalked> {
    let mut at = first;
    let end = count.map(|count| first.wrapping_add(count.wrapping_mul(bytes)));
    let mut lowest = u64::MAX;
    while end.unwrap_or(lowest) > at {
        let Some(word) = ground.word(at & !1)? else {
            break;
        };
        let halves = match (bytes, at & 1) {
            (2, _) => word & 0xffff,
            (_, 0) => word & 0xff,
            _ => word >> 8 & 0xff,
        };
        let target = first.wrapping_add(u64::from(halves).wrapping_mul(2));
        if !ground.holds(target) {
            break;
        }
        ground.reach(target);
        lowest = lowest.min(target);
        at = at.wrapping_add(bytes);
    }
    // A table of an odd number of bytes is followed by one of padding.
    let table = at.wrapping_sub(first);
    ground.is_data(first, table.wrapping_add(table & 1));
    Ok(())
}
