//! Unwinding the stacks of processes: by tables that the command makes of their objects, and by
//! frame pointers where there are none.
//!
//! Firings do this, so it neither allocates nor sleeps. It trusts neither the stack nor the tables:
//! memory is only read through [`Stack::load`], and malformed tables or stacks result in a wrong
//! list of addresses.
//!
//! A walk ends. The stack pointer grows with each step, except out of a function that has stored
//! nothing: its return address is in the link register, which is known in the innermost frame and
//! in one that a signal interrupted, and then no more. A signal handler may have a stack of its own, so
//! the frame that it interrupted may be anywhere: whoever walks needs a limit.

mod chain;
mod step;
mod table;
pub mod tables;
#[cfg(test)]
mod tests;

use engine_abi::UnwindRow;

use crate::platform::FrameLayout;

pub use step::caller;
pub use table::Table;

/// A stack, and the tables for its code.
pub trait Stack {
    /// Reads a process's memory: all of the bytes, or none.
    fn load(&mut self, address: u64, bytes: &mut [u8]) -> Option<()>;

    /// The row for an address of the process; none if no object with a table is there.
    fn row(&mut self, address: u64) -> Option<UnwindRow>;
}

/// The registers of a frame.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Frame {
    /// The instruction that it continues with.
    pub pc: u64,
    /// Its stack pointer.
    pub sp: u64,
    /// Its frame pointer, or what else it has in that register.
    pub fp: u64,
    /// Its link register; none if the value is not known.
    pub lr: Option<u64>,
    /// What is at `pc`.
    pub at: At,
}

/// Where a frame continues.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum At {
    /// In a function that has no frame yet, or no longer: the return address is where the call left
    /// it. No table is needed, and those for 32-bit ARM do not describe such code.
    Bare,
    /// At any instruction, which will be executed next.
    Instruction,
    /// Behind a call, which may be the last instruction of its function.
    Call,
}

/// Why a frame has no caller.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum End {
    /// It is the outermost one.
    Outermost,
    /// No row can express where its caller is.
    NotExpressible,
    /// It has neither a row nor a frame pointer.
    NoTable,
    /// Its return address is in a register whose value is not known.
    Lost,
    /// Its memory cannot be read.
    Unreadable,
    /// Its caller's stack pointer would not be above its own.
    NotGrowing,
}

/// No code is mapped below this address.
const PC_MIN: u64 = 4096;

/// The frame with the return address `ra`, if that may be code.
fn called(layout: FrameLayout, ra: u64, sp: u64, fp: u64) -> Result<Frame, End> {
    let pc = ra & layout.mask;
    let is_code = pc >= PC_MIN && pc >> 56 == 0;
    let frame = Frame {
        pc,
        sp,
        fp,
        lr: None,
        at: At::Call,
    };
    is_code.then_some(frame).ok_or(End::Outermost)
}

/// The `N` words from `address` on.
fn words<const N: usize>(
    stack: &mut impl Stack,
    layout: FrameLayout,
    address: u64,
) -> Result<[u64; N], End> {
    let mut words = [0; N];
    if layout.word == 8 {
        let mut bytes = [[0; 8]; N];
        let loaded = stack.load(address, bytes.as_flattened_mut());
        loaded.ok_or(End::Unreadable)?;
        let read = words.iter_mut().zip(bytes);
        read.for_each(|(word, bytes)| *word = u64::from_ne_bytes(bytes));
    } else {
        let mut bytes = [[0; 4]; N];
        let loaded = stack.load(address, bytes.as_flattened_mut());
        loaded.ok_or(End::Unreadable)?;
        let read = words.iter_mut().zip(bytes);
        read.for_each(|(word, bytes)| *word = u32::from_ne_bytes(bytes).into());
    }
    Ok(words)
}
