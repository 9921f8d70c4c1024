//! What a running program requires of its caller.

use crate::names::Builtin;

/// Memory that could not be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Unreadable;

/// The system could not, or would not, do what a program asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Refused;

/// What a destructive program does to the system.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Destructive {
    /// Sends a signal to the current process.
    Raise(u64),
    /// Stops the current process.
    Stop,
    /// Spins for so many nanoseconds.
    Chill(u64),
    /// Panics the kernel.
    Panic,
    /// Enters the kernel's debugger.
    Breakpoint,
}

/// What a variable that is not a scalar holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Held {
    /// Nothing: it was never set.
    Nothing,
    /// The null address.
    Null,
    /// A value.
    Value,
}

/// The firing that a program runs for, and the system around it. Every method is called in any
/// context: it must not sleep, allocate or panic.
///
/// Variables and aggregations are numbered by their rows in the verified program's tables; keys,
/// values and offsets have the sizes declared there.
pub trait Env {
    /// Reads kernel memory.
    fn load(&mut self, address: u64, bytes: &mut [u8]) -> Result<(), Unreadable>;

    /// Reads memory of the current process.
    fn load_user(&mut self, address: u64, bytes: &mut [u8]) -> Result<(), Unreadable>;

    /// A numeric built-in variable; 0 if it does not exist in this firing.
    fn builtin(&mut self, builtin: Builtin, index: u64) -> u64;

    /// Writes a string built-in variable into `text`, truncated to fit. Returns the number of bytes
    /// written.
    fn builtin_text(&mut self, builtin: Builtin, text: &mut [u8]) -> usize;

    /// Fills `frames` with the program counters of the kernel stack, innermost first, 8 bytes each
    /// in the machine's byte order. The rest is zeroed.
    fn stack(&mut self, frames: &mut [u8]);

    /// Fills `words` with the ID of the current process and the program counters of its stack,
    /// likewise. A thread without user memory has no stack.
    fn user_stack(&mut self, words: &mut [u8]);

    /// A scalar variable, or an element of an array by its key; 0 if it was never set.
    fn get(&mut self, variable: u32, key: &[u8]) -> u64;

    /// Sets a scalar. Setting an element to 0 frees it.
    fn set(&mut self, variable: u32, key: &[u8], value: u64);

    /// Fills `value` with a variable that is not a scalar, if it has one.
    fn get_bytes(&mut self, variable: u32, key: &[u8], value: &mut [u8]) -> Held;

    /// Sets a variable that is not a scalar, or makes it null. A null element or thread-local is
    /// freed, and then holds nothing.
    fn set_bytes(&mut self, variable: u32, key: &[u8], value: Option<&[u8]>);

    /// Reads a part of a variable that consists of bytes; zeros if it was never set.
    fn load_part(&mut self, variable: u32, offset: u32, bytes: &mut [u8]);

    /// Writes a part of it.
    fn store_part(&mut self, variable: u32, offset: u32, bytes: &[u8]);

    /// Reserves space for the clause's record in the principal buffer, or in a speculation's. False
    /// if there is none; the drop has been counted then.
    fn open(&mut self, speculation: Option<u64>) -> bool;

    /// Writes into the open record.
    fn record(&mut self, offset: u32, bytes: &[u8]);

    /// Adds a value to an aggregation.
    fn aggregate(&mut self, aggregation: u32, key: &[u8], value: u64, increment: u64);

    /// The bytes that have been zeroed for new variables and new entries of aggregations since the
    /// last call. What comes to be again and again costs as much each time.
    fn take_work(&mut self) -> usize {
        0
    }

    /// An unpredictable number.
    fn random(&mut self) -> u64;

    /// Whether the current process is the one of this ID or a descendant of it.
    fn descends_from(&mut self, pid: u64) -> bool;

    /// A free speculation, or 0.
    fn speculation(&mut self) -> u64;

    /// Whether there is a speculation of this number, free or not.
    fn has_speculation(&self, speculation: u64) -> bool;

    /// Commits a speculation to the principal buffer; ignored if it is free.
    fn commit(&mut self, speculation: u64);

    /// Discards a speculation; ignored if it is free.
    fn discard(&mut self, speculation: u64);

    /// Requests the end of tracing.
    fn exit(&mut self);

    /// Changes the system. Only a destructive program asks for it.
    fn perform(&mut self, action: Destructive) -> Result<(), Refused>;

    /// Writes memory of the current process; on failure some of it may have been written. Only a
    /// destructive program asks for it.
    fn store_user(&mut self, address: u64, bytes: &[u8]) -> Result<(), Refused>;
}
