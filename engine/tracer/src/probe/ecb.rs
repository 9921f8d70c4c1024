//! ECBs, as the fire path sees them.

/// An enabling control block, reduced to what its session needs to fire it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Enabling {
    /// The enabled-probe ID, which the records carry; unique within the consumer.
    pub epid: u32,
    /// Index of the clause in the consumer's program.
    pub clause: u32,
}
