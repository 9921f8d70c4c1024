//! Register allocation.

use engine_dvm::REGISTERS;

/// A register.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Register(u8);

impl Register {
    /// The register that is always 0 and never allocated.
    pub(super) const ZERO: Self = Self(0);

    /// Its number.
    pub(super) fn number(self) -> u8 {
        self.0
    }
}

/// The registers in use.
#[derive(Debug)]
pub(super) struct Registers(u16);

impl Registers {
    /// Only `r0` is in use.
    pub(super) const FREE: Self = Self(1);

    /// Allocates a register, if one is free.
    pub(super) fn take(&mut self) -> Option<Register> {
        let number = (1..REGISTERS).find(|number| self.0 >> number & 1 == 0)?;
        self.0 |= 1 << number;
        Some(Register(number))
    }

    /// Releases a register.
    pub(super) fn give(&mut self, register: Register) {
        self.0 &= !(1 << register.0) | 1;
    }

    /// Allocates this register, which must be free.
    pub(super) fn claim(&mut self, register: Register) {
        self.0 |= 1 << register.0;
    }

    /// Whether none is in use.
    pub(super) fn are_free(&self) -> bool {
        self.0 == 1
    }
}
