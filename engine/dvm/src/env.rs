//! What a running program asks of whoever runs it.

use crate::names::Builtin;

/// Memory that could not be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Unreadable;

/// The firing that a program runs for, and the machine around it. All of it is callable from a trap:
/// nothing here waits, allocates or panics.
///
/// Numbers of variables and aggregations are rows of the verified program's tables; keys, values and
/// offsets have the sizes that those tables give.
pub trait Env {
    /// Reads kernel memory.
    fn load(&mut self, address: u64, bytes: &mut [u8]) -> Result<(), Unreadable>;

    /// Reads memory of the process.
    fn load_user(&mut self, address: u64, bytes: &mut [u8]) -> Result<(), Unreadable>;

    /// A built-in variable that is a number. What there is none of is 0.
    fn builtin(&mut self, builtin: Builtin, index: u64) -> u64;

    /// Writes a built-in variable that is a string into `text`, cut to fit; how many bytes that were.
    fn builtin_text(&mut self, builtin: Builtin, text: &mut [u8]) -> usize;

    /// Fills `frames` with the program counters on the kernel stack, innermost first, and zeros
    /// behind them: 8 bytes each, in the machine's byte order.
    fn stack(&mut self, frames: &mut [u8]);

    /// A scalar variable, or an element of an array by its key; 0 where it was never set.
    fn get(&mut self, variable: u32, key: &[u8]) -> u64;

    /// Sets it. An element that is set to 0 is there no more.
    fn set(&mut self, variable: u32, key: &[u8], value: u64);

    /// Fills `value` with a variable that is no scalar; false where it was never set.
    fn get_bytes(&mut self, variable: u32, key: &[u8], value: &mut [u8]) -> bool;

    /// Sets it, or unsets it.
    fn set_bytes(&mut self, variable: u32, key: &[u8], value: Option<&[u8]>);

    /// Makes room for the clause's record: in the principal buffer, or in a speculation's. False where
    /// there is none, which it counts.
    fn open(&mut self, speculation: Option<u64>) -> bool;

    /// Writes into the open record.
    fn record(&mut self, offset: u32, bytes: &[u8]);

    /// Gives a value to an aggregation.
    fn aggregate(&mut self, aggregation: u32, key: &[u8], value: u64, increment: u64);

    /// A number nobody foresees.
    fn random(&mut self) -> u64;

    /// A speculation that is free, or 0.
    fn speculation(&mut self) -> u64;

    /// Moves what a speculation holds to the principal buffer; nothing if it is none.
    fn commit(&mut self, speculation: u64);

    /// Throws away what a speculation holds; nothing if it is none.
    fn discard(&mut self, speculation: u64);

    /// Tracing is to end.
    fn exit(&mut self);
}
