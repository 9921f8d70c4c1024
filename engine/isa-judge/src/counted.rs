//! What the census and the function walks use of an instruction set.

use object::Architecture;

use crate::image::{Code, Image};

/// An instruction set. Functions that take an instruction also get the bytes after it.
pub struct Set {
    /// Its name.
    pub name: &'static str,
    /// How much may be refused.
    pub bounds: Bounds,
    /// The architecture in the ELF header.
    pub architecture: Architecture,
    /// An instruction's length in bytes.
    pub length: fn(&Code) -> usize,
    /// Our plan: `emulate`, `relocate`, or `refuse` and the reason's word.
    pub answer: fn(&Code) -> String,
    /// The verdict of kprobes.
    pub kprobes: fn(&Code) -> Verdict,
    /// Whether the instruction at this address is a return.
    pub is_return: fn(&Image, u64, &Code) -> bool,
    /// Its effect on the exclusive monitor.
    pub monitor: fn(&Code) -> Monitor,
    /// Whether it is padding between functions, never executed.
    pub is_filling: fn(&Code) -> bool,
    /// Whether it is an instruction although the image may mark it as data.
    pub is_marked_data: fn(&Code) -> bool,
}

/// What kprobes do about an instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Verdict {
    /// Execute a copy.
    Emulate,
    /// Simulate it in C.
    Simulate,
    /// Reject it.
    Reject,
}

/// Upper limits on refusals.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bounds {
    /// Percentage of all instructions refused for themselves.
    pub percent: f64,
    /// Percentage of all instructions refused for themselves or for their place.
    pub percent_in_all: f64,
    /// Refused first instructions of functions.
    pub first: u64,
    /// Refused returns.
    pub returns: u64,
}

/// An instruction's effect on the exclusive monitor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Monitor {
    /// None.
    Leaves,
    /// Sets it: a trap before it is cleared would break the sequence.
    Opens,
    /// Clears it.
    Closes,
}
