//! What the fields of x86-64 encodings stand for.

use core::fmt;

use super::Regs;
use super::register::General;
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

/// What an instruction works on, of the size it works with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Operand {
    Place(Place),
    Immediate(u64),
}

/// An operand that can be written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Place {
    Register(Register),
    Memory(Address, Width),
}

/// A general register, or part of one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Register {
    /// Its low bits.
    Low(General, Width),
    /// The byte above the lowest.
    High(General),
}

/// A memory operand's address, as the encoding gives it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Address {
    pub(super) base: Base,
    /// A register and the power of two that it is multiplied by.
    pub(super) index: Option<(General, u8)>,
    pub(super) displacement: i64,
}

/// What an address counts from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Base {
    None,
    Register(General),
    NextInstruction,
}

impl From<Place> for Operand {
    fn from(place: Place) -> Self {
        Self::Place(place)
    }
}

impl From<u64> for Operand {
    fn from(immediate: u64) -> Self {
        Self::Immediate(immediate)
    }
}

impl Operand {
    /// Its value, extended with zeros.
    pub(super) fn load(self, regs: &Regs, memory: &mut impl Memory) -> Result<u64, Fault> {
        match self {
            Self::Place(place) => place.load(regs, memory),
            Self::Immediate(value) => Ok(value),
        }
    }
}

impl Place {
    /// Its value, extended with zeros. As always here, the instruction pointer
    /// in `regs` is that of the next instruction.
    pub(super) fn load(self, regs: &Regs, memory: &mut impl Memory) -> Result<u64, Fault> {
        match self {
            Self::Register(register) => Ok(register.get(regs)),
            Self::Memory(address, width) => memory.load(address.effective(regs), width),
        }
    }

    /// Makes the low bits of `value` its value.
    pub(super) fn store(
        self,
        value: u64,
        regs: &mut Regs,
        memory: &mut impl Memory,
    ) -> Result<(), Fault> {
        match self {
            Self::Register(register) => {
                register.set(value, regs);
                Ok(())
            }
            Self::Memory(address, width) => {
                memory.store(address.effective(regs), width, low(width, value))
            }
        }
    }

    pub(super) const fn width(self) -> Width {
        match self {
            Self::Register(Register::High(_)) => Width::One,
            Self::Register(Register::Low(_, width)) | Self::Memory(_, width) => width,
        }
    }

    pub(super) const fn is_stack_pointer(self) -> bool {
        matches!(self, Self::Register(Register::Low(General::Sp, _)))
    }

    /// Whether it lies somewhere about where the stack pointer points to.
    pub(super) const fn is_on_stack(self) -> bool {
        matches!(self, Self::Memory(address, _) if matches!(address.base, Base::Register(General::Sp)))
    }
}

impl Register {
    const fn get(self, regs: &Regs) -> u64 {
        match self {
            Self::Low(register, width) => low(width, regs.general(register)),
            Self::High(register) => low(Width::One, regs.general(register) >> 8),
        }
    }

    /// Writes it: four bytes clear the rest of the register, fewer leave it.
    const fn set(self, value: u64, regs: &mut Regs) {
        match self {
            Self::Low(register, width @ (Width::Four | Width::Eight)) => {
                regs.set_general(register, low(width, value));
            }
            Self::Low(register, width) => {
                let rest = regs.general(register) & !low(width, u64::MAX);
                regs.set_general(register, rest | low(width, value));
            }
            Self::High(register) => {
                let rest = regs.general(register) & !0xff00;
                regs.set_general(register, rest | low(Width::One, value) << 8);
            }
        }
    }
}

impl Address {
    /// The address that it is now.
    pub(super) const fn effective(self, regs: &Regs) -> u64 {
        let base = match self.base {
            Base::None => 0,
            Base::Register(register) => regs.general(register),
            Base::NextInstruction => regs.ip,
        };
        let index = match self.index {
            None => 0,
            Some((register, scale)) => regs.general(register).wrapping_shl(scale as u32),
        };
        base.wrapping_add(index)
            .wrapping_add_signed(self.displacement)
    }
}

impl fmt::Display for Operand {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::Place(place) => place.fmt(out),
            Self::Immediate(value) => Number(value).fmt(out),
        }
    }
}

/// `rdi`, `qword ptr [rdi + 0x70]`.
impl fmt::Display for Place {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Register(register) => out.write_str(register.name()),
            Self::Memory(address, Width::One) => write!(out, "byte ptr {address}"),
            Self::Memory(address, Width::Two) => write!(out, "word ptr {address}"),
            Self::Memory(address, Width::Four) => write!(out, "dword ptr {address}"),
            Self::Memory(address, Width::Eight) => write!(out, "qword ptr {address}"),
        }
    }
}

impl Register {
    const fn name(self) -> &'static str {
        match self {
            Self::Low(register, width) => register.name(width),
            Self::High(General::Ax) => "ah",
            Self::High(General::Cx) => "ch",
            Self::High(General::Dx) => "dh",
            Self::High(_) => "bh",
        }
    }
}

/// `[rdi + rax*8 - 0x10]`.
impl fmt::Display for Address {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("[")?;
        let base = match self.base {
            Base::None => None,
            Base::Register(register) => Some(register.name(Width::Eight)),
            Base::NextInstruction => Some("rip"),
        };
        out.write_str(base.unwrap_or_default())?;
        if let Some((register, scale)) = self.index {
            let plus = if base.is_some() { " + " } else { "" };
            write!(out, "{plus}{}", register.name(Width::Eight))?;
            if scale != 0 {
                write!(out, "*{}", 1_u32.wrapping_shl(scale.into()))?;
            }
        }
        match (self.displacement, base.is_some() || self.index.is_some()) {
            (0, true) => {}
            (below @ ..0, true) => write!(out, " - {}", Number(below.unsigned_abs()))?,
            (above, true) => write!(out, " + {}", Number(above.cast_unsigned()))?,
            (absolute, false) => write!(out, "{}", Number(absolute.cast_unsigned()))?,
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

/// A number in hexadecimal, but for what reads the same: `9`, `0xa`.
struct Number(u64);

impl fmt::Display for Number {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            digit @ 0..=9 => write!(out, "{digit}"),
            number => write!(out, "{number:#x}"),
        }
    }
}
