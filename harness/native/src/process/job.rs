//! A job.

use std::path::PathBuf;

/// What is run, and where.
pub struct Job {
    /// Files of vectors.
    pub paths: Vec<PathBuf>,
    /// The folder that gets the object, and the hits that are expected.
    pub folder: PathBuf,
    /// Seed of the states.
    pub seed: u64,
    /// Number of states for each vector: at least 4.
    pub states: usize,
    /// Whether the breakpoint of an instruction that its IT block skips is taken.
    pub takes_skipped: bool,
    /// Whether to print each vector before it is run.
    pub verbose: bool,
}
