//! Errors of setting an option.

use thiserror::Error;

/// Why an option cannot be set.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub enum Refusal {
    /// There is no option of this name.
    #[error("Invalid option name")]
    Name,
    /// The value is missing, unexpected or invalid.
    #[error("Invalid value for specified option")]
    Value,
    /// An option of DTrace's that has no effect here.
    #[error("Option is not supported: {0}")]
    Unsupported(&'static str),
}
