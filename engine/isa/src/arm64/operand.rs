//! What the fields of A64 encodings stand for.

use core::fmt;

use super::Regs;
use crate::{Fault, Memory, Width};

/// How much of a register an instruction works on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Size {
    /// The low 32 bits; what is written there clears the rest.
    W,
    /// All 64 bits.
    X,
}

impl Size {
    /// The size that the field `sf`, or its like, stands for.
    pub(super) const fn of(sf: u32) -> Self {
        match sf {
            0 => Self::W,
            _ => Self::X,
        }
    }

    /// The part of `value` that a register of this size has room for.
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

/// A general-purpose register. Number 31 is none of them: it reads as zero, and
/// what is written to it is gone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Register {
    pub(super) number: u32,
    pub(super) size: Size,
}

impl Register {
    pub(super) fn read(self, regs: &Regs) -> u64 {
        let value = regs.x.get(self.number as usize).copied();
        self.size.part(value.unwrap_or(0))
    }

    pub(super) fn write(self, regs: &mut Regs, value: u64) {
        if let Some(register) = regs.x.get_mut(self.number as usize) {
            *register = self.size.part(value);
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

/// A base register and an offset. Here number 31 is the stack pointer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Address {
    pub(super) base: u32,
    pub(super) offset: i64,
}

impl Address {
    /// The address, unless it is to be made of a stack pointer that is not a
    /// multiple of 16, which Linux has the processor fault on (D1.3.10.2).
    pub(super) fn resolve(self, regs: &Regs) -> Result<u64, Fault> {
        let base = match regs.x.get(self.base as usize) {
            Some(&base) => base,
            None if regs.sp & 0b1111 != 0 => return Err(Fault { address: regs.sp }),
            None => regs.sp,
        };
        Ok(base.wrapping_add_signed(self.offset))
    }
}

/// `[sp]`, `[x1, #0x8]`, `[x1, #-0x8]`.
impl fmt::Display for Address {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.base {
            31 => out.write_str("[sp")?,
            number => write!(out, "[x{number}")?,
        }
        let distance = self.offset.unsigned_abs();
        match self.offset {
            0 => out.write_str("]"),
            ..0 => write!(out, ", #-{distance:#x}]"),
            _ => write!(out, ", #{distance:#x}]"),
        }
    }
}

/// What a load makes of memory: an unsigned or a signed number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Datum {
    pub(super) width: Width,
    pub(super) signed: bool,
}

impl Datum {
    /// Loads it, extended to 64 bits.
    pub(super) fn load(self, address: u64, memory: &mut impl Memory) -> Result<u64, Fault> {
        let value = memory.load(address, self.width)?;
        Ok(match self.width {
            Width::One if self.signed => value as i8 as u64,
            Width::Two if self.signed => value as i16 as u64,
            Width::Four if self.signed => value as i32 as u64,
            _ => value,
        })
    }
}

/// What is put behind `ldr`: nothing where the register's name says it all.
impl fmt::Display for Datum {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(match (self.signed, self.width) {
            (false, Width::One) => "b",
            (false, Width::Two) => "h",
            (true, Width::One) => "sb",
            (true, Width::Two) => "sh",
            (true, Width::Four) => "sw",
            _ => "",
        })
    }
}

/// The width that a field `size` stands for: two to its power.
pub(super) const fn width(size: u32) -> Width {
    match size {
        0b00 => Width::One,
        0b01 => Width::Two,
        0b10 => Width::Four,
        _ => Width::Eight,
    }
}

/// The number that the lowest `bits` bits of `field` are in two's complement.
pub(super) const fn signed(field: u32, bits: u32) -> i64 {
    let unused = i64::BITS.wrapping_sub(bits);
    (field as i64).wrapping_shl(unused).wrapping_shr(unused)
}
