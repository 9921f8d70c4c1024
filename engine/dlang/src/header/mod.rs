//! C headers of USDT probes (`dtrace -h`), from the definitions of their providers.
//!
//! [`definitions`] reads what `provider` declarations of D say, and [`c::header`] writes a header
//! with a macro for each probe. The header needs no library and no object file: each use of a macro
//! leaves a note of its own, in the form of SystemTap's notes, version 3.
//!
//! An argument is converted to the type that D has for it, so its size and sign are known here. A type
//! that differs between data models, such as `long`, is a word; so the declarations are read
//! once for each data model.

pub mod c;
mod definitions;
mod failure;
#[cfg(test)]
mod tests;

pub use definitions::{Passed, Probe, Provider, definitions};
pub use failure::Failure;
