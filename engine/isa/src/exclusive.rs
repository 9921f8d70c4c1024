//! The exclusive monitor of ARM's instruction sets.

/// An instruction's effect on the exclusive monitor. No trap may come between the load and the store: it
/// clears the monitor, so the store would fail, and a loop around the two would never end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exclusive {
    /// An exclusive load: begins an exclusive access.
    Load,
    /// An exclusive store: stores if the monitor is still set, and clears it.
    Store,
    /// `clrex`: clears the monitor.
    Clear,
}
