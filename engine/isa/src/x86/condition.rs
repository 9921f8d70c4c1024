//! When a conditional branch is taken.

use core::fmt;

use super::Regs;
use super::operand::low;
use crate::Width;
use crate::mutant::{self, Mutant};

/// What a conditional branch tests.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Condition {
    /// The flags, by the low four bits of the opcode (B.1.4.7).
    Flags(u8),
    /// The count register, of this width.
    Count(Count, Width),
}

/// How a branch counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Count {
    /// `loopne`: decrements; taken unless the count is 0 or the zero flag is set.
    DownWhileNotEqual,
    /// `loope`: decrements; taken unless the count is 0 or the zero flag is clear.
    DownWhileEqual,
    /// `loop`: decrements; taken unless the count is 0.
    Down,
    /// `jrcxz`: taken if the count is 0.
    IsZero,
}

const CARRY: u64 = 1;
const PARITY: u64 = 1 << 2;
const ZERO: u64 = 1 << 6;
const SIGN: u64 = 1 << 7;
const OVERFLOW: u64 = 1 << 11;

impl Condition {
    /// Whether the branch is taken. Decrements the count.
    pub(super) fn holds(self, regs: &mut Regs) -> bool {
        match self {
            Self::Flags(code) => flags_say(code, regs.flags),
            Self::Count(count, width) => count.holds(width, regs),
        }
    }
}

/// Whether the flags satisfy a condition code. Its lowest bit negates.
fn flags_say(code: u8, flags: u64) -> bool {
    let is_set = |flag: u64| flags & flag != 0;
    let less = is_set(SIGN) != is_set(OVERFLOW);
    let carry = if mutant::is_chosen(Mutant::CarryForOverflow) {
        OVERFLOW
    } else {
        CARRY
    };
    let answer = match code >> 1 & 0b111 {
        0 => is_set(OVERFLOW),
        1 => is_set(carry),
        2 => is_set(ZERO),
        3 => is_set(CARRY) || is_set(ZERO),
        4 => is_set(SIGN),
        5 => is_set(PARITY),
        6 => less,
        _ => less || is_set(ZERO),
    };
    answer != (code & 1 == 1)
}

impl Count {
    fn holds(self, width: Width, regs: &mut Regs) -> bool {
        if self == Self::IsZero {
            return low(width, regs.cx) == 0;
        }
        let counted = low(width, regs.cx.wrapping_sub(1));
        if mutant::is_chosen(Mutant::CountKept) {
            return counted != 0;
        }
        regs.cx = match width {
            Width::One | Width::Two => regs.cx & !low(width, u64::MAX) | counted,
            Width::Four | Width::Eight => counted,
        };
        let equal = regs.flags & ZERO != 0;
        counted != 0
            && match self {
                Self::DownWhileNotEqual => !equal,
                Self::DownWhileEqual => equal,
                _ => true,
            }
    }
}

/// The mnemonic.
impl fmt::Display for Condition {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        const CODES: [&str; 16] = [
            "jo", "jno", "jb", "jae", "je", "jne", "jbe", "ja", "js", "jns", "jp", "jnp", "jl",
            "jge", "jle", "jg",
        ];
        out.write_str(match *self {
            Self::Flags(code) => CODES.get(usize::from(code & 0b1111)).copied().unwrap_or(""),
            Self::Count(Count::DownWhileNotEqual, _) => "loopne",
            Self::Count(Count::DownWhileEqual, _) => "loope",
            Self::Count(Count::Down, _) => "loop",
            Self::Count(Count::IsZero, Width::Eight) => "jrcxz",
            Self::Count(Count::IsZero, Width::Four) => "jecxz",
            Self::Count(Count::IsZero, _) => "jcxz",
        })
    }
}
