//! x86-64 in 64-bit mode.
//!
//! Headings are those of volume 2 of the Intel 64 and IA-32 Architectures
//! Software Developer's Manual, whose notation the rows are written in.

mod emulate;
mod encoding;
mod fields;
mod operand;
mod register;
mod relocate;
mod rows;
mod table;

pub use emulate::Emulation;
pub use encoding::Encoding;
pub use register::Regs;
pub use relocate::Relocation;
pub use rows::{ROWS, length, plan, row};
pub use table::Row;

/// The byte that takes the place of a probed instruction's first: INT3.
pub const TRAP: u8 = 0xcc;

/// No instruction is longer, in bytes.
pub const LONGEST: usize = 15;
