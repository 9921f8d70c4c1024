//! Detours, as they are written: what the jump of a window leads to.

use alloc::vec::Vec;

/// A site of a window.
#[derive(Debug, Clone, Copy)]
pub struct Site {
    pub address: usize,
    /// Whether its hits are counted, and fired later by the agent.
    pub is_tally: bool,
}

/// A detour.
#[derive(Debug, Default)]
pub struct Detour {
    pub code: Vec<u8>,
    /// The offset at which it is entered.
    pub entry: usize,
    /// The sites whose hits it counts, and the numbers of their tallies in its region.
    pub tallies: Vec<(usize, usize)>,
}
