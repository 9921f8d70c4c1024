//! What the engine needs of the kernel that it runs in, in six small traits.
//!
//! A method says whether it may sleep, and whether it may be called from a trap, where nothing may sleep, allocate or
//! panic. What is called before the guard is taken must not be probed itself.

pub mod events;
pub mod symbols;
pub mod sync;
pub mod task;
pub mod text;
pub mod time;

pub use events::{Event, Events, Key, Numbered, Numbers, VisitSyscall, VisitTracepoint, errno};
pub use symbols::{KERNEL, KERNEL_NAME, Listed, OffLimits, Symbols, Visit, VisitModule};
pub use sync::{Cpus, Lock, Rcu, TryLock};
pub use task::{Context, Origin, TASK_NAME, Task, Tasks};
pub use text::{KernelText, Patch};
pub use time::Clock;

/// A kernel, or something that acts as one.
pub trait Platform: Clock + Cpus + Events + KernelText + Symbols + Tasks {}

impl<P: Clock + Cpus + Events + KernelText + Symbols + Tasks> Platform for P {}

/// The kernel would not tell of its function tracer's calls, or of an event.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Refused;
