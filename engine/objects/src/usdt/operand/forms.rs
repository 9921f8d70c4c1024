//! The forms of operands, before and after their symbols are resolved.

use crate::reason::Unreadable;
use crate::usdt::expression::Sum;

/// Where an argument is when its probe fires. Its [size](super::Argument::size) says how much of a
/// register or of memory it is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Operand {
    /// Nowhere: it has this value.
    Constant(i64),
    /// In the register `uregs[number]`, in the bits from `shift` on.
    Register {
        /// The index.
        number: u8,
        /// 8 for `%ah`, otherwise 0.
        shift: u8,
    },
    /// In two registers of 32 bits.
    Pair {
        /// The register with the less significant half.
        low: u8,
        /// The register with the more significant half.
        high: u8,
    },
    /// In memory, at the sum of these.
    Memory {
        /// A register.
        base: Option<u8>,
        /// Another one.
        index: Option<Index>,
        /// A number.
        displacement: i64,
    },
    /// In memory, at this address of the file.
    Address(u64),
    /// Where it cannot be read.
    Unreadable(Unreadable),
}

/// A register that is multiplied to be added to an address.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Index {
    /// The index into `uregs[]`.
    pub register: u8,
    /// By how much it is multiplied: a power of two.
    pub scale: u32,
    /// What of it is taken before.
    pub extension: Extension,
}

/// What is taken of a register.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Extension {
    /// The whole register.
    Whole,
    /// Its lower 32 bits, sign-extended.
    SignedWord,
    /// Its lower 32 bits, zero-extended.
    UnsignedWord,
}

/// An operand with its symbol.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Parsed<'d> {
    Immediate(Sum<'d>),
    Register {
        number: u8,
        shift: u8,
    },
    Memory {
        base: Option<u8>,
        index: Option<Index>,
        displacement: Sum<'d>,
    },
    /// Memory at a displacement from the site.
    Relative(Sum<'d>),
    /// Memory at a base that has the address's other bits already, and the address's lower 12 bits.
    Low12 {
        base: u8,
        address: Sum<'d>,
    },
    Unreadable(Unreadable),
}

impl<'d> Parsed<'d> {
    /// The symbol in it.
    pub fn symbol(&self) -> Option<&'d str> {
        match self {
            Self::Immediate(sum)
            | Self::Relative(sum)
            | Self::Memory {
                displacement: sum, ..
            }
            | Self::Low12 { address: sum, .. } => sum.symbol,
            Self::Register { .. } | Self::Unreadable(_) => None,
        }
    }
}
