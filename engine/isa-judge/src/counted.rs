//! What the census and the walks over functions need of an instruction set.

use object::Architecture;

use crate::image::{Code, Image};

/// What is asked of an instruction set. Each instruction is given with whatever stands behind it.
pub struct Set {
    /// What it is called.
    pub name: &'static str,
    /// How much may be refused.
    pub bounds: Bounds,
    /// What an image says that is of this set.
    pub architecture: Architecture,
    /// How many bytes an instruction has.
    pub length: fn(&Code) -> usize,
    /// Our answer: `emulate`, `relocate`, or `refuse` and the reason's word.
    pub answer: fn(&Code) -> String,
    /// The answer of the kernel's own probes.
    pub kprobes: fn(&Code) -> Verdict,
    /// Whether a function of the image returns by the one at this address.
    pub is_return: fn(&Image, u64, &Code) -> bool,
    /// What it does to the monitor of exclusive accesses.
    pub monitor: fn(&Code) -> Monitor,
    /// Whether nobody executes it, where it stands between instructions.
    pub is_filling: fn(&Code) -> bool,
    /// Whether it is an instruction, though the image may say that it is data.
    pub is_marked_data: fn(&Code) -> bool,
}

/// What kprobes does about an instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Verdict {
    /// A copy of it is executed.
    Emulate,
    /// It is done in C.
    Simulate,
    /// No probe can be placed on it.
    Reject,
}

/// The most that may be refused, or be where no probe can stand.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bounds {
    /// In a hundred of all instructions, for what they are.
    pub percent: f64,
    /// In a hundred of all instructions, for what they are or where they stand.
    pub percent_in_all: f64,
    /// Of the instructions that functions begin with.
    pub first: u64,
    /// Of the instructions that functions return by.
    pub returns: u64,
}

/// What an instruction does to the monitor of exclusive accesses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Monitor {
    /// Nothing.
    Leaves,
    /// A trap from here on until it is closed would break what follows.
    Opens,
    /// What was open is closed.
    Closes,
}
