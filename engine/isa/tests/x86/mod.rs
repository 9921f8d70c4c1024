//! x86-64 against its manual.

mod emulate;
mod model;
mod moved;
mod reading;
mod table;
