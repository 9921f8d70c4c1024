//! The engine's own probes: they fire for one consumer at a time, and belong to no function.

/// The provider's name.
pub const PROVIDER: &[u8] = b"dtrace";

/// One of the engine's own probes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Own {
    /// Tracing begins.
    Begin,
    /// Tracing ends.
    End,
    /// A fault has ended a clause.
    Error,
}

impl Own {
    /// Every one, in the order of their IDs.
    pub const ALL: [Self; 3] = [Self::Begin, Self::End, Self::Error];

    /// Its name.
    pub const fn name(self) -> &'static [u8] {
        match self {
            Self::Begin => b"BEGIN",
            Self::End => b"END",
            Self::Error => b"ERROR",
        }
    }

    /// Its ID.
    pub const fn id(self) -> u32 {
        (self as u32).wrapping_add(1)
    }
}
