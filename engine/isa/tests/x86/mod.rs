//! x86-64 against its manual.

mod emulate;
mod model;
mod reading;
mod table;
