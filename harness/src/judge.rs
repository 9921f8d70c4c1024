//! What came out of a run, and whether it is as it should be. All but [`text`] and [`ftrace`] only compute.

pub mod changes;
pub mod ftrace;
pub mod health;
pub mod normalise;
pub mod snapshot;
pub mod text;
pub mod trace_window;
pub mod transcript;
pub mod verdict;
