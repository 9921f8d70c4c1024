//! Enablings, as firings know them.

/// An ECB as its session knows it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Enabling {
    /// The consumer's ID for it.
    pub epid: u32,
    /// The clause of the consumer's program.
    pub clause: u32,
}
