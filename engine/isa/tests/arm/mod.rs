//! A32 against its manual.

mod emulate;
mod known;
mod model;
mod reading;
mod table;
