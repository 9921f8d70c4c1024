//! x86-64 against its manual.

mod emulate;
mod reading;
mod table;
