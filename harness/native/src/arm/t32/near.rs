//! What leads far away, changed to stay in the page; and what is put there for it to find.

use super::{ARM_EXIT, exits_of_arm};
use crate::image::put;
use crate::places::{PAGE, Places};

/// Bytes that a distance from the pc is below.
const NEAR: u32 = 1 << 10;

/// The instruction with a distance that keeps it in the page, if it has one of 32 bits.
pub fn near(word: u32) -> u32 {
    const LITERAL: u32 = 0xf81f_0000;
    let is_branch = word & 0xf800_8000 == 0xf000_8000;
    let is_back = word >> 26 & 1 == 1;
    match (word >> 14 & 1, word >> 12 & 1) {
        _ if word & 0xfe1f_0000 == LITERAL => word & !(0xfff & !(NEAR - 1)),
        _ if !is_branch => word,
        // Not all of these have a condition, and so a distance.
        (0, 0) if word >> 23 & 7 == 7 => word,
        (0, 0) => halves(word, 0x003f_0000, is_back, is_back),
        (1, 0) => {
            // To the exits of ARM, which are some way off.
            let word = halves(word, 0x03ff_0000, is_back, true) & !0x7ff | word & 0x1fc;
            word | if is_back { 0x400 } else { 0x200 }
        }
        _ => halves(word, 0x03ff_0000, is_back, true),
    }
}

/// A branch by less than 512 bytes; `above` are the bits of the distance in the first half.
fn halves(word: u32, above: u32, is_back: bool, others: bool) -> u32 {
    const OTHERS: u32 = 1 << 13 | 1 << 11;
    const HIGH: u32 = 0x700;
    let cleared = word & !(above | OTHERS | HIGH);
    let distance = if is_back { above | HIGH } else { 0 };
    cleared | distance | if others { OTHERS } else { 0 }
}

/// Puts into the page exits of ARM, the address that a load of the pc finds, and small numbers for
/// tables of branches. The instruction is so many bytes behind the site.
pub fn prepare(word: u32, offset: usize, page: &mut [u8; PAGE], places: &Places) {
    for part in exits_of_arm() {
        for exit in page[part].chunks_exact_mut(4) {
            exit.copy_from_slice(&ARM_EXIT.to_le_bytes());
        }
    }
    let pc = (places.site - places.page) as usize + offset + 4;
    if let Some(at) = literal(word, pc) {
        let to = places.page as u32 | word >> 2 & 1;
        put(page, at, &to.to_le_bytes());
    }
    if word & 0xfff0_ffe0 == 0xe8d0_f000 {
        /// More than the bytes of the table, in halfwords.
        const BEHIND: u16 = 0x90;
        let table = pc + 12..pc + 12 + 256;
        for (number, entry) in (0..).zip(page[table].chunks_exact_mut(2)) {
            entry.copy_from_slice(&(BEHIND + number % 16).to_le_bytes());
        }
    }
}

/// Where in the page `ldr pc, [pc, #imm]` loads from, if the word is one and the place is usable.
fn literal(word: u32, pc: usize) -> Option<usize> {
    let distance = (word & 0xfff) as usize;
    let from = pc & !3;
    let at = match word >> 23 & 1 {
        1 => from + distance,
        _ => from.checked_sub(distance)?,
    };
    let is_apart = at.abs_diff(from) >= 16 && at.is_multiple_of(4);
    let is_free = !exits_of_arm().iter().any(|part| part.contains(&at));
    (word & 0xff7f_f000 == 0xf85f_f000 && is_apart && is_free).then_some(at)
}
