//! x86: 64-bit mode, and 32-bit programs.
//!
//! Headings are those of volume 2 of the Intel 64 and IA-32 Architectures Software Developer's
//! Manual, whose notation the rows use.

mod abi;
mod body;
mod condition;
mod control;
mod decide;
mod emulate;
mod encoding;
mod entry;
mod index;
mod instruction;
mod notation;
mod opening;
mod operand;
mod out_of_line;
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
pub use entry::{Entry, NoJump, displaced};
pub use opening::Mode;
pub use out_of_line::{OutOfLine, Unmoved};
pub use register::Regs;
pub use relocate::Relocation;
pub use rows::{ROWS, length, length_ia32, plan, plan_ia32, row, row_ia32};
pub use table::Row;

/// The breakpoint, INT3, which replaces the first byte of a probed instruction.
pub const TRAP: u8 = 0xcc;

/// The maximum length of an instruction in bytes.
pub const LONGEST: usize = 15;
