//! The machine that D programs run on: their bytecode, who may run, and how it runs.
//!
//! [`Op`] is the list of ops, [`Builtin`] and [`Subroutine`] what can be asked for by name. A block of
//! tables becomes a [`Verified`] program, or is [`Invalid`]; [`run`] runs a [`Clause`] of it, on
//! [`Memory`] that it is lent, in an [`Env`]: the firing and the machine around it. [`Listing`] shows it.
//! What aggregations make of the values that they are given is [`aggregate`]'s to say.
//!
//! # What a program must be
//!
//! - Its tables fill the block, and are within [`limits`]. Rows point to rows that are there; codes
//!   stand for something, what is reserved is zero, sizes are such as their kinds can have. The last
//!   string ends with a NUL, and so does every string.
//! - A clause's rows come behind those of the clauses before it. Its fields follow one another, aligned,
//!   inside its record; its actions begin in order inside its code.
//! - Every instruction has an op, registers that exist, an immediate that names what the op needs, and
//!   zeros where the op uses nothing.
//! - Branches go forward inside the clause, and no path falls off its end. So a clause does as many
//!   steps as it has instructions, at most. At any place, no more than [`limits::TARGETS_MAX`]
//!   instructions further on are branched to from before it.
//! - A register is read only where every path to it has set it.
//! - What is pushed is taken, whole, in the same straight line of code: as the key of an `lda`, an `sta`
//!   or an `agg` (part by part of the kind and the size that its row declares), or as the arguments of a
//!   `call` (scalars, as many as it can have). No branch leaves or arrives in between.
//! - A record is opened once on any path, and written where it is open on every path.
//!
//! Code that no path leads to need only be well formed. All that is found out in one pass, without
//! memory besides some hundred bytes of stack.
//!
//! # What a run can do
//!
//! It computes, asks its [`Env`], and writes scratch memory; it has no way to anything else. A result in
//! scratch memory begins at a multiple of 8 and takes as many bytes as it has, a string its NUL
//! included; none is given back before the run ends. Whatever goes wrong is a [`Failure`], which ends
//! the clause.
//!
//! Strings end at their first NUL, or before the last byte of `string_size`: what is longer is cut.

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
mod clause;
mod env;
mod invalid;
pub mod limits;
mod listing;
mod machine;
mod memory;
pub mod mutant;
mod names;
mod op;
mod rows;
mod search;
mod strings;
mod subroutine;
mod table;
mod variable;
mod verified;
mod verify;

pub use address::{Location, Segment, TAG};
pub use clause::{Brief, Clause};
pub use env::{Env, Unreadable};
pub use invalid::{Invalid, Place, Why};
pub use listing::Listing;
pub use machine::{Failure, run};
pub use memory::{Memory, Registers};
pub use names::{Builtin, Subroutine};
pub use op::{Immediate, Op, REGISTERS, Shape};
pub use rows::{Aggregation, Field, KeyPart, Variable};
pub use table::Table;
pub use verified::Verified;
