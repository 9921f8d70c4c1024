//! Helpers shared by the tests of several crates; a dev-dependency only.
//!
//! - [`block`]: the tables of a D program, filled row by row and written as the block that the
//!   engine takes.
//! - [`tally`]: property tests that apply only to accepted input, with a minimum acceptance rate.

pub mod block;
pub mod tally;
