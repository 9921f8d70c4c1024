//! T16 and T32 against their manual.

mod emulate;
mod known;
pub mod model;
mod reading;
mod table;
