//! Loads of one register or a pair, from a base register or pc-relative.

use core::fmt;

use super::Regs;
use super::operand::{Distance, Register, width};
use crate::mutant::{self, Mutant};
use crate::{Fault, Memory, Width};

/// A base register and an offset. Here number 31 is the stack pointer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Address {
    base: u8,
    offset: i16,
}

impl Address {
    /// The register with this number, and an offset of at most 13 bits scaled by at most 8, which
    /// fits in 16 bits.
    pub(super) const fn new(base: u32, offset: i64) -> Self {
        Self {
            base: base as u8,
            offset: offset as i16,
        }
    }

    /// The address. A stack pointer that is not a multiple of 16 faults: Linux enables the
    /// alignment check (D1.3.10.2).
    fn resolve(self, regs: &Regs) -> Result<u64, Fault> {
        let base = match regs.x.get(usize::from(self.base)) {
            Some(&base) => base,
            None if regs.sp & 0b1111 != 0 => return Err(Fault { address: regs.sp }),
            None => regs.sp,
        };
        Ok(base.wrapping_add_signed(self.offset.into()))
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

/// How a load extends what it reads: unsigned or signed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Datum {
    width: Width,
    signed: bool,
}

impl Datum {
    /// An unsigned number of 2^`size` bytes.
    pub(super) const fn unsigned(size: u32) -> Self {
        let (width, signed) = (width(size), false);
        Self { width, signed }
    }

    /// A signed number of 2^`size` bytes.
    pub(super) const fn signed(size: u32) -> Self {
        let (width, signed) = (width(size), true);
        Self { width, signed }
    }

    /// Loads it, extended to 64 bits.
    fn load(self, address: u64, memory: &mut impl Memory) -> Result<u64, Fault> {
        let value = memory.load(address, self.width)?;
        Ok(match self.width {
            Width::One if self.signed => value as i8 as u64,
            Width::Two if self.signed => value as i16 as u64,
            Width::Four if self.signed && !mutant::is_chosen(Mutant::WordUnsigned) => {
                value as i32 as u64
            }
            _ => value,
        })
    }
}

/// The suffix after `ldr`; empty if the register's name implies the width.
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

/// A load.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Load {
    One {
        to: Register,
        from: Address,
        datum: Datum,
    },
    /// Pc-relative.
    Literal { to: Register, by: i32, datum: Datum },
}

impl Load {
    pub(super) fn run(self, regs: &mut Regs, memory: &mut impl Memory) -> Result<(), Fault> {
        match self {
            Self::One { to, from, datum } => {
                let value = datum.load(from.resolve(regs)?, memory)?;
                to.write(regs, value);
            }
            Self::Literal { to, by, datum } => {
                let too_far = if mutant::is_chosen(Mutant::LiteralAhead) {
                    4
                } else {
                    0
                };
                let by = by.wrapping_add(too_far);
                let value = datum.load(regs.pc.wrapping_add_signed(by.into()), memory)?;
                to.write(regs, value);
            }
        }
        Ok(())
    }
}

impl fmt::Display for Load {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::One { to, from, datum } => write!(out, "ldr{datum} {to}, {from}"),
            Self::Literal { to, by, datum } => {
                write!(out, "ldr{datum} {to}, {}", Distance(by.into()))
            }
        }
    }
}
