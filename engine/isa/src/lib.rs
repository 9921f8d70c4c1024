//! One instruction in, a [`Plan`] out: [`Emulate`](Plan::Emulate) it in the trap handler,
//! [`Relocate`](Plan::Relocate) it into a slot, or [`Refuse`](Plan::Refuse) it with a reason.
//!
//! This crate decodes instructions and computes on saved registers. It knows nothing of tasks,
//! modules or processors beyond the architecture manuals, never allocates, and gives the same
//! answer on every host. Each instruction set is a module with the same files: `rows` (the table of
//! encodings), `operand` (what their fields mean) and `emulate` (what the trap handler does for
//! them).
//!
//! Planning runs when a probe is armed and need not be fast. Emulation runs in trap context,
//! possibly in NMI: it takes no lock, cannot panic, and accesses memory only through [`Memory`].
//! [`Arch`] is what the engine uses of an instruction set; the walks over function bodies are
//! behind it too.

#![no_std]
#![forbid(unsafe_code)]
#![cfg_attr(
    not(test),
    deny(
        clippy::arithmetic_side_effects,
        clippy::expect_used,
        clippy::float_arithmetic,
        clippy::indexing_slicing,
        clippy::panic,
        clippy::unwrap_used,
    )
)]

#[cfg(test)]
extern crate std;

mod arch;
pub mod arm;
pub mod arm64;
pub mod body;
mod condition;
mod control;
mod exclusive;
mod index;
mod memory;
#[cfg(trapline_mutants)]
pub mod mutant;
#[cfg(not(trapline_mutants))]
mod mutant;
mod pattern;
mod plan;
mod table;
mod why;
pub mod x86;

pub use arch::{Arch, Load, Planned, Unreadable, Variant};
pub use control::{Away, Control};
pub use exclusive::Exclusive;
pub use memory::{Fault, Memory, Width};
pub use pattern::Pattern;
pub use plan::Plan;
pub use table::Row;
pub use why::Why;
