//! The indexes of the registers of x86-64 in a state.

/// Index of rsp.
pub const RSP: usize = 4;
/// The program counter.
pub const RIP: usize = 16;
/// The flags.
pub const RFLAGS: usize = 17;
/// The base of FS, followed by that of GS.
pub const FS_BASE: usize = 18;
/// The number of core registers.
pub const CORE: usize = 20;
/// MXCSR, followed by x87's control, status and tag words.
pub const MXCSR: usize = 20;
/// x87's stack: for each register its significand, then its sign and exponent.
pub const ST0: usize = 24;
/// The 512-bit vectors, eight entries each.
pub const ZMM0: usize = 40;
/// Entries per vector.
pub const ZMM: usize = 8;
/// The mask registers.
pub const K0: usize = ZMM0 + 32 * ZMM;
