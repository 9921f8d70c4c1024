//! Errors of the control path.

use crate::grow::OutOfMemory;

/// Why a request failed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Error {
    /// An allocation failed.
    OutOfMemory,
    /// All consumer slots are in use.
    TooManyConsumers,
    /// The consumer has reached its limit of ECBs.
    TooManyEcbs,
    /// No open consumer has this ID.
    NoSuchConsumer,
    /// No probe, EPID or CPU has this number, or no further probe matches.
    NotFound,
    /// The request does not fit the consumer's state: tracing has not started yet, or has already.
    WrongState,
    /// The program does not verify, has no such clause, or the policy is unknown.
    Invalid,
    /// The request exceeds a fixed capacity.
    NoRoom,
    /// Copying to the consumer's memory faulted.
    Unwritten,
    /// Traps could not be dispatched directly to the engine, so none was written.
    NoDispatch,
    /// This kernel lacks the feature.
    Unsupported,
    /// The caller may not trace the process.
    NotAllowed,
    /// The process's instruction set is not the kernel's.
    Foreign,
}

impl From<OutOfMemory> for Error {
    fn from(_: OutOfMemory) -> Self {
        Self::OutOfMemory
    }
}
