//! A platform in a process: without kernel text, kernel symbols and kernel events.

use core::num::NonZeroUsize;
use core::ops::Range;

use engine_isa::Unreadable;

use super::{
    Event, Events, KernelText, Numbers, OffLimits, Patch, Refused, Symbols, Tasks, Visit,
    VisitModule, VisitSyscall, VisitTracepoint,
};
use crate::grow::OutOfMemory;
use crate::site::blacklist::Blacklist;

/// A platform that has nothing of a kernel.
pub trait WithoutKernel: Tasks {
    /// Of a kernel of this architecture; nothing is looked up in it.
    const BLACKLIST: &'static Blacklist;
}

impl<T: WithoutKernel> KernelText for T {
    fn peek(&self, _: usize, _: &mut [u8]) -> Result<(), Unreadable> {
        Err(Unreadable)
    }

    fn peek_original(&self, _: usize, _: &mut [u8]) -> Result<(), Unreadable> {
        Err(Unreadable)
    }

    fn hold_kprobes<R>(&self, work: impl FnOnce() -> R) -> R {
        work()
    }

    fn has_kprobe(&self, _: usize) -> bool {
        false
    }

    fn patch(&self, patches: &mut [Patch]) {
        patches.iter_mut().for_each(|patch| patch.failed = 1);
    }

    fn direct_dispatch(&self, _: bool) -> Result<(), Refused> {
        Ok(())
    }

    fn pin(&self, _: bool) {}

    /// No memory for code: there are no instructions to copy there.
    const CODE: usize = 0;

    fn code_range(&self) -> Range<usize> {
        0..0
    }

    fn code_alloc(&self) -> Result<usize, OutOfMemory> {
        Err(OutOfMemory)
    }

    fn code_free(&self, _: usize) {}

    fn code_write(&self, _: usize, _: &[u8]) {}

    fn synchronize_code(&self) {}

    fn rewritten(&self, _: usize) -> bool {
        false
    }

    fn head(&self, _: usize) -> usize {
        0
    }

    fn has_calls(&self) -> bool {
        false
    }

    fn call_of(&self, _: usize) -> Option<NonZeroUsize> {
        None
    }

    fn trace_calls(&self, _: &[usize]) -> Result<(), Refused> {
        Err(Refused)
    }
}

impl<T: WithoutKernel> Symbols for T {
    fn blacklist(&self) -> &'static Blacklist {
        T::BLACKLIST
    }

    fn off_limits(&self, _: usize) -> Option<OffLimits> {
        Some(OffLimits::Discarded)
    }

    fn is_return_thunk(&self, _: usize) -> bool {
        false
    }

    fn each_module(&self, _: &mut VisitModule<'_>) -> Result<(), OutOfMemory> {
        Ok(())
    }

    fn each_function(&self, _: usize, _: &mut Visit<'_>) -> Result<(), OutOfMemory> {
        Ok(())
    }
}

impl<T: WithoutKernel> Events for T {
    fn each_syscall(&self, _: &mut VisitSyscall<'_>) -> Result<(), OutOfMemory> {
        Ok(())
    }

    fn syscall_argument(&self, _: &T::Regs, _: u64) -> u64 {
        0
    }

    fn each_tracepoint(&self, _: &mut VisitTracepoint<'_>) -> Result<(), OutOfMemory> {
        Ok(())
    }

    fn tracepoint_register(&self, _: usize, _: u32) -> Result<(), Refused> {
        Err(Refused)
    }

    fn tracepoint_unregister(&self, _: usize, _: u32) {}

    fn tracepoints_synchronize(&self) {}

    fn subscribe(&self, _: Event, _: &Numbers) -> Result<(), Refused> {
        Err(Refused)
    }
}
