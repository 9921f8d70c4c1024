//! Why the note of a USDT probe is no site, and why an argument of one has no value.

use thiserror::Error;

/// What is wrong with a note.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum Reason {
    /// The sizes in its header reach beyond the section: the notes after it cannot be found.
    #[error("it reaches beyond its section, and what follows is not read")]
    Cut,
    /// There are too many before it: their number.
    #[error("there are {0} before it, and what follows is not read")]
    Many(usize),
    /// It is shorter than three addresses.
    #[error("it has {0} bytes, too few for three addresses")]
    Short(usize),
    /// Its provider, name or arguments are not terminated.
    #[error("its {0} does not end")]
    Unterminated(&'static str),
    /// Its provider, name or arguments are not text.
    #[error("its {0} is not UTF-8")]
    Text(&'static str),
    /// Its provider or name has control characters, which a terminal would take for commands.
    #[error("its {0} has control characters")]
    Control(&'static str),
    /// Its provider or name is empty.
    #[error("its {0} is empty")]
    Empty(&'static str),
    /// Its address is in no executable segment.
    #[error("its address {0:#x} is in no executable segment of the file")]
    Address(u64),
    /// Its semaphore is in no writable segment.
    #[error("its semaphore at {0:#x} is in no writable segment")]
    Semaphore(u64),
    /// It has more arguments than any compiler's header allows.
    #[error("it has more than {0} arguments")]
    Arguments(usize),
    /// An argument is malformed: its number from 0, and its text.
    #[error("arg{0}, \"{1}\", is not SIZE@OPERAND")]
    Argument(usize, String),
    /// The operand of an argument is none of the machine: its number from 0, and its text.
    #[error("arg{0}, \"{1}\", has an operand that is none of the machine")]
    Operand(usize, String),
    /// Operands of the machine are not read.
    #[error("it has arguments, and operands of {0} are not read")]
    Machine(String),
}

/// Why the value of an argument cannot be read when its probe fires.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum Unreadable {
    /// It has another size than 1, 2, 4 or 8 bytes.
    #[error("it has {0} bytes")]
    Size(u8),
    /// It is in a register of the floating-point or vector unit.
    #[error("it is in a floating-point or vector register")]
    Vector,
    /// It is in the memory of a thread.
    #[error("it is thread-local")]
    ThreadLocal,
    /// It is at a symbol that the file's tables lack: its name.
    #[error("the file has no symbol {0}")]
    NoSymbol(String),
    /// It is at a symbol that the file has several times: its name.
    #[error("the file has several symbols {0}")]
    Ambiguous(String),
    /// It depends on where the linker has put something: the expression.
    #[error("{0} is known to the linker only")]
    Linked(String),
    /// It adds registers to an address that is not fixed.
    #[error("it adds a register to an address that depends on where the file is loaded")]
    Relocated,
    /// It shifts an index right, or subtracts it.
    #[error("its index is shifted right, rotated or subtracted")]
    Index,
    /// It is relative to the program counter.
    #[error("it is relative to the program counter")]
    Relative,
}
