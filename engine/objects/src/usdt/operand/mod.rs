//! Where an argument is: operands in the syntax of each architecture's assembler.
//!
//! An operand is parsed from its text alone, then its symbol is replaced by the address in the file.
//! Registers have the numbers that index `uregs[]`, the places in the kernel's `struct pt_regs`.

mod arm;
mod arm64;
mod forms;
mod resolve;
mod x86;

use object::elf;

use crate::elf::machine::Machine;
pub use forms::{Extension, Index, Operand, Parsed};
pub use resolve::Place;

/// Parses an operand: the outer `None` if operands of this machine are not read, the inner one if it
/// is malformed.
pub fn parse(machine: Machine, text: &str) -> Option<Option<Parsed<'_>>> {
    let parse = match elf::Machine(machine.0) {
        elf::EM_X86_64 | elf::EM_386 => x86::parse,
        elf::EM_AARCH64 => arm64::parse,
        elf::EM_ARM => arm::parse,
        _ => return None,
    };
    Some(parse(text))
}
