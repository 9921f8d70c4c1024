//! The machine that D programs run on: their bytecode, who may run, and how it runs.
//!
//! [`Op`] is the list of ops, [`Builtin`] and [`Subroutine`] what can be asked for by name, [`Env`] what
//! a run needs of the firing and of the machine around it.

#![no_std]
#![forbid(unsafe_code)]
#![cfg_attr(
    not(test),
    deny(
        clippy::indexing_slicing,
        clippy::unwrap_used,
        clippy::expect_used,
        clippy::panic,
        clippy::arithmetic_side_effects,
        clippy::float_arithmetic
    )
)]

#[cfg(test)]
extern crate std;

mod env;
mod names;
mod op;

pub use env::{Env, Unreadable};
pub use names::{Builtin, Subroutine};
pub use op::{Immediate, Op, REGISTERS, Shape};
