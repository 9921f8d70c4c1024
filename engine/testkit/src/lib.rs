//! Helpers for the tests of several crates; no crate depends on it but for its tests.
//!
//! - [`block`]: the tables of a D program, filled row by row and written as the block that the
//!   engine takes.
//! - [`tally`]: properties that hold only of accepted input, with a floor on how much is accepted.

pub mod block;
pub mod tally;
