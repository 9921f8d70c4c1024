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
    /// The probes of a process would exceed a bound.
    Bound(Bound),
    /// Copying to the consumer's memory faulted.
    Unwritten,
    /// Traps could not be dispatched directly to the engine, so none was written.
    NoDispatch,
    /// This kernel lacks the feature.
    Unsupported,
    /// The caller may not trace the process.
    NotAllowed,
    /// The program is destructive, and none may be loaded that is.
    Destructive,
    /// The process's instruction set is not the kernel's.
    Foreign,
}

/// What a request for probes would exceed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Bound {
    /// The memory for probes in one process.
    Process,
    /// The memory for probes in all processes.
    All,
    /// The number of probes.
    Probes,
}

impl Bound {
    /// What to say to who asked.
    pub const fn sentence(self) -> &'static str {
        match self {
            Self::Process => {
                "probes in this process have all the memory they may take: raise /sys/module/trapline/parameters/pid_process_memory"
            }
            Self::All => {
                "probes in processes have all the memory they may take: raise /sys/module/trapline/parameters/pid_memory"
            }
            Self::Probes => "there are as many probes in processes as there can be",
        }
    }
}

// Each fits a request's reason, with its NUL.
const _: () = {
    assert!(Bound::Process.sentence().len() < engine_abi::REASON_LEN);
    assert!(Bound::All.sentence().len() < engine_abi::REASON_LEN);
};

impl From<OutOfMemory> for Error {
    fn from(_: OutOfMemory) -> Self {
        Self::OutOfMemory
    }
}
