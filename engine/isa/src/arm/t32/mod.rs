//! T16 and T32, the instruction set of Thumb state: Thumb-2 of ARMv7-A.
//!
//! A word has the halfword at the instruction's address in its upper half, and the one after it in
//! its lower. An instruction of 16 bits is the upper half alone.

mod body;
mod decide;
mod emulate;
mod exclusive;
mod relocate;
mod rows;

use super::{Block, Emulation, Relocation};
use crate::{Control, Plan};

pub use body::T32;
pub use exclusive::exclusive;
pub use rows::{ROWS, row};

/// The breakpoint: the halfword that replaces a probed instruction, or the first half of one.
///
/// It is permanently undefined (UDF, A8.8.247), and Linux uses it for nothing else. A UDF is
/// executed under the condition of its IT block. If that fails, it may trap or do nothing; if it
/// does nothing, what follows it is executed next. So in a block an instruction of 32 bits is
/// replaced by [`LONG_TRAP`].
pub const TRAP: u16 = 0xdefb;

/// The breakpoint in place of an instruction of 32 bits in an IT block.
pub const LONG_TRAP: u32 = 0xf7f0_a0fb;

/// The word at the beginning of `text`.
#[must_use]
pub const fn word(text: [u8; 4]) -> u32 {
    let [a, b, c, d] = text;
    u32::from_le_bytes([c, d, a, b])
}

/// The length in bytes of the instruction that `word` begins with.
#[must_use]
pub const fn length(word: u32) -> usize {
    if word >> 27 < 0b1_1101 { 2 } else { 4 }
}

/// Plans for the instruction that `word` begins with, at this place of an IT block.
pub fn plan(word: u32, block: Block) -> Plan<Emulation, Relocation> {
    let word = alone(word);
    let plan = rows::plan(word);
    if block.is_inside() {
        return decide::in_block(plan, word, block);
    }
    plan
}

/// `word` without what follows its instruction.
const fn alone(word: u32) -> u32 {
    match length(word) {
        2 => word & 0xffff_0000,
        _ => word,
    }
}

/// The place in an IT block after the instruction that `word` begins with.
#[must_use]
pub const fn next(word: u32, block: Block) -> Block {
    let half = (word >> 16) as u16;
    let begins_block = half & 0xff00 == 0xbf00 && half & 0xf != 0;
    if begins_block {
        return Block::begun(half as u8);
    }
    block.next()
}

/// Where control goes after the instruction that `word` begins with, at `at`.
#[must_use]
pub fn control(word: u32, block: Block, at: u32) -> Control {
    /// `udf`, the kernel's BUG.
    const UDF: u32 = 0xde;
    let is_undefined = word >> 24 == UDF || word & 0xfff0_f000 == 0xf7f0_a000;
    match plan(word, block) {
        _ if is_undefined => Control::END,
        Plan::Emulate(emulation) => emulation.control(at, block),
        Plan::Relocate(_) => Control::NEXT,
        Plan::Refuse(_) if leaves_exception(word) => Control {
            next: block.is_inside(),
            away: None,
        },
        Plan::Refuse(_) => Control::NEXT,
    }
}

/// `rfe`, and `subs pc, lr`.
const fn leaves_exception(word: u32) -> bool {
    matches!(word >> 20 & !0b10, 0xe81 | 0xe99) || word & 0xfff0_d000 == 0xf3d0_8000
}
