//! The machine that D programs run on: their bytecode, who may run, and how it runs.
//!
//! [`Op`] is the list of ops, [`Builtin`] and [`Subroutine`] what can be asked for by name. A block of
//! tables becomes a [`Verified`] program, or is [`Invalid`]; [`run`] runs a [`Clause`] of it, on
//! [`Memory`] that it is lent, in an [`Env`]: the firing and the machine around it. [`Listing`] shows it.
//! What aggregations make of the values that they are given is [`aggregate`]'s to say.

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

mod address;
pub mod aggregate;
mod arithmetic;
mod block;
mod env;
mod invalid;
pub mod limits;
mod listing;
mod machine;
mod memory;
mod names;
mod op;
mod rows;
mod strings;
mod subroutine;
mod variable;
mod verified;
mod verify;

pub use address::{Location, Segment, TAG};
pub use block::Table;
pub use env::{Env, Unreadable};
pub use invalid::{Invalid, Place, Why};
pub use listing::Listing;
pub use machine::{Failure, run};
pub use memory::Memory;
pub use names::{Builtin, Subroutine};
pub use op::{Immediate, Op, REGISTERS, Shape};
pub use rows::{Aggregation, Field, KeyPart, Variable};
pub use verified::{Clause, Verified};
