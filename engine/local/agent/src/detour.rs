//! Detours, as they are written: what the jump of a window leads to.

use alloc::vec::Vec;

/// A site of a window.
#[derive(Debug, Clone)]
pub struct Site {
    pub address: usize,
    pub form: Form,
}

/// What is done at its hits.
#[derive(Debug, Clone)]
pub enum Form {
    /// They are fired.
    Fired,
    /// They are counted, and fired later by the agent.
    Counted,
    /// They are recorded by these words of a plan.
    Recorded(Vec<u64>),
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
