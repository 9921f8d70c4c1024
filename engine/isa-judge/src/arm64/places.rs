//! A64, and the indexes of its registers in a state.

/// A64.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct A64;

/// Index of the stack pointer in a state.
pub const SP: usize = 31;
/// The program counter.
pub const PC: usize = 32;
/// The processor state.
pub const PSTATE: usize = 33;
/// FPCR, followed by FPSR.
pub const FPCR: usize = 34;
/// The first vector register; each has two entries.
pub const Q0: usize = 36;
