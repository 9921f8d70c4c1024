//! The 32-bit ARM architecture. Each of its instruction sets has its table and its constructors of
//! plans; what both do is here.
//!
//! Section numbers are those of the ARM Architecture Reference Manual for ARMv7-A and ARMv7-R (DDI
//! 0406C), whose encodings and pseudocode cover ARMv6 as well.

use core::mem::offset_of;

mod a32;
mod abi;
mod action;
mod compute;
mod extension;
mod flow;
mod list;
mod operand;
mod relocation;
mod state;
pub mod t32;
mod transfer;

pub use a32::{A32, ROWS, TRAP, control, exclusive, plan, row};
pub use abi::{Arm, Mode};
pub use action::Emulation;
pub use relocation::Relocation;
pub use state::Block;

/// Architecture versions on which the same word behaves differently.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Version {
    /// ARMv6, with unaligned accesses as `SCTLR.U` allows them.
    V6,
    /// ARMv7: data processing that writes the pc can switch to Thumb.
    V7,
}

impl Version {
    /// The version that this is compiled for: a kernel for ARMv7 does not run on ARMv6.
    pub const OWN: Self = if cfg!(target_feature = "v7") {
        Self::V7
    } else {
        Self::V6
    };
}

/// The number of the stack pointer.
const SP: usize = 13;
/// The number of the link register.
const LR: usize = 14;
/// The number of the program counter.
const PC: usize = 15;

/// The registers of interrupted code, laid out like the first 17 words of Linux's `struct pt_regs`.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Regs {
    /// r0 to r12, sp, lr, and pc: the address of the probed instruction.
    pub r: [u32; 16],
    /// The program status: condition flags in bits 31 to 28.
    pub cpsr: u32,
}

const _: () = {
    assert!(size_of::<Regs>() == 68 && align_of::<Regs>() == 4);
    assert!(offset_of!(Regs, cpsr) == 64);
};
