//! What a function walk needs to know of A32: literals, and the two kinds of switch.

use super::control::{constant, control};
use crate::arm::PC;
use crate::arm::operand::{bit, bits};
use crate::body::sealed::{Code, Ground};
use crate::body::{Gap, Step, Steps, Unwalked};
use crate::{Away, Control};

/// A32, as a function walk decodes it.
#[derive(Clone, Copy, Debug)]
pub struct A32;

impl Steps for A32 {
    const ALIGN: u64 = 4;
    const PARTS: u64 = 1024;
    type Place = ();

    fn step(code: &Code, at: u64, (): ()) -> Step {
        let word = word(code);
        Step {
            length: 4,
            control: control(word, at as u32),
            goes_on: !(is_call(word) || is_nop(word)),
        }
    }

    fn next_place(_: &Code, (): ()) {}

    /// `bl`.
    fn call(code: &Code, at: u64) -> Option<u64> {
        let word = word(code);
        let is_bl = bits(word, 24, 4) == 0b1011 && word >> 28 != 0b1111;
        let by = (word << 8).cast_signed() >> 6;
        let to = (at as u32).wrapping_add(8).wrapping_add_signed(by);
        is_bl.then_some(to.into())
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
        let word = word(code);
        if let Some((from, bytes)) = literal(word, at as u32) {
            ground.is_data(from.into(), bytes);
        }
        if let Some(from) = address(word, at as u32) {
            ground.has_data(from.into(), 4);
        }
        if matches!(control.away, Some(Away::Switch)) && is_by_pc(word) {
            switch(word, at, ground)?;
        }
        Ok(control)
    }
}

const fn word(code: &Code) -> u32 {
    let [a, b, c, d, ..] = *code;
    u32::from_le_bytes([a, b, c, d])
}

/// `bl`, and `blx` to an address or through a register.
const fn is_call(word: u32) -> bool {
    bits(word, 24, 4) == 0b1011 || word & 0x0fff_fff0 == 0x012f_ff30 || word >> 25 == 0b111_1101
}

/// `nop`, and the no-op used before it existed.
const fn is_nop(word: u32) -> bool {
    matches!(word, 0xe320_f000 | 0xe1a0_0000)
}

const fn is_by_pc(word: u32) -> bool {
    bits(word, 16, 4) as usize == PC
}

/// The literal that a pc-relative load reads: its address and its size in bytes.
fn literal(word: u32, at: u32) -> Option<(u32, u64)> {
    if !is_by_pc(word) || word >> 28 == 0b1111 {
        return None;
    }
    let offset = bits(word, 0, 12);
    let half = bits(word, 8, 4) << 4 | bits(word, 0, 4);
    let (offset, bytes) = match bits(word, 25, 3) {
        0b010 if bit(word, 20) => (offset, 4),
        0b000 if is_extra_load(word) => (half, if is_dual(word) { 8 } else { 4 }),
        0b110 if is_extension_load(word) => {
            (bits(word, 0, 8) << 2, if bit(word, 8) { 8 } else { 4 })
        }
        _ => return None,
    };
    let pc = at.wrapping_add(8);
    let from = if bit(word, 23) {
        pc.wrapping_add(offset)
    } else {
        pc.wrapping_sub(offset)
    };
    Some((from & !0b11, bytes))
}

/// `ldrh`, `ldrsb`, `ldrsh` and `ldrd` at a constant offset.
const fn is_extra_load(word: u32) -> bool {
    let is_extra = bit(word, 22) && bit(word, 7) && bit(word, 4) && bits(word, 5, 2) != 0;
    is_extra && (bit(word, 20) || is_dual(word))
}

/// `ldrd`, of these.
const fn is_dual(word: u32) -> bool {
    !bit(word, 20) && bits(word, 4, 4) == 0b1101
}

/// `vldr`.
const fn is_extension_load(word: u32) -> bool {
    bit(word, 24) && bit(word, 20) && !bit(word, 21) && bits(word, 9, 3) == 0b101
}

/// The address that `adr` computes: data of unknown size. Written to lr it is a return address, and
/// with offset 0 the instruction wants the pc itself, not data.
const fn address(word: u32, at: u32) -> Option<u32> {
    let is_distance = bits(word, 25, 3) == 0b001 && constant(word) != 0;
    if !(is_distance && is_by_pc(word)) || word >> 28 == 0b1111 {
        return None;
    }
    let pc = at.wrapping_add(8);
    match (bits(word, 20, 5), bits(word, 12, 4)) {
        (_, 14 | 15) => None,
        (0b0_1000, _) => Some(pc.wrapping_add(constant(word))),
        (0b0_0100, _) => Some(pc.wrapping_sub(constant(word))),
        _ => None,
    }
}

/// How far before a switch its bound check may be, in instructions.
const REACH: u64 = 8;
/// The condition LS: unsigned lower or same.
const NO_MORE: u32 = 0b1001;
/// The condition CC: unsigned lower.
const LESS: u32 = 0b0011;

/// `ldrls pc, [pc, rn, lsl #2]`, whose table follows the next instruction, and `addls pc, pc, rn,
/// lsl #2`, which is followed by a row of branches instead.
fn switch(word: u32, at: u64, ground: &mut Ground<'_>) -> Result<(), Unwalked> {
    let first = at.wrapping_add(8);
    let bound = bound(word, at, ground)?;
    if bits(word, 26, 2) == 0b01 {
        return table(first, bound, ground);
    }
    row(first, bound, ground)
}

/// The number of a switch's entries, if its comparison is close enough before it.
fn bound(word: u32, at: u64, ground: &mut Ground<'_>) -> Result<Option<u64>, Unwalked> {
    let compares = 0xe350_0000 | bits(word, 0, 4) << 16;
    for back in 1..=REACH {
        let before = ground.word(at.wrapping_sub(back.wrapping_mul(4)))?;
        let Some(before) = before else {
            return Ok(None);
        };
        if before & 0xffff_f000 == compares {
            let most = u64::from(constant(before));
            return Ok(match word >> 28 {
                NO_MORE => Some(most.wrapping_add(1)),
                LESS => Some(most),
                _ => None,
            });
        }
    }
    Ok(None)
}

/// The words of a table are addresses in the function. If their number is unknown, the table ends
/// at the first word that is not one, or at the lowest address in it.
fn table(first: u64, bound: Option<u64>, ground: &mut Ground<'_>) -> Result<(), Unwalked> {
    let mut at = first;
    let end = bound.map(|count| first.wrapping_add(count.wrapping_mul(4)));
    let mut lowest = u64::MAX;
    while end.unwrap_or(lowest) > at {
        let Some(target) = ground.word(at)?.map(u64::from) else {
            break;
        };
        if !ground.holds(target) {
            break;
        }
        ground.is_data(at, 4);
        ground.reach(target);
        if target > first {
            lowest = lowest.min(target);
        }
        at = at.wrapping_add(4);
    }
    Ok(())
}

/// If the number of entries is unknown, the row ends at the first instruction that is not a branch.
fn row(first: u64, bound: Option<u64>, ground: &mut Ground<'_>) -> Result<(), Unwalked> {
    let mut at = first;
    let end = bound.map(|count| first.wrapping_add(count.wrapping_mul(4)));
    while end.is_none_or(|end| at < end) {
        let Some(word) = ground.word(at)? else {
            break;
        };
        if end.is_none() && word >> 24 != 0xea {
            break;
        }
        ground.reach(at);
        at = at.wrapping_add(4);
    }
    Ok(())
}
