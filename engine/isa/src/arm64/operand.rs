//! Decoding of the fields of A64 encodings.

use core::fmt;

use super::{LR, Regs};
use crate::Width;
use crate::mutant::{self, Mutant};

/// The width of a register operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Size {
    /// The low 32 bits; a write clears the upper half.
    W,
    /// All 64 bits.
    X,
}

impl Size {
    /// Decodes `sf` or a similar field.
    pub(super) const fn of(sf: u32) -> Self {
        match sf {
            0 => Self::W,
            _ => Self::X,
        }
    }

    /// `value` truncated to this size.
    pub(super) const fn part(self, value: u64) -> u64 {
        match self {
            Self::W => value & 0xffff_ffff,
            Self::X => value,
        }
    }
}

impl fmt::Display for Size {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(match self {
            Self::W => "w",
            Self::X => "x",
        })
    }
}

/// A general-purpose register. Number 31 is the zero register: it reads as zero, and writes to it
/// are discarded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Register {
    number: u8,
    pub(super) size: Size,
}

impl Register {
    /// The register with this number, 64 or 32 bits of it.
    pub(super) const fn new(sf: u32, number: u32) -> Self {
        Self {
            number: number as u8,
            size: Size::of(sf),
        }
    }

    /// The same register, all 64 bits.
    pub(super) const fn whole(self) -> Self {
        Self {
            size: Size::X,
            ..self
        }
    }

    pub(super) const fn number(self) -> u32 {
        self.number as u32
    }

    /// Whether it is the link register.
    pub(super) const fn is_link(self) -> bool {
        self.number as usize == LR
    }

    /// Whether it is the zero register.
    pub(super) const fn is_zero(self) -> bool {
        self.number == 31
    }

    pub(super) fn read(self, regs: &Regs) -> u64 {
        let value = regs.x.get(usize::from(self.number)).copied();
        self.size.part(value.unwrap_or(0))
    }

    pub(super) fn write(self, regs: &mut Regs, value: u64) {
        if let Some(register) = regs.x.get_mut(usize::from(self.number)) {
            let kept = if mutant::is_chosen(Mutant::HighHalfKept) {
                *register & !self.size.part(u64::MAX)
            } else {
                0
            };
            *register = self.size.part(value) | kept;
        }
    }
}

impl fmt::Display for Register {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { number, size } = self;
        match number {
            31 => write!(out, "{size}zr"),
            _ => write!(out, "{size}{number}"),
        }
    }
}

/// A distance from the instruction.
pub(super) struct Distance(pub(super) i64);

/// `.+0x8`.
impl fmt::Display for Distance {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let sign = if self.0 < 0 { '-' } else { '+' };
        write!(out, ".{sign}{:#x}", self.0.unsigned_abs())
    }
}

/// Decodes a `size` field: log2 of the width.
pub(super) const fn width(size: u32) -> Width {
    match size {
        0b00 => Width::One,
        0b01 => Width::Two,
        0b10 => Width::Four,
        _ => Width::Eight,
    }
}

/// The low `bits` bits of `field`, sign-extended.
pub(super) const fn signed(field: u32, bits: u32) -> i64 {
    let unused = i64::BITS.wrapping_sub(bits);
    (field as i64).wrapping_shl(unused).wrapping_shr(unused)
}
