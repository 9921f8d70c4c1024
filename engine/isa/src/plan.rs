//! The result of planning for an instruction.

use core::fmt;

use crate::Why;

/// What to do about an instruction that a probe displaces.
///
/// `E` is the instruction set's emulation, `R` its relocated copy; a set that relocates nothing
/// uses [`Infallible`](core::convert::Infallible).
///
/// Printed as in the test vectors: `emulate push {r4, lr}`, `refuse unpredictable`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[must_use]
pub enum Plan<E, R> {
    /// The trap handler emulates the instruction on the saved registers.
    Emulate(E),
    /// A copy, rewritten where necessary, runs in its own slot.
    Relocate(R),
    /// No probe can be placed on it.
    Refuse(Why),
}

impl<E: fmt::Display, R: fmt::Display> fmt::Display for Plan<E, R> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Emulate(emulation) => write!(out, "emulate {emulation}"),
            Self::Relocate(relocation) => write!(out, "relocate {relocation}"),
            Self::Refuse(why) => write!(out, "refuse {}", why.word()),
        }
    }
}
