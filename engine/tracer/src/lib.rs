//! The probe engine: which probes exist, who enabled them, what happens when one fires, and how
//! its records reach a consumer.
//!
//! [`Tracer`] is the engine whole. It knows neither an instruction set nor a kernel: the first
//! comes in as [`Arch`](engine_isa::Arch), the second as [`Platform`], so it runs on any host over a fake platform.
//!
//! Two worlds meet here. **Control** (opening, enabling, arming, draining, closing) may sleep and
//! allocate, and is serialised by one lock. **Fire** ([`Tracer::trap`], [`Tracer::tick`],
//! [`Tracer::syscall_entered`]) runs inside a trap, an interrupt or a system call, in any context, and neither allocates, sleeps nor panics; the only locks that
//! it takes are held by other firings, and shortly. They share two things: the [`Live`](live::Live)
//! table of what is armed, which control replaces whole and fire only reads, and each consumer's
//! [`Session`](session::Session), whose clauses fire runs and whose buffers control drains.

#![no_std]
#![forbid(unsafe_code)]
#![cfg_attr(
    not(test),
    deny(
        clippy::indexing_slicing,
        clippy::unwrap_used,
        clippy::expect_used,
        clippy::panic,
        clippy::float_arithmetic
    )
)]

extern crate alloc;
#[cfg(test)]
extern crate std;

mod arm;
mod control;
mod count;
mod deadman;
mod error;
mod fire;
mod grow;
mod hash;
mod platform;
mod probe;
mod providers;
mod registry;
mod requests;
mod session;
mod show;
mod site;
mod sort;
mod spin;
mod tracer;

pub use error::Error;
pub use grow::{OutOfMemory, filled};
pub use platform::{
    Clock, Context, Cpus, Event, Events, KERNEL, KernelText, Key, Listed, Lock, Numbered, Numbers,
    OffLimits, Origin, Patch, Platform, Rcu, Refused, Symbols, TASK_NAME, Task, Tasks, TryLock,
    Visit, VisitModule, VisitSyscall, VisitTracepoint,
};
pub use session::consumer::ConsumerId;
pub use session::drain::Snapped;
pub use session::outlet::{Put, Unwritten};
pub use show::{FbtRow, RefusedRow, StatsRow, SyscallRow};
pub use site::blacklist::{self, Blacklist, Path};
pub use site::resume::Trap;
pub use tracer::Tracer;
