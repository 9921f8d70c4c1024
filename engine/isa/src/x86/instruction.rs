//! An instruction whose row is known: its operands, their positions in its bytes, and its length.

use super::LONGEST;
use super::encoding::{Immediate, Test};
use super::opening::{Mode, Opening, Prefixes};
use super::operand::{Address, Base};
use super::register::General;
use super::relocate::Relocation;
use crate::mutant::{self, Mutant};

/// An instruction.
pub(super) struct Instruction<'a> {
    text: &'a [u8; LONGEST],
    opening: Opening,
    layout: Layout,
    /// Offset of the immediate.
    immediate: usize,
    length: u8,
}

/// What follows a ModRM byte.
#[derive(Clone, Copy, Debug, Default)]
struct Layout {
    sib: bool,
    /// Size of the displacement in bytes.
    displacement: usize,
    /// Whether it is relative to the instruction pointer.
    relative: bool,
}

impl<'a> Instruction<'a> {
    /// Decodes the first instruction of `text`; `None` if it is too long.
    #[inline]
    pub(super) fn read(opening: Opening, test: Test, text: &'a [u8; LONGEST]) -> Option<Self> {
        let (layout, immediate) = if test.modrm {
            let layout = opening.layout(text.get(opening.at.wrapping_add(1)));
            (layout, opening.at.wrapping_add(layout.length()))
        } else {
            (Layout::default(), opening.at)
        };
        let length = immediate.wrapping_add(test.immediate.size(&opening));
        if length > LONGEST {
            return None;
        }
        Some(Self {
            text,
            opening,
            layout,
            immediate,
            length: u8::try_from(length).ok()?,
        })
    }

    /// Its length in bytes.
    pub(super) const fn length(&self) -> u8 {
        self.length
    }

    pub(super) const fn mode(&self) -> Mode {
        self.opening.mode
    }

    pub(super) const fn opcode(&self) -> u8 {
        self.opening.opcode
    }

    pub(super) const fn prefixes(&self) -> &Prefixes {
        &self.opening.prefixes
    }

    /// The bytes after it.
    pub(super) fn behind(&self) -> &[u8] {
        self.text.get(self.length.into()..).unwrap_or(&[])
    }

    /// A copy of it.
    pub(super) fn copy(&self) -> Relocation {
        let relative = self.layout.relative.then(|| self.displacement_at() as u8);
        Relocation::new(
            self.text,
            self.length,
            relative,
            self.is_narrow(),
            self.mode(),
        )
    }

    /// A copy whose last four bytes are relative to the instruction pointer.
    pub(super) fn copy_ending_relative(&self) -> Relocation {
        let relative = Some(self.immediate as u8);
        let narrow = matches!(self.mode(), Mode::Compat);
        Relocation::new(self.text, self.length, relative, narrow, self.mode())
    }

    /// Whether addresses have 32 bits.
    const fn is_narrow(&self) -> bool {
        matches!(self.mode(), Mode::Compat) || self.opening.prefixes.address
    }

    /// The register in the opcode's low bits.
    pub(super) fn opcode_register(&self) -> Option<General> {
        let number = self.opening.opcode & 0b111;
        General::numbered(self.extend_last(number))
    }

    /// A register number from the low bits, extended by REX.B.
    fn extend_last(&self, number: u8) -> u8 {
        if mutant::is_chosen(Mutant::LowRegister) {
            return number;
        }
        self.prefixes().extend(Prefixes::B, number)
    }

    /// The register in the ModRM byte's r/m field, if it is one.
    pub(super) fn register(&self) -> Option<General> {
        let modrm = self.opening.modrm;
        let number = self.extend_last(modrm & 0b111);
        (modrm >= 0xc0).then(|| General::numbered(number)).flatten()
    }

    /// The ModRM byte's reg field, extended.
    pub(super) const fn middle(&self) -> u8 {
        let digit = self.opening.modrm >> 3 & 0b111;
        self.opening.prefixes.extend(Prefixes::R, digit)
    }

    /// The memory operand's address, if it has 32 or 64 bits.
    pub(super) fn address(&self) -> Option<Address> {
        if self.opening.modrm >= 0xc0 || self.opening.has_16_bit_addresses() {
            return None;
        }
        let (mode, number) = (self.opening.modrm >> 6, self.opening.modrm & 0b111);
        let (base, index) = match (mode, number) {
            (_, 0b100) => self.scaled(mode)?,
            (0b00, 0b101) if self.layout.relative => (Base::NextInstruction, None),
            (0b00, 0b101) => (Base::None, None),
            _ => (self.base(number)?, None),
        };
        Some(Address {
            base,
            index,
            displacement: self.signed(self.displacement_at(), self.layout.displacement)?,
            narrow: self.is_narrow(),
        })
    }

    fn base(&self, number: u8) -> Option<Base> {
        let number = self.prefixes().extend(Prefixes::B, number);
        General::numbered(number).map(Base::Register)
    }

    /// Decodes a SIB byte. Index 4 is none, and so is base 5 unless the mode has a displacement.
    fn scaled(&self, mode: u8) -> Option<(Base, Option<(General, u8)>)> {
        let sib = *self.text.get(self.opening.at.wrapping_add(1))?;
        let base = match (mode, sib & 0b111) {
            (0b00, 0b101) => Base::None,
            (_, number) => self.base(number)?,
        };
        let index = self.prefixes().extend(Prefixes::X, sib >> 3 & 0b111);
        let index = match General::numbered(index)? {
            General::Sp => None,
            register => Some((register, sib >> 6)),
        };
        Some((base, index))
    }

    fn displacement_at(&self) -> usize {
        self.immediate.wrapping_sub(self.layout.displacement)
    }

    /// The immediate, sign-extended.
    pub(super) fn number(&self) -> Option<i32> {
        let size = usize::from(self.length).wrapping_sub(self.immediate);
        self.signed(self.immediate, size)
    }

    fn signed(&self, at: usize, size: usize) -> Option<i32> {
        let bytes = self.text.get(at..)?;
        match size {
            0 => Some(0),
            1 => bytes
                .first_chunk()
                .map(|&one| i8::from_le_bytes(one).into()),
            2 => bytes
                .first_chunk()
                .map(|&two| i16::from_le_bytes(two).into()),
            4 => bytes.first_chunk().map(|&four| i32::from_le_bytes(four)),
            _ => None,
        }
    }
}

impl Layout {
    /// The size of the ModRM byte and what follows it, in bytes.
    const fn length(self) -> usize {
        (self.sib as usize)
            .wrapping_add(1)
            .wrapping_add(self.displacement)
    }
}

impl Opening {
    const fn has_16_bit_addresses(&self) -> bool {
        matches!(self.mode, Mode::Compat) && self.prefixes.address
    }

    /// What follows the ModRM byte, which may be a SIB byte.
    fn layout(&self, sib: Option<&u8>) -> Layout {
        let (mode, number) = (self.modrm >> 6, self.modrm & 0b111);
        if mode == 0b11 {
            return Layout::default();
        }
        if self.has_16_bit_addresses() {
            return layout_16(mode, number);
        }
        let has_sib = number == 0b100;
        let absolute = match sib {
            Some(sib) if has_sib => sib & 0b111 == 0b101,
            _ => number == 0b101,
        };
        let displacement = match mode {
            0b01 => 1,
            0b00 if has_sib && mutant::is_chosen(Mutant::SibWithoutBase) => 0,
            0b00 if !absolute => 0,
            _ => 4,
        };
        let bare = mode == 0b00 && number == 0b101;
        Layout {
            sib: has_sib,
            displacement,
            relative: bare && matches!(self.mode, Mode::Long),
        }
    }
}

/// The same with 16-bit addresses.
const fn layout_16(mode: u8, number: u8) -> Layout {
    let displacement = match (mode, number) {
        (0b01, _) => 1,
        (0b10, _) | (0b00, 0b110) => 2,
        _ => 0,
    };
    Layout {
        sib: false,
        displacement,
        relative: false,
    }
}

impl Immediate {
    /// Its size in bytes. REX.W takes precedence over 66 (2.2.1.2).
    fn size(self, opening: &Opening) -> usize {
        let prefixes = &opening.prefixes;
        let wide = prefixes.has(Prefixes::W);
        let small = prefixes.has_size() && !wide;
        let is_32 = matches!(opening.mode, Mode::Compat);
        match self {
            Self::None => 0,
            Self::One => 1,
            Self::Two => 2,
            Self::Three => 3,
            Self::Near if is_32 && small => 2,
            Self::UpToFour | Self::Full if small => 2,
            Self::Full if wide && !mutant::is_chosen(Mutant::ImmediateOfFour) => 8,
            Self::Four | Self::Near | Self::UpToFour | Self::Full => 4,
            Self::Address => match (is_32, prefixes.address) {
                (false, false) => 8,
                (true, true) => 2,
                _ => 4,
            },
            Self::Far if small => 4,
            Self::Far => 6,
        }
    }
}
