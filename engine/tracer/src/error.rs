//! Why a request fails.

use crate::grow::OutOfMemory;

/// Why a request was not carried out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Error {
    /// There was no memory for it.
    OutOfMemory,
    /// As many consumers as there can be are there.
    TooManyConsumers,
    /// The consumer has enabled as much as it may.
    TooManyEcbs,
    /// No consumer has this number.
    NoSuchConsumer,
    /// No probe, enabled probe or CPU has this number, or none is left to match.
    NotFound,
    /// The request comes too early or too late: tracing has not begun, or has.
    WrongState,
    /// The program is none, or has no such clause, or there is no such policy.
    Invalid,
    /// What was asked for is more than there is room for.
    NoRoom,
    /// The consumer's memory cannot be written.
    Unwritten,
    /// This kernel does not have what was asked for.
    Unsupported,
}

impl From<OutOfMemory> for Error {
    fn from(_: OutOfMemory) -> Self {
        Self::OutOfMemory
    }
}
