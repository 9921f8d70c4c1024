//! A32 against its manual.

mod emulate;
mod table;
