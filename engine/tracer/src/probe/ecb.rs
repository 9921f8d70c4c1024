//! Enablings.

use crate::registry::Probe;

/// An enabling: a probe, and the clause that it does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Ecb {
    /// The probe.
    pub probe: Probe,
    /// The clause of the consumer's program.
    pub clause: u32,
}

/// An ECB as its session knows it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Enabling {
    /// The consumer's ID for it.
    pub epid: u32,
    /// The clause of the consumer's program.
    pub clause: u32,
}
