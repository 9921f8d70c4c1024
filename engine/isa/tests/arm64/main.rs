//! A64 against its manual.

mod emulate;
mod table;
#[path = "../words/mod.rs"]
mod words;
