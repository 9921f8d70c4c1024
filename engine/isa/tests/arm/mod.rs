//! A32 against its manual.

mod emulate;
mod known;
pub mod model;
mod reading;
mod table;
