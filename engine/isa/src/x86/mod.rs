//! x86: in 64-bit mode, and programs of 32 bits.
//!
//! Headings are those of volume 2 of the Intel 64 and IA-32 Architectures
//! Software Developer's Manual, whose notation the rows are written in.

mod abi;
mod body;
mod condition;
mod control;
mod decide;
mod emulate;
mod encoding;
mod index;
mod instruction;
mod notation;
mod opening;
mod operand;
mod register;
mod relocate;
mod rows;
mod table;
mod traits;

pub use abi::X86;
pub use body::X64;
pub use control::{control, control_ia32};
pub use emulate::Emulation;
pub use encoding::Encoding;
pub use opening::Mode;
pub use register::Regs;
pub use relocate::Relocation;
pub use rows::{ROWS, length, length_ia32, plan, plan_ia32, row, row_ia32};
pub use table::Row;

/// The byte that takes the place of a probed instruction's first: INT3.
pub const TRAP: u8 = 0xcc;

/// No instruction is longer, in bytes.
pub const LONGEST: usize = 15;
