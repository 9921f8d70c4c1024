//! The probe engine: the probes that exist, the consumers that enabled them, the firing path, and
//! the buffers that carry records to a consumer.
//!
//! [`Tracer`] is the whole engine. It depends on neither an instruction set nor a kernel:
//! [`Arch`](engine_isa::Arch) supplies the first and [`Platform`] the second, so it runs on any
//! host over a fake platform.
//!
//! The **control path** (open, enable, arm, drain, close) runs in process context, may sleep and
//! allocate, and is serialised by one mutex, the control lock. The **fire path** ([`Tracer::trap`],
//! [`Tracer::tick`], [`Tracer::called`], [`Tracer::syscall_entered`] and the other event entry
//! points) runs in a trap, an interrupt or a system call, in any context including NMI on x86-64.
//! It never allocates, sleeps or panics, and takes no lock but those of `spin`, which the control
//! path never takes and which are held for a bounded time.
//!
//! The two paths share the live table ([`Live`](fire::live::Live)), which control replaces under
//! RCU and firings only read, and each consumer's [`Session`](session::Session), whose clauses
//! firings run and whose buffers control drains.

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
mod index;
mod ioctl;
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
pub mod unwind;

pub use error::{Bound, Error};
pub use fire::chill::Chill;
pub use grow::{OutOfMemory, filled};
pub use ioctl::{BadAddress, Caller, Errno};
pub use platform::{
    Actions, Clock, Context, Cpus, Denied, Event, EventArguments, Events, FrameLayout, FrameRecord,
    InSlot, KERNEL, KernelText, Key, Listed, Lock, Numbers, OffLimits, Origin, Patch, Patched,
    Platform, ProbeMemory, Processes, Rcu, Refused, Space, Symbols, SystemCall, TASK_NAME, Task,
    Tasks, TryLock, Uncounted, UserFrame, UserPatch, Visit, VisitModule, VisitSyscall,
    VisitTracepoint, WithoutKernel,
};
pub use probe::glob::matches;
pub use providers::pid::{Created, Hit};
pub use session::consumer::ConsumerId;
pub use session::drain::Snapped;
pub use session::plan::{Plan, VALUES, Value, WORDS_MAX};
pub use session::sink::{Put, Unwritten};
pub use show::{FasttrapRow, FbtRow, RefusedRow, StatsRow, SyscallRow};
pub use site::blacklist::{self, Blacklist, Path};
pub use site::reason::Reason;
pub use site::resume::Trap;
pub use tracer::Tracer;
