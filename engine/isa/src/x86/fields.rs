//! The fields of one instruction: what its row draws, read from its bytes.
//!
//! Names are those of the manual's instruction column: `r8` is a register of 8
//! bits, `rm` a register or memory of the operand's size. A field that the row
//! does not draw is `None`.

use super::encoding::{Immediate, Prefixes, RegisterField, Shape};
use super::operand::{Address, Base, Place, Register, low};
use super::register::General;
use super::relocate::Relocation;
use super::{Encoding, LONGEST};
use crate::Width;

/// The fields of one instruction.
pub(super) struct Fields {
    prefixes: Prefixes,
    register: Option<u8>,
    rm: Option<Rm>,
    immediate: Option<i64>,
    length: u8,
    relative: Option<u8>,
}

/// What a ModRM byte refers to.
#[derive(Clone, Copy)]
enum Rm {
    Register(u8),
    Memory(Address),
}

impl Fields {
    /// Reads the instruction that `text` begins with, which `encoding` matches.
    pub(super) fn read(encoding: &Encoding, text: &[u8; LONGEST]) -> Option<Self> {
        let shape = encoding.shape;
        let (prefixes, rest) = Prefixes::split(text);
        let (opcode, rest) = rest.split_at_checked(shape.opcode)?;
        let mut bytes = Bytes(rest);
        let modrm = if shape.modrm {
            Some(bytes.next()?)
        } else {
            None
        };
        let rm = match modrm {
            Some(modrm) => Some(Rm::read(modrm, prefixes, &mut bytes)?),
            None => None,
        };
        let behind = LONGEST.checked_sub(bytes.0.len())?;
        let relative = match rm {
            Some(Rm::Memory(Address {
                base: Base::NextInstruction,
                ..
            })) => Some(u8::try_from(behind.checked_sub(4)?).ok()?),
            _ => None,
        };
        let immediate = match shape.immediate {
            Some(immediate) => Some(bytes.signed(immediate.width(prefixes))?),
            None => None,
        };
        let length = LONGEST.checked_sub(bytes.0.len())?;
        Some(Self {
            prefixes,
            register: shape.register_number(*opcode.last()?, modrm, prefixes),
            rm,
            immediate,
            length: u8::try_from(length).ok()?,
            relative,
        })
    }

    /// The length of the instruction in bytes.
    pub(super) const fn length(&self) -> u8 {
        self.length
    }

    /// The copy of the instruction that `text` begins with.
    pub(super) fn same(&self, text: &[u8; LONGEST]) -> Relocation {
        Relocation::new(text, self.length, self.relative, false)
    }

    pub(super) fn r8(&self) -> Option<Place> {
        self.place(self.register?, Width::One)
    }

    pub(super) fn r64(&self) -> Option<Place> {
        self.place(self.register?, Width::Eight)
    }

    pub(super) fn r(&self) -> Option<Place> {
        self.place(self.register?, self.prefixes.operand_width())
    }

    pub(super) fn rm8(&self) -> Option<Place> {
        self.rm_of(Width::One)
    }

    pub(super) fn rm16(&self) -> Option<Place> {
        self.rm_of(Width::Two)
    }

    pub(super) fn rm32(&self) -> Option<Place> {
        self.rm_of(Width::Four)
    }

    pub(super) fn rm(&self) -> Option<Place> {
        self.rm_of(self.prefixes.operand_width())
    }

    pub(super) fn imm8(&self) -> Option<u64> {
        self.immediate_of(Width::One)
    }

    pub(super) fn imm64(&self) -> Option<u64> {
        self.immediate_of(Width::Eight)
    }

    pub(super) fn imm(&self) -> Option<u64> {
        self.immediate_of(self.prefixes.operand_width())
    }

    fn rm_of(&self, width: Width) -> Option<Place> {
        match self.rm? {
            Rm::Register(number) => self.place(number, width),
            Rm::Memory(address) => Some(Place::Memory(address, width)),
        }
    }

    /// The register of this number, where four without a REX are high bytes.
    fn place(&self, number: u8, width: Width) -> Option<Place> {
        let register = match (width, number) {
            (Width::One, 4..=7) if !self.prefixes.has(Prefixes::REX) => {
                Register::High(General::numbered(number & 0b011)?)
            }
            _ => Register::Low(General::numbered(number)?, width),
        };
        Some(Place::Register(register))
    }

    /// The immediate, extended with its sign to `width`.
    fn immediate_of(&self, width: Width) -> Option<u64> {
        Some(low(width, self.immediate?.cast_unsigned()))
    }
}

impl Rm {
    fn read(modrm: u8, prefixes: Prefixes, bytes: &mut Bytes<'_>) -> Option<Self> {
        let (mode, number) = (modrm >> 6, modrm & 0b111);
        if mode == 0b11 {
            return Some(Self::Register(prefixes.extend(Prefixes::B, number)));
        }
        let (base, index) = match (mode, number) {
            (_, 0b100) => scaled(mode, prefixes, bytes)?,
            (0b00, 0b101) => (Base::NextInstruction, None),
            _ => (Base::Register(prefixes.general(Prefixes::B, number)?), None),
        };
        let displacement = match (mode, base) {
            (0b01, _) => bytes.signed(Width::One)?,
            (0b00, Base::Register(_)) => 0,
            _ => bytes.signed(Width::Four)?,
        };
        Some(Self::Memory(Address {
            base,
            index,
            displacement,
        }))
    }
}

/// Reads a SIB byte. Its index of 4 is none, and so is its base of 5 unless a
/// mode asks for a displacement anyway.
fn scaled(
    mode: u8,
    prefixes: Prefixes,
    bytes: &mut Bytes<'_>,
) -> Option<(Base, Option<(General, u8)>)> {
    let sib = bytes.next()?;
    let base = match (mode, sib & 0b111) {
        (0b00, 0b101) => Base::None,
        (_, number) => Base::Register(prefixes.general(Prefixes::B, number)?),
    };
    let index = match prefixes.general(Prefixes::X, sib >> 3 & 0b111)? {
        General::Sp => None,
        register => Some((register, sib >> 6)),
    };
    Some((base, index))
}

impl Shape {
    fn register_number(self, opcode: u8, modrm: Option<u8>, prefixes: Prefixes) -> Option<u8> {
        match self.register? {
            RegisterField::Opcode => Some(prefixes.extend(Prefixes::B, opcode & 0b111)),
            RegisterField::ModRm => Some(prefixes.extend(Prefixes::R, modrm? >> 3 & 0b111)),
        }
    }
}

impl Immediate {
    const fn width(self, prefixes: Prefixes) -> Width {
        match (self, prefixes.operand_width()) {
            (Self::Byte, _) => Width::One,
            (Self::UpToFour, Width::Eight) => Width::Four,
            (_, width) => width,
        }
    }
}

impl Prefixes {
    /// The operand's size where the opcode leaves it open. REX.W goes before
    /// 66 (2.2.1.2).
    const fn operand_width(self) -> Width {
        if self.has(Self::W) {
            Width::Eight
        } else if self.has(Self::SIZE) {
            Width::Two
        } else {
            Width::Four
        }
    }

    /// A register's number with the bit of REX that extends it.
    const fn extend(self, bit: Self, number: u8) -> u8 {
        if self.has(bit) {
            number | 0b1000
        } else {
            number
        }
    }

    fn general(self, bit: Self, number: u8) -> Option<General> {
        General::numbered(self.extend(bit, number))
    }
}

/// The bytes not yet read.
struct Bytes<'a>(&'a [u8]);

impl Bytes<'_> {
    fn take<const N: usize>(&mut self) -> Option<[u8; N]> {
        let (taken, rest) = self.0.split_first_chunk()?;
        self.0 = rest;
        Some(*taken)
    }

    fn next(&mut self) -> Option<u8> {
        self.take().map(u8::from_le_bytes)
    }

    fn signed(&mut self, width: Width) -> Option<i64> {
        match width {
            Width::One => self.take().map(i8::from_le_bytes).map(i64::from),
            Width::Two => self.take().map(i16::from_le_bytes).map(i64::from),
            Width::Four => self.take().map(i32::from_le_bytes).map(i64::from),
            Width::Eight => self.take().map(i64::from_le_bytes),
        }
    }
}
