//! The registers that are free.

use engine_dvm::REGISTERS;

/// A register.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Register(u8);

impl Register {
    /// The one that is always 0, and belongs to nobody.
    pub(super) const ZERO: Self = Self(0);

    /// Its number.
    pub(super) fn number(self) -> u8 {
        self.0
    }
}

/// Which registers are in use.
#[derive(Debug)]
pub(super) struct Registers(u16);

impl Registers {
    /// None but the one that is always 0.
    pub(super) const FREE: Self = Self(1);

    /// A register that is free, if there is one.
    pub(super) fn take(&mut self) -> Option<Register> {
        let number = (1..REGISTERS).find(|number| self.0 >> number & 1 == 0)?;
        self.0 |= 1 << number;
        Some(Register(number))
    }

    /// Gives one back.
    pub(super) fn give(&mut self, register: Register) {
        self.0 &= !(1 << register.0) | 1;
    }

    /// Takes this one, which is free.
    pub(super) fn claim(&mut self, register: Register) {
        self.0 |= 1 << register.0;
    }

    /// Whether none is in use.
    pub(super) fn are_free(&self) -> bool {
        self.0 == 1
    }
}
