//! The probe engine inside of a traced process: its hits cost no change to the kernel, and it needs
//! no privilege.
//!
//! The `dtrace` command contains this crate as a shared object that needs no other, without a C
//! library, and puts it into the process by ptrace(2). It is executed there by an **agent**: a process
//! of its own that shares the traced one's memory (`CLONE_VM`), so that the traced process has neither
//! a thread more nor a descriptor more, and that what was recorded is still there when it is killed.
//! The agent answers the command's requests ([`serve`]), patches text, and fires timers.
//!
//! Contexts. There are two:
//!
//! - *Probe context*: the handler of a trap, in a thread of the process ([`handler`]). It runs on a
//!   stack of ours, one of the [`slots`], each of which is a CPU to the engine: two threads never
//!   share one, and a signal that comes in the middle of a firing has its own. Code here allocates
//!   nothing, takes no lock, and calls nothing of the process: the process may be inside of its
//!   allocator, or have no thread-local storage yet.
//! - *Control path*: the agent, which is one thread, and has slot 0.
//!
//! The shared object has no undefined symbol, or it would not link: nothing of the process can be called.
//! In the agent a panic, as for lack of memory, ends the agent alone: probes go on firing into buffers
//! that nobody drains, and the process runs on. Built without `trapline_agent` the crate is an ordinary library, so
//! that the host's compiler and lints check it.

#![no_std]
#![deny(
    clippy::indexing_slicing,
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::float_arithmetic
)]
#![cfg_attr(
    not(trapline_agent),
    allow(dead_code, reason = "only the build for processes has entry points")
)]

extern crate alloc;

mod actions;
mod alive;
mod arch;
mod cell;
mod channel;
mod clock;
mod code;
mod detour;
mod entrances;
mod files;
mod forks;
mod handler;
mod heap;
mod jumps;
mod machine;
mod mapping;
mod maps;
mod masks;
mod memory;
mod occupant;
mod own_action;
mod recorded;
mod semaphores;
mod serve;
mod slots;
mod sync;
mod sys;
mod tally;
mod text;
mod timers;
mod trapped;
mod waiters;
