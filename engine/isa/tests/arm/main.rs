//! A32 against its manual.

mod emulate;
mod reading;
mod table;
#[path = "../words/mod.rs"]
mod words;
