//! A32, the 32-bit ARM instruction set in ARM state.
//!
//! Where ARMv6 leaves more undefined than ARMv7, the rows follow ARMv6.

mod body;
mod control;
mod decide;
mod emulate;
mod exclusive;
mod relocate;
mod rows;

pub use body::A32;
pub use control::control;
pub use exclusive::exclusive;
pub use rows::{ROWS, plan, row};

/// The breakpoint: the word that replaces a probed instruction.
///
/// It is permanently undefined (UDF, A8.8.247), and Linux uses it for nothing else.
pub const TRAP: u32 = 0xe7f0_01fb;
