//! A64, the instruction set of AArch64 state.
//!
//! Section numbers are those of the Arm Architecture Reference Manual for A-profile architecture,
//! issue M.a (DDI 0487M.a).

use core::mem::offset_of;

mod abi;
mod body;
mod control;
mod decide;
mod emulate;
mod exclusive;
mod flow;
mod operand;
mod out_of_line;
pub mod programs;
mod relocate;
mod rows;
mod transfer;

pub use abi::Arm64;
pub use body::A64;
pub use control::control;
pub use emulate::{Emulation, Processor};
pub use exclusive::exclusive;
pub use out_of_line::{OutOfLine, Unmoved};
pub use programs::WithPrograms;
pub use relocate::Relocation;
pub use rows::{ROWS, plan, row};

/// The immediate of [`TRAP`], by which a `brk` handler recognizes it.
///
/// Linux uses single digits, 0x100, 0x4xx, 0x55xx, 0x8xx, 0x9xx and 0x8000 to 0x83ff; compilers use
/// 1, 0x3e8, 0xc47x and 0xf000 upward.
pub const BRK_IMMEDIATE: u16 = 0xd7ce;

/// The breakpoint: the word that replaces a probed instruction. `brk` (C6.2.49) is a permitted
/// target of every branch.
pub const TRAP: u32 = 0xd420_0000 | (BRK_IMMEDIATE as u32) << 5;

/// The number of the link register.
const LR: usize = 30;

/// The registers of interrupted code, laid out like Linux's `struct user_pt_regs`.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Regs {
    /// x0 to x30.
    pub x: [u64; 31],
    /// The stack pointer. A trap handler can read but not change it: no emulation writes it.
    pub sp: u64,
    /// The address of the probed instruction.
    pub pc: u64,
    /// The processor state as saved in SPSR.
    pub pstate: u64,
}

/// PSTATE.BTYPE, the type of the last branch (D1.4): any other instruction clears it.
const BTYPE: u64 = 0b11 << 10;

impl Regs {
    /// Clears BTYPE, so that the next instruction is not checked as a branch target.
    const fn forget_branch(&mut self) {
        self.pstate &= !BTYPE;
    }
}

const _: () = {
    assert!(size_of::<Regs>() == 272 && align_of::<Regs>() == 8);
    assert!(offset_of!(Regs, sp) == 248);
    assert!(offset_of!(Regs, pc) == 256);
    assert!(offset_of!(Regs, pstate) == 264);
};
