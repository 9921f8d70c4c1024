//! The D virtual machine: bytecode, verifier, interpreter and disassembler.
//!
//! [`Op`] lists the ops, [`Builtin`] and [`Subroutine`] what can be accessed by name. A block of
//! tables is checked once and becomes a [`Verified`] program, or is [`Invalid`]; [`run`] runs a
//! [`Clause`] of it, on borrowed [`Memory`] and in an [`Env`]: the firing and the system around it.
//! [`Listing`] disassembles it. [`aggregate`] implements the aggregating functions.
//!
//! # What a valid program is
//!
//! - Its tables fill the block and are within [`limits`]. References are to existing rows, codes
//!   are known, reserved fields are zero, and sizes fit their kinds. Every string ends with a NUL.
//! - A clause's rows follow those of the clauses before it. Its fields are in ascending order,
//!   aligned, and inside its record; its actions begin in order inside its code.
//! - Every instruction has a known op, existing registers, an immediate that names what the op
//!   needs, and zeros in the fields that the op does not use.
//! - Branches go forward within the clause, and no path falls off its end. So a clause executes at
//!   most as many steps as it has instructions. At any point at most [`limits::TARGETS_MAX`] later
//!   instructions are targets of branches before it.
//! - A register is read only where every path has set it.
//! - Pushed values are consumed, all of them, in the same basic block: as the key of an `lda`, an
//!   `sta` or an `agg` (each component of the declared kind and size), or as the arguments of a
//!   `call` (scalars, of a permitted number).
//! - Subroutines that change the system are called only in a program whose header has the flag
//!   [`DESTRUCTIVE`](engine_abi::DESTRUCTIVE).
//! - A record is opened at most once on any path, and written only where it is open on every path.
//!
//! Unreachable code need only be well-formed. All this is checked in one pass, using some hundred
//! bytes of stack and no other memory.
//!
//! # What a run can do
//!
//! It computes, calls its [`Env`], and writes its variables and what it has allocated; it can reach
//! nothing else, unless it is destructive: then it can also write memory of the current process. Addresses are checked where they are used, since a program may calculate them. A result in scratch memory or on the heap begins at a multiple of 8 and takes only
//! its own size, including a string's NUL; nothing is freed before the run ends. Any error is a
//! [`Failure`], which aborts the clause.
//!
//! A run may be in any context, including NMI: the interpreter does not allocate, sleep, take locks
//! or panic. Verification runs in process context.
//!
//! A string ends at its first NUL, or before the last byte of `string_size`: longer strings are
//! truncated.

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
mod destructive;
mod env;
mod invalid;
mod json;
pub mod limits;
mod listing;
mod machine;
mod memory;
pub mod mutant;
mod names;
mod network;
mod number;
mod op;
mod path;
mod recorded;
mod rows;
mod search;
mod strings;
mod subroutine;
mod table;
mod variable;
mod verified;
mod verify;

pub use address::{ADDRESSABLE, Location, Segment, TAG};
pub use clause::{Brief, Clause};
pub use env::{Destructive, Env, Held, Refused, Unreadable};
pub use invalid::{Invalid, Place, Why};
pub use listing::Listing;
pub use machine::{Failure, run};
pub use memory::{Memory, Registers};
pub use names::{Builtin, Subroutine};
pub use op::{Immediate, Op, REGISTERS, Shape};
pub use recorded::{Recorded, Source};
pub use rows::{Aggregation, Field, KeyPart, Variable};
pub use table::Table;
pub use verified::Verified;
