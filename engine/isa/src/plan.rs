//! The answer that this crate gives for every instruction.

use core::fmt;

use crate::Why;

/// What to do about an instruction that a probe displaces.
///
/// `E` is the instruction set's emulation, `R` its relocated copy; one that
/// relocates nothing says so with [`Infallible`](core::convert::Infallible).
///
/// As text, a plan is what the vectors say: `emulate push {r4, lr}`,
/// `refuse unpredictable`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[must_use]
pub enum Plan<E, R> {
    /// The trap handler does the instruction itself, on the saved registers.
    Emulate(E),
    /// A rewritten copy in a slot of its own does it.
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
