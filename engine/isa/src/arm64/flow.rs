//! Control flow: pc-relative branches, and branches to a register.

use core::fmt;

use super::operand::{Distance, Register, signed};
use super::{LR, Processor, Regs};
use crate::condition::Condition;
use crate::mutant::{self, Mutant};

/// When a branch is taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum When {
    Always,
    /// If the flags satisfy the condition.
    Holds(Condition),
    /// If a register is zero, or nonzero.
    Zero(Register, Sense),
    /// If a bit of a register is zero, or one.
    BitZero(Register, u8, Sense),
}

/// Whether the tested value must be zero.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Sense {
    Zero,
    NotZero,
}

impl Sense {
    /// Decodes bit 24 of `cbz` and `tbz`.
    const fn of(op: u32) -> Self {
        match op {
            0 => Self::Zero,
            _ => Self::NotZero,
        }
    }

    const fn of_value(value: u64) -> Self {
        match value {
            0 => Self::Zero,
            _ => Self::NotZero,
        }
    }

    /// The `n` before `z` in a mnemonic.
    const fn negation(self) -> &'static str {
        match self {
            Self::Zero => "",
            Self::NotZero => "n",
        }
    }
}

/// A branch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Branch {
    /// `b` and the conditional branches, by a distance in bytes.
    Near { when: When, by: i32 },
    /// `bl`.
    Call { by: i32 },
    /// `br`.
    To { to: Register },
    /// `blr`.
    CallTo { to: Register },
    /// `ret`.
    Return { to: Register },
}

impl Branch {
    /// `b` by a signed number of words.
    pub(super) const fn always(words: u32) -> Self {
        let (when, by) = (When::Always, in_bytes(words, 26));
        Self::Near { when, by }
    }

    /// `bl` by a signed number of words.
    pub(super) const fn call(words: u32) -> Self {
        let by = in_bytes(words, 26);
        Self::Call { by }
    }

    /// `b.cond`.
    pub(super) const fn conditional(words: u32, condition: u32) -> Self {
        let when = When::Holds(Condition::of(condition));
        let by = in_bytes(words, 19);
        Self::Near { when, by }
    }

    /// `cbz` and `cbnz`.
    pub(super) const fn on_register(sf: u32, op: u32, words: u32, register: u32) -> Self {
        let when = When::Zero(Register::new(sf, register), Sense::of(op));
        let by = in_bytes(words, 19);
        Self::Near { when, by }
    }

    /// `tbz` and `tbnz` of the bit whose number is `b5:b40`.
    pub(super) const fn on_bit(b5: u32, op: u32, b40: u32, words: u32, register: u32) -> Self {
        let bit = (b5 << 5 | b40) as u8;
        let when = When::BitZero(Register::new(b5, register), bit, Sense::of(op));
        let by = in_bytes(words, 14);
        Self::Near { when, by }
    }

    /// Whether the branch is taken.
    pub(super) fn goes(self, regs: &Regs) -> bool {
        match self {
            Self::Near { when, .. } => when.holds(regs),
            _ => true,
        }
    }

    /// Takes the branch, or advances to the next instruction. Inlined, since a return's trap would
    /// save and restore some ten registers for the call.
    #[inline(always)]
    pub(super) fn run(self, regs: &mut Regs, processor: &impl Processor) {
        let next = regs.pc.wrapping_add(4);
        match self {
            Self::Near { when, by } => {
                regs.pc = if when.holds(regs) {
                    target(by, regs)
                } else {
                    next
                };
                regs.forget_branch();
            }
            Self::Call { by } => {
                regs.pc = target(by, regs);
                link(next, regs);
                regs.forget_branch();
            }
            Self::To { to } => {
                regs.pc = to.read(regs);
                remember(JUMP, regs, processor);
            }
            Self::CallTo { to } => {
                if mutant::is_chosen(Mutant::LinkFirst) {
                    link(next, regs);
                }
                regs.pc = to.read(regs);
                link(next, regs);
                remember(CALL, regs, processor);
            }
            Self::Return { to } => {
                regs.pc = if mutant::is_chosen(Mutant::ReturnToLink) {
                    regs.x[LR]
                } else {
                    to.read(regs)
                };
                regs.forget_branch();
            }
        }
    }
}

/// BTYPE after `br` (FEAT_BTI). On a guarded page it is 0b11 unless the register is x16 or x17.
/// Whether the page is guarded is not known here, and 0b01 is accepted wherever 0b11 is.
const JUMP: u64 = 0b01;
/// BTYPE after `blr`.
const CALL: u64 = 0b10;

/// Sets BTYPE, if the processor has it.
fn remember(kind: u64, regs: &mut Regs, processor: &impl Processor) {
    regs.forget_branch();
    if processor.has_branch_types() && !mutant::is_chosen(Mutant::BranchForgotten) {
        regs.pstate |= kind << 10;
    }
}

fn link(next: u64, regs: &mut Regs) {
    let too_far = if mutant::is_chosen(Mutant::CallPlus8) {
        4
    } else {
        0
    };
    regs.x[LR] = next.wrapping_add(too_far);
}

fn target(by: i32, regs: &Regs) -> u64 {
    let by = if mutant::is_chosen(Mutant::BackIsForth) {
        by.wrapping_abs()
    } else {
        by
    };
    regs.pc.wrapping_add_signed(by.into())
}

/// A signed number of words in a field of `bits` bits, as a distance in bytes.
const fn in_bytes(words: u32, bits: u32) -> i32 {
    (signed(words, bits) as i32).wrapping_mul(4)
}

impl When {
    fn holds(self, regs: &Regs) -> bool {
        match self {
            Self::Always => true,
            Self::Holds(condition) => {
                condition.holds(regs.pstate as u32) != mutant::is_chosen(Mutant::ConditionInverted)
            }
            Self::Zero(register, sense) => {
                let value = if mutant::is_chosen(Mutant::WidthIgnored) {
                    register.whole().read(regs)
                } else {
                    register.read(regs)
                };
                sense == Sense::of_value(value)
            }
            Self::BitZero(register, bit, sense) => {
                let bit = if mutant::is_chosen(Mutant::BitBelow32) {
                    bit & 31
                } else {
                    bit
                };
                sense == Sense::of_value(register.whole().read(regs) >> (bit & 63) & 1)
            }
        }
    }
}

/// `b.eq .-0x8`, `tbnz w3, #0x1, .+0x10`, `blr x8`; `ret x30` is printed as `ret`.
impl fmt::Display for Branch {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::Near { when, by } => write!(out, "{when}{}", Distance(by.into())),
            Self::Call { by } => write!(out, "bl {}", Distance(by.into())),
            Self::To { to } => write!(out, "br {to}"),
            Self::CallTo { to } => write!(out, "blr {to}"),
            Self::Return { to } if to.is_link() => out.write_str("ret"),
            Self::Return { to } => write!(out, "ret {to}"),
        }
    }
}

/// The mnemonic and the operands before the distance.
impl fmt::Display for When {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::Always => out.write_str("b "),
            Self::Holds(condition) => write!(out, "b.{} ", condition.name()),
            Self::Zero(register, sense) => write!(out, "cb{}z {register}, ", sense.negation()),
            Self::BitZero(register, bit, sense) => {
                write!(out, "tb{}z {register}, #{bit:#x}, ", sense.negation())
            }
        }
    }
}
