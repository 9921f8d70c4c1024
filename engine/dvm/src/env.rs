//! What a running program requires of its caller.

use crate::names::Builtin;

/// Memory that could not be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Unreadable;

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

    /// Fills `value` with a variable that is not a scalar; false if it was never set.
    fn get_bytes(&mut self, variable: u32, key: &[u8], value: &mut [u8]) -> bool;

    /// Sets a variable that is not a scalar, or unsets it.
    fn set_bytes(&mut self, variable: u32, key: &[u8], value: Option<&[u8]>);

    /// Reserves space for the clause's record in the principal buffer, or in a speculation's. False
    /// if there is none; the drop has been counted then.
    fn open(&mut self, speculation: Option<u64>) -> bool;

    /// Writes into the open record.
    fn record(&mut self, offset: u32, bytes: &[u8]);

    /// Adds a value to an aggregation.
    fn aggregate(&mut self, aggregation: u32, key: &[u8], value: u64, increment: u64);

    /// An unpredictable number.
    fn random(&mut self) -> u64;

    /// A free speculation, or 0.
    fn speculation(&mut self) -> u64;

    /// Commits a speculation to the principal buffer; ignored if it is invalid.
    fn commit(&mut self, speculation: u64);

    /// Discards a speculation; ignored if it is invalid.
    fn discard(&mut self, speculation: u64);

    /// Requests the end of tracing.
    fn exit(&mut self);
}
