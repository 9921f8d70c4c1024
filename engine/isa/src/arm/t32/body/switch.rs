//! The switches of compilers: `tbb` and `tbh`, and what does without them for larger distances or
//! without Thumb-2.

use super::address;
use crate::arm::operand::{bit, bits};
use crate::arm::t32::emulate::{expanded, plain};
use crate::arm::t32::length;
use crate::arm::{LR, PC};
use crate::body::Unwalked;
use crate::body::sealed::Ground;
use crate::mutant::{self, Mutant};

/// How many instructions before a switch its bound check may be, or behind an address its use.
const REACH: usize = 8;
/// Unsigned higher or same, lower, higher, and lower or same.
const CS: u32 = 0b0010;
const CC: u32 = 0b0011;
const HI: u32 = 0b1000;
const LS: u32 = 0b1001;

/// The register of `add rn, rm` of 16 bits whose sum goes to `rn`: the number of `rm`.
const fn added_to(register: u32, word: u32) -> Option<u32> {
    let to = bits(word, 23, 1) << 3 | bits(word, 16, 3);
    if word >> 24 == 0x44 && to == register {
        return Some(bits(word, 19, 4));
    }
    None
}

/// The base and the index of `ldr.w rt, [rn, rm, lsl #2]`.
const fn indexed(to: u32, word: u32) -> Option<(u32, u32)> {
    let is_word = word & 0xfff0_0ff0 == 0xf850_0020 && bits(word, 12, 4) == to;
    if is_word {
        return Some((bits(word, 16, 4), bits(word, 0, 4)));
    }
    None
}

/// A switch that writes the pc as nothing else does.
pub(super) fn by_pc(word: u32, at: u64, ground: &mut Ground<'_>) -> Result<(), Unwalked> {
    /// `tbb [rn, rm]`, and `tbh [rn, rm, lsl #1]` but for one bit.
    const BY_TABLE: u32 = 0xe8d0_f000;
    if word & 0xfff0_ffe0 == BY_TABLE {
        let pc = at.wrapping_add(4);
        let first = match bits(word, 16, 4) {
            15 => Some(pc),
            base => address_within_reach(base, at, ground)?,
        };
        let Some(first) = first else {
            return Ok(());
        };
        let count = bound(bits(word, 0, 4), at, ground)?;
        let bytes = if bit(word, 4) { 2 } else { 1 };
        return distances(first, pc, bytes, count, ground);
    }
    if let Some(index) = added_to(PC as u32, word) {
        return added(index, at, ground);
    }
    if let Some((base, index)) = indexed(PC as u32, word) {
        let Some(table) = address_before(base, at, ground)? else {
            return Ok(());
        };
        let count = bound(index, at, ground)?;
        return words(table, 0, count, ground);
    }
    Ok(())
}

/// `adr rt; ldr ri, [rt, ri, lsl #2]; add rt, ri; bx rt`: a switch like no call of a function that
/// returns in this one's place. Whether it is one.
pub(super) fn by_register(word: u32, at: u64, ground: &mut Ground<'_>) -> Result<bool, Unwalked> {
    if word >> 16 & 0xff87 != 0x4700 {
        return Ok(false);
    }
    let to = bits(word, 19, 4);
    if to as usize == LR && mutant::is_chosen(Mutant::LinkReturns) {
        return Ok(false);
    }
    let Some((at, add)) = before(at, ground)? else {
        return Ok(false);
    };
    let Some(distance) = added_to(to, add) else {
        return Ok(false);
    };
    let Some((at, load)) = before(at, ground)? else {
        return Ok(false);
    };
    let Some((base, index)) = indexed(distance, load).filter(|(base, _)| *base == to) else {
        return Ok(false);
    };
    let Some(table) = address_before(base, at, ground)? else {
        return Ok(false);
    };
    let count = bound(index, at, ground)?;
    words(table, table, count, ground)?;
    Ok(true)
}

/// `add ri, pc; ldrb ri, [ri, #4]; lsls ri, ri, #1; add pc, ri`, or with `ldrh`: what `tbb` and `tbh`
/// do. The table follows.
fn added(index: u32, at: u64, ground: &mut Ground<'_>) -> Result<(), Unwalked> {
    let (twice, registers) = (0x0040, index << 3 | index);
    let Some((from, shift)) = before(at, ground)? else {
        return Ok(());
    };
    let Some((from, load)) = before(from, ground)? else {
        return Ok(());
    };
    let bytes = match (load >> 16).wrapping_sub(registers) {
        0x7900 => 1,
        0x8880 => 2,
        _ => return Ok(()),
    };
    if shift >> 16 != twice | registers {
        return Ok(());
    }
    let count = bound(index, from, ground)?;
    distances(at.wrapping_add(2), at.wrapping_add(4), bytes, count, ground)
}

/// Whether the address in a register, from the instruction of this length at `at`, is jumped to once
/// an index is added: `add.w rt, rn, ri, lsl #...; mov pc, rt`.
pub(super) fn is_jumped_to(
    register: u32,
    at: u64,
    bytes: u64,
    ground: &mut Ground<'_>,
) -> Result<bool, Unwalked> {
    let (mut register, mut at) = (register, at.wrapping_add(bytes));
    if mutant::is_chosen(Mutant::AddressIsData) {
        return Ok(false);
    }
    for _ in 0..REACH {
        let Some(word) = word_at(at, ground)? else {
            return Ok(false);
        };
        if word & 0xfff0_8030 == 0xeb00_0000 && bits(word, 16, 4) == register {
            register = bits(word, 8, 4);
        } else if word >> 16 == 0x4687 | register << 3 {
            return Ok(true);
        }
        at = at.wrapping_add(length(word) as u64);
    }
    Ok(false)
}

/// The address that `adr` right before this instruction writes to a register.
fn address_before(
    register: u32,
    at: u64,
    ground: &mut Ground<'_>,
) -> Result<Option<u64>, Unwalked> {
    let before = before(at, ground)?;
    let address = before.and_then(|(at, word)| address(word, at as u32));
    let address = address.filter(|(to, _)| *to == register);
    Ok(address.map(|(_, from)| from.into()))
}

/// The same, with others between.
fn address_within_reach(
    register: u32,
    at: u64,
    ground: &mut Ground<'_>,
) -> Result<Option<u64>, Unwalked> {
    let mut at = at;
    for _ in 0..REACH {
        let address = address_before(register, at, ground)?;
        if address.is_some() {
            return Ok(address);
        }
        let Some((from, _)) = before(at, ground)? else {
            break;
        };
        at = from;
    }
    Ok(None)
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
        return Some(expanded(plain(word)) as u64);
    }
    None
}

/// How many more entries a switch has than it is compared with, if this instruction, a branch or
/// `it`, separates what is beyond.
fn beyond_most(word: u32) -> Option<u64> {
    let condition = if word >> 28 == 0b1101 {
        bits(word, 24, 4)
    } else if word & 0xf800_d000 == 0xf000_8000 {
        bits(word, 22, 4)
    } else if word >> 24 == 0xbf && bits(word, 16, 4) != 0 {
        bits(word, 20, 4)
    } else {
        return None;
    };
    match condition {
        CS | CC => Some(0),
        HI | LS if mutant::is_chosen(Mutant::BoundIsCount) => Some(0),
        HI | LS => Some(1),
        _ => None,
    }
}

/// A table of the distances from an address, in halfwords, each of one byte or two. If their number
/// is unknown, the table ends at the lowest address that it leads to.
fn distances(
    first: u64,
    from: u64,
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
        let target = from.wrapping_add(u64::from(halves).wrapping_mul(2));
        if !leads_to(target, ground) {
            break;
        }
        if target > first {
            lowest = lowest.min(target);
        }
        at = at.wrapping_add(bytes);
    }
    // A table of an odd number of bytes is followed by one of padding.
    let table = at.wrapping_sub(first);
    let padding = if mutant::is_chosen(Mutant::PaddingIsCode) {
        0
    } else {
        table & 1
    };
    ground.is_data(first, table.wrapping_add(padding));
    Ok(())
}

/// Marks a target as reached; false if it is none. What never happens leads to the function's end.
fn leads_to(target: u64, ground: &mut Ground<'_>) -> bool {
    ground.reach(target) || ground.holds(target.wrapping_sub(2))
}

/// A table of words: odd addresses, or their distances from `from`. If their number is unknown, the
/// table ends at the first that is not one in the function, or at the lowest behind it.
fn words(
    first: u64,
    from: u64,
    count: Option<u64>,
    ground: &mut Ground<'_>,
) -> Result<(), Unwalked> {
    let mut at = first;
    let end = count.map(|count| first.wrapping_add(count.wrapping_mul(4)));
    let mut lowest = u64::MAX;
    while end.unwrap_or(lowest) > at {
        let Some(word) = ground.word(at)? else {
            break;
        };
        let target = (from as u32).wrapping_add(word) & !1;
        let is_odd = word & 1 == 1;
        if !is_odd || !leads_to(target.into(), ground) {
            break;
        }
        if u64::from(target) > first {
            lowest = lowest.min(target.into());
        }
        at = at.wrapping_add(4);
    }
    ground.is_data(first, at.wrapping_sub(first));
    Ok(())
}
