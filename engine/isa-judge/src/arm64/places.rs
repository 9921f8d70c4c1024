//! A64, and the places of its registers in a state.

/// A64.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct A64;

/// The places of registers in a state.
pub const SP: usize = 31;
/// The program counter.
pub const PC: usize = 32;
/// The processor state.
pub const PSTATE: usize = 33;
/// FPCR, and behind it FPSR.
pub const FPCR: usize = 34;
/// The first of the vector registers, each of which has two places.
pub const Q0: usize = 36;
