//! What a run produced, and whether it is what the scenario states.
//!
//! [`transcript`] is what commands printed and how they ended; [`normalise`] masks what
//! legitimately differs between runs; [`snapshot`] compares with the reviewed text; [`health`]
//! classifies kernel log lines; [`text`] compares the kernel's text with a copy taken before
//! tracing, using [`changes`]; [`ftrace`] counts the same hits with the kernel's own tracer;
//! [`execution`] compares a tracer of processes with what QEMU executed; [`verdict`] turns all of
//! that into failures and a verdict.
//!
//! [`text`], [`ftrace`], [`execution`] and [`trace_window`] talk to a guest, and [`snapshot`]
//! touches files; the rest is pure and tested without either. A judge reports a [`verdict::Failure`] for what the
//! guest did and an error for what could not be observed: an observation that failed never counts
//! as agreement.

pub mod changes;
pub mod execution;
pub mod ftrace;
pub mod health;
pub mod normalise;
pub mod snapshot;
pub mod text;
pub mod trace_window;
pub mod transcript;
pub mod verdict;
