//! Binds the probe engine to a Linux kernel. Of the module's crates only this one contains
//! `unsafe`.
//!
//! `engine/kmod/shim.h` and `trapline.h` are the contract with the C half; [`ffi`], [`entry`] and
//! [`rows`] are their Rust side, in the same order. The crate makes no policy: [`entry`] and
//! [`rows`] turn calls from C into methods of the [`Tracer`](engine_tracer::Tracer), [`caller`]
//! is the memory of who makes a request, and [`platform`] implements the tracer's `Platform` traits with one shim
//! call per method. [`sync`] provides the control mutex, the per-CPU try-lock and RCU; [`heap`] is
//! the global allocator; [`arch`] is the part that depends on the instruction set; [`cell`] holds
//! the one `Tracer` that exists between `trapline_start` and `trapline_end`.
//!
//! Contexts. There are two:
//!
//! - *Probe context*: `trapline_trap`, `trapline_called`, `trapline_tick`, `trapline_tracepoint`,
//!   the system-call and process events. Interrupts are disabled, or preemption is and the tracer
//!   disables interrupts itself. On x86-64 a trap is handled as an NMI. Code here must not sleep,
//!   allocate, panic or take a lock that the interrupted code may hold. Before the CPU's guard is
//!   taken it must not call anything that can be probed.
//! - *Control path*: module load and unload, open, close, ioctl, `/proc` rows, the module notifier
//!   and the deadman's workers. It may sleep, allocates, and takes the control mutex.
//!
//! A panic must not be reachable: the build refuses an object that references `core::panicking`.
//!
//! Built for a `*-none` target, the crate is a static library that is linked into `trapline.ko`.
//! For any other target it is an ordinary library, so that the host's compiler and lints check it.

#![no_std]
#![expect(
    unsafe_code,
    reason = "this crate is where the engine meets the kernel's C"
)]
#![deny(
    clippy::indexing_slicing,
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::float_arithmetic
)]

extern crate alloc;

mod actions;
mod arch;
mod caller;
mod cell;
pub mod entry;
mod ffi;
#[cfg_attr(
    not(target_os = "none"),
    expect(dead_code, reason = "only a kernel build uses this heap")
)]
mod heap;
mod memory;
#[cfg(trapline_mutants)]
mod mutant;
mod platform;
mod prng;
mod process;
pub mod rows;
mod sync;
