//! Where control goes after an A64 instruction.

use super::operand::signed;
use crate::{Away, Control};

/// The `brk` immediate of Linux's WARN and BUG.
const WARNING: u32 = 0x800;

/// Where control goes after the instruction `word` at the address `at`.
#[must_use]
pub const fn control(word: u32, at: u64) -> Control {
    // Every branch and every trap except `udf` has these bits.
    if word & 0x1c00_0000 != 0x1400_0000 {
        return not_a_branch(word);
    }
    match word >> 24 {
        0x14..=0x17 => Control::to(target(word, 0, 26, at), false),
        0x54 => Control::to(target(word, 5, 19, at), word & 0b1110 != 0b1110),
        0x34 | 0x35 | 0xb4 | 0xb5 => Control::to(target(word, 5, 19, at), true),
        0x36 | 0x37 | 0xb6 | 0xb7 => Control::to(target(word, 5, 14, at), true),
        0xd4 => trap(word),
        0xd6 | 0xd7 => by_register(word),
        _ => Control::NEXT,
    }
}

/// `udf` is any word whose upper half is 0.
const fn not_a_branch(word: u32) -> Control {
    if word >> 16 == 0 {
        return Control::END;
    }
    Control::NEXT
}

/// The pc-relative target: a signed number of words in `bits` bits from `low` up.
const fn target(word: u32, low: u32, bits: u32, at: u64) -> Away {
    let mask = 1_u32.wrapping_shl(bits).wrapping_sub(1);
    let words = signed(word.wrapping_shr(low) & mask, bits);
    Away::To(at.wrapping_add_signed(words.wrapping_mul(4)))
}

/// `brk` with the immediate of a warning continues; any other ends. `svc`, `hvc` and `smc` are
/// calls.
const fn trap(word: u32) -> Control {
    if word & 0xffe0_001f == 0xd420_0000 && word >> 5 & 0xffff != WARNING {
        return Control::END;
    }
    Control::NEXT
}

/// `br`, `blr`, `ret`, `eret`, and their authenticating forms.
const fn by_register(word: u32) -> Control {
    match word >> 21 & 0b111 {
        0b000 => Control::to(Away::Indirect, false),
        0b010 => Control::to(Away::Return, false),
        0b100 | 0b101 => Control::END,
        _ => Control::NEXT,
    }
}
