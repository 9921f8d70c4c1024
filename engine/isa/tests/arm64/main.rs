//! A64 against its manual.

mod emulate;
mod table;
