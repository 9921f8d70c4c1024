//! The places of the registers of x86-64 in a state.

/// The place of rsp in a state.
pub const RSP: usize = 4;
/// The program counter.
pub const RIP: usize = 16;
/// The flags.
pub const RFLAGS: usize = 17;
/// What FS adds, and behind it what GS does.
pub const FS_BASE: usize = 18;
/// How many registers all instructions may be about.
pub const CORE: usize = 20;
/// Control of SSE, and behind it x87's control, status and tags.
pub const MXCSR: usize = 20;
/// x87's stack, each with its significand, and then its sign and exponent.
pub const ST0: usize = 24;
/// Vectors of 512 bits, of eight places each.
pub const ZMM0: usize = 40;
/// How many places a vector has.
pub const ZMM: usize = 8;
/// Masks.
pub const K0: usize = ZMM0 + 32 * ZMM;
