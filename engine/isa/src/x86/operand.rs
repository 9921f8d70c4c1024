//! The operands of emulated x86 instructions.

use core::fmt;

use super::Regs;
use super::register::General;
use crate::mutant::{self, Mutant};
use crate::{Fault, Memory, Width};

/// The low `width` of a value.
pub(super) const fn low(width: Width, value: u64) -> u64 {
    match width {
        Width::One => value & 0xff,
        Width::Two => value & 0xffff,
        Width::Four => value & 0xffff_ffff,
        Width::Eight => value,
    }
}

/// A memory operand's address.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Address {
    pub(super) base: Base,
    /// A register and the power of two that scales it.
    pub(super) index: Option<(General, u8)>,
    pub(super) displacement: i32,
    /// Whether the address has 32 bits.
    pub(super) narrow: bool,
}

/// What an address is relative to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Base {
    None,
    Register(General),
    NextInstruction,
}

/// The target of a branch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Target {
    /// Relative to the next instruction.
    Relative(i32),
    /// The value of a register.
    Register(General),
    /// A value in memory.
    Memory(Address),
}

impl Address {
    /// The effective address. The instruction pointer in `regs` is that of the next instruction, as
    /// everywhere in this file.
    pub(super) fn effective(self, regs: &Regs) -> u64 {
        let base = match self.base {
            Base::None => 0,
            Base::Register(register) => regs.general(register),
            Base::NextInstruction => regs.ip,
        };
        let index = match self.index {
            None => 0,
            Some((register, scale)) => regs.general(register).wrapping_shl(scale.into()),
        };
        let sum = base.wrapping_add(index);
        if mutant::is_chosen(Mutant::AddressesWide) {
            return sum.wrapping_add_signed(self.displacement.into());
        }
        low(
            self.width(),
            sum.wrapping_add_signed(self.displacement.into()),
        )
    }

    const fn width(self) -> Width {
        if self.narrow {
            Width::Four
        } else {
            Width::Eight
        }
    }
}

impl Target {
    /// The target address, `width` wide; loads it from memory if need be.
    pub(super) fn address(
        self,
        width: Width,
        regs: &Regs,
        memory: &mut impl Memory,
    ) -> Result<u64, Fault> {
        match self {
            Self::Relative(distance) => {
                Ok(low(width, regs.ip.wrapping_add_signed(distance.into())))
            }
            Self::Register(register) => Ok(low(width, regs.general(register))),
            Self::Memory(address) => memory.load(address.effective(regs), width),
        }
    }

    /// Disassembler syntax, for an instruction of this length at address 0.
    pub(super) fn write(
        self,
        width: Width,
        length: u8,
        out: &mut fmt::Formatter<'_>,
    ) -> fmt::Result {
        let size = match width {
            Width::Eight => "qword",
            _ => "dword",
        };
        match self {
            Self::Relative(distance) => {
                let target = u64::from(length).wrapping_add_signed(distance.into());
                write!(out, "{}", Number(low(width, target)))
            }
            Self::Register(register) => out.write_str(register.name(width)),
            Self::Memory(address) => write!(out, "{size} ptr {address}"),
        }
    }
}

/// `[rdi + rax*8 - 0x10]`.
impl fmt::Display for Address {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("[")?;
        let base = match self.base {
            Base::None => None,
            Base::Register(register) => Some(register.name(self.width())),
            Base::NextInstruction if self.narrow => Some("eip"),
            Base::NextInstruction => Some("rip"),
        };
        out.write_str(base.unwrap_or_default())?;
        if let Some((register, scale)) = self.index {
            let plus = if base.is_some() { " + " } else { "" };
            write!(out, "{plus}{}", register.name(self.width()))?;
            if scale != 0 {
                write!(out, "*{}", 1_u32.wrapping_shl(scale.into()))?;
            }
        }
        let displacement = i64::from(self.displacement);
        match (displacement, base.is_some() || self.index.is_some()) {
            (0, true) => {}
            (below @ ..0, true) => write!(out, " - {}", Number(below.unsigned_abs()))?,
            (above, true) => write!(out, " + {}", Number(above.cast_unsigned()))?,
            (absolute, false) => {
                let absolute = low(self.width(), absolute.cast_unsigned());
                write!(out, "{}", Number(absolute))?;
            }
        }
        out.write_str("]")
    }
}

/// A number with its sign: `-0x80`.
pub(super) struct Signed(pub(super) i64);

impl fmt::Display for Signed {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let sign = if self.0 < 0 { "-" } else { "" };
        write!(out, "{sign}{}", Number(self.0.unsigned_abs()))
    }
}

/// A number in hexadecimal, without `0x` below 10: `9`, `0xa`.
pub(super) struct Number(pub(super) u64);

impl fmt::Display for Number {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            digit @ 0..=9 => write!(out, "{digit}"),
            number => write!(out, "{number:#x}"),
        }
    }
}
