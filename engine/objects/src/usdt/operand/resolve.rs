//! Resolves an operand's symbol to its address in the file.

use super::forms::{Operand, Parsed};
use crate::elf::Elf;
use crate::elf::header::{Class, Kind};
use crate::reason::Unreadable;
use crate::usdt::expression::Sum;
use crate::usdt::lookup::Lookup;

/// What an operand is resolved by.
pub struct Place<'a> {
    pub elf: &'a Elf,
    pub lookup: &'a Lookup<'a>,
    /// The address of the site.
    pub site: u64,
}

impl Parsed<'_> {
    /// The operand, for an argument of a size.
    pub fn operand(&self, size: u8, place: &Place<'_>) -> Result<Operand, Unreadable> {
        match *self {
            Self::Immediate(sum) => Ok(Operand::Constant(place.fixed(sum)?)),
            Self::Register { number, shift: 0 } if size == 8 && place.elf.class == Class::Elf32 => {
                place.pair(number)
            }
            Self::Register { number, shift } => Ok(Operand::Register { number, shift }),
            Self::Memory {
                base: None,
                index: None,
                displacement,
            } if displacement.symbol.is_some() => {
                Ok(Operand::Address(place.address(displacement)?))
            }
            Self::Memory {
                base,
                index,
                displacement,
            } => Ok(Operand::Memory {
                base,
                index,
                displacement: place.fixed(displacement)?,
            }),
            Self::Relative(sum) if sum.symbol.is_some() => {
                Ok(Operand::Address(place.address(sum)?))
            }
            Self::Relative(sum) => {
                let address = place.site.wrapping_add_signed(sum.number);
                Ok(Operand::Address(place.narrow(address)))
            }
            Self::Low12 { base, address } => Ok(Operand::Memory {
                base: Some(base),
                index: None,
                displacement: (place.address(address)? & 0xfff).cast_signed(),
            }),
            Self::Unreadable(ref why) => Err(why.clone()),
        }
    }
}

impl Place<'_> {
    /// The address in the file that a sum stands for.
    fn address(&self, sum: Sum<'_>) -> Result<u64, Unreadable> {
        let symbol = match sum.symbol {
            Some(symbol) => self.lookup.address(symbol)?,
            None => 0,
        };
        Ok(self.narrow(symbol.wrapping_add_signed(sum.number)))
    }

    /// A sum that must not change when the file is loaded elsewhere.
    fn fixed(&self, sum: Sum<'_>) -> Result<i64, Unreadable> {
        match (sum.constant(), self.elf.kind) {
            (Some(number), _) => Ok(number),
            (None, Kind::Fixed) => Ok(self.address(sum)?.cast_signed()),
            (None, Kind::Dynamic) => Err(Unreadable::Relocated),
        }
    }

    fn narrow(&self, address: u64) -> u64 {
        match self.elf.class {
            Class::Elf32 => address & u64::from(u32::MAX),
            Class::Elf64 => address,
        }
    }

    /// Eight bytes in registers of four: compilers take the next one for the upper half.
    fn pair(&self, number: u8) -> Result<Operand, Unreadable> {
        let pair = Operand::Pair {
            low: number,
            high: number.saturating_add(1),
        };
        match self.elf.machine.has_thumb() {
            true => Ok(pair),
            false => Err(Unreadable::Size(8)),
        }
    }
}
