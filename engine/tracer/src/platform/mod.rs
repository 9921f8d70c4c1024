//! The kernel interface that the engine runs on, as eight small traits.
//!
//! Each method states whether it may sleep, and whether it may be called from a trap; one that does
//! neither belongs to the control path. A method callable from a trap must work in any context with
//! interrupts disabled, and must not sleep, allocate or panic. What is called before the CPU's
//! guard is held (`cpu`, `has_stack`, `ticks`, `current_space`, [`Rcu::read`], and for a trap without a
//! site `peek` or `load_user`)
//! must not be probed itself.

pub mod actions;
pub mod events;
pub mod process;
pub mod symbols;
pub mod sync;
pub mod task;
pub mod text;
pub mod time;
pub mod user;
pub mod without_kernel;

pub use actions::Actions;
pub use events::{
    Event, EventArguments, Events, Key, Numbers, SystemCall, VisitSyscall, VisitTracepoint, errno,
};
pub use process::{Denied, InSlot, Patched, ProbeMemory, Processes, Space, Uncounted, UserPatch};
pub use symbols::{KERNEL, KERNEL_NAME, Listed, OffLimits, Symbols, Visit, VisitModule};
pub use sync::{Cpus, Lock, Rcu, TryLock};
pub use task::{Context, Origin, TASK_NAME, Task, Tasks, UserOrigin};
pub use text::{KernelText, Patch};
pub use time::Clock;
pub use user::{FrameLayout, FrameRecord, UserFrame};
pub use without_kernel::WithoutKernel;

/// A kernel, or a fake of one.
pub trait Platform:
    Actions + Clock + Cpus + Events + KernelText + Processes + Symbols + Tasks
{
}

impl<P: Actions + Clock + Cpus + Events + KernelText + Processes + Symbols + Tasks> Platform for P {}

/// The kernel refused to enable ftrace calls, a tracepoint or an event, or to do what a destructive
/// program asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Refused;
