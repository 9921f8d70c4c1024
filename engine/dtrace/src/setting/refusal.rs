//! Errors of setting an option.

use thiserror::Error;

/// Why an option cannot be set.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub enum Refusal {
    /// There is no option of this name; but perhaps one that was meant.
    #[error("Invalid option name{}", .0.map_or(String::new(), |it| format!(": did you mean {it}?")))]
    Name(Option<&'static str>),
    /// An option that decides how programs are read, in a program.
    #[error("Option must be set on the command line")]
    Context,
    /// An option that cannot change while tracing.
    #[error("Operation illegal when tracing is active")]
    Active,
    /// The value is missing, unexpected or invalid.
    #[error("Invalid value for specified option")]
    Value,
    /// An option of DTrace's that has no effect here.
    #[error("Option is not supported: {0}")]
    Unsupported(&'static str),
}
