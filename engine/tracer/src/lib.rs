//! The probe engine: which probes exist, who enabled them, what happens when one fires, and how
//! its records reach a consumer.
//!
//! [`Tracer`] is the engine whole. It knows neither an instruction set nor a kernel: the first
//! comes in as [`Isa`], the second as [`Platform`], so it runs on any host over a fake platform.
//!
//! Two worlds meet here. **Control** (opening, enabling, arming, draining, closing) may sleep and
//! allocate, and is serialised by one lock. **Fire** ([`Tracer::trap`]) runs inside a trap, in any
//! context, and neither allocates, sleeps, takes a lock nor panics. They share two things: the
//! [`Live`](live::Live) table of armed sites, which control replaces whole and fire only reads,
//! and each consumer's [`Rings`](ring::Rings), which fire fills and control drains.

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
mod consumer;
mod drain;
mod fbt;
mod fire;
mod glob;
mod grow;
mod isa;
mod live;
mod platform;
mod ring;
mod show;
mod toxic;
mod tracer;

pub use consumer::ConsumerId;
pub use fire::Trap;
pub use grow::{OutOfMemory, filled};
pub use isa::{Isa, Load};
pub use platform::{
    Lock, OffLimits, Platform, Rcu, TASK_NAME, Task, TryLock, Unpatched, Unreadable, Visit,
};
pub use ring::Copied;
pub use show::{FbtRow, RefusedRow, StatsRow};
pub use tracer::{Error, Tracer};
