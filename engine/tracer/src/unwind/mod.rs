//! Unwinding the stacks of processes: by tables that the command makes of their objects, and by
//! frame pointers where there are none.
//!
//! Firings do this, so it neither allocates nor sleeps. It trusts neither the stack nor the tables:
//! memory is only read through [`Stack::word`], and malformed tables or stacks result in a wrong list
//! of addresses, of a bounded length.
//!
//! A walk ends. The stack pointer grows with each step, except out of a function that has stored
//! nothing: its return address is in the link register, which is known in the innermost frame and
//! in one that a signal interrupted, and then no more. A signal handler may have a stack of its own, so
//! the frame that it interrupted may be anywhere; [`Walk`] has a limit, and needs it there.

mod step;
mod table;
#[cfg(test)]
mod tests;

use engine_abi::UnwindRow;

pub use step::caller;
pub use table::Table;

/// A stack, and the tables for its code.
pub trait Stack {
    /// Reads a word of the process's memory.
    fn word(&mut self, address: usize) -> Option<usize>;

    /// The row for an address of the process; none if no object with a table is there.
    fn row(&mut self, address: usize) -> Option<UnwindRow>;
}

/// What depends on the instruction set and its calling convention.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Convention {
    /// The size of a word, in bytes.
    pub word: usize,
    /// The bits of a return address that are an address: not that of Thumb, and no signature.
    pub address: usize,
    /// Whether a call pushes the return address, and does not leave it in the link register.
    pub call_pushes: bool,
    /// Where a frame pointer leads; none if compilers do not agree on it.
    pub chain: Option<Chain>,
}

/// What a frame with a frame pointer has for its caller, in bytes from the frame pointer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Chain {
    /// Where the caller's frame pointer is.
    pub fp: isize,
    /// Where the return address is.
    pub ra: isize,
    /// The end of both: the least that the caller's stack pointer can be.
    pub end: isize,
}

/// The registers of a frame.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Frame {
    /// The instruction that it continues with.
    pub pc: usize,
    /// Its stack pointer.
    pub sp: usize,
    /// Its frame pointer, or what else it has in that register.
    pub fp: usize,
    /// Its link register; none if the value is not known.
    pub lr: Option<usize>,
    /// What is at `pc`.
    pub at: At,
}

/// Where a frame continues.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum At {
    /// At a function's first instruction. Its caller is known without a table; tables for 32-bit
    /// ARM do not describe a function's prologue.
    Entry,
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

/// The frames of a stack, innermost first, up to a limit.
#[derive(Debug)]
pub struct Walk<'s, S> {
    stack: &'s mut S,
    convention: &'s Convention,
    next: Result<Frame, End>,
    left: usize,
}

impl<'s, S: Stack> Walk<'s, S> {
    /// A walk from a frame, which is the first of at most `limit`.
    pub fn new(stack: &'s mut S, convention: &'s Convention, frame: Frame, limit: usize) -> Self {
        Self {
            stack,
            convention,
            next: Ok(frame),
            left: limit,
        }
    }

    /// Why there are no more frames; none if the limit was reached before.
    pub fn end(&self) -> Option<End> {
        self.next.err()
    }
}

impl<S: Stack> Iterator for Walk<'_, S> {
    type Item = Frame;

    fn next(&mut self) -> Option<Frame> {
        let frame = self.next.ok()?;
        self.left = self.left.checked_sub(1)?;
        self.next = caller(self.stack, self.convention, &frame);
        Some(frame)
    }
}
