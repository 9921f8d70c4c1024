//! Why an option cannot be set.

use thiserror::Error;

/// Why an option cannot be set.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub enum Refusal {
    /// There is none of this name.
    #[error("Invalid option name")]
    Name,
    /// It cannot have this value.
    #[error("Invalid value for specified option")]
    Value,
    /// DTrace has it, but nothing would follow from it here.
    #[error("Option is not supported: {0}")]
    Unsupported(&'static str),
}
