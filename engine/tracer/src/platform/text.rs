//! Kernel text, ftrace, kprobes, and executable memory.

use core::num::NonZeroUsize;
use core::ops::Range;

use engine_isa::Unreadable;

use super::Refused;
use crate::grow::OutOfMemory;

/// Kernel text, its other patchers, and executable memory for slots.
pub trait KernelText: Sized + Send + Sync + 'static {
    /// Reads kernel text. Callable from a trap, before the guard is held.
    fn peek(&self, address: usize, bytes: &mut [u8]) -> Result<(), Unreadable>;

    /// Like `peek`, but returns the text as it would be without the kernel's own kprobes.
    fn peek_original(&self, address: usize, bytes: &mut [u8]) -> Result<(), Unreadable>;

    /// Runs `work` with kprobe registration, removal and optimization blocked, where the platform
    /// can do so. May sleep.
    fn hold_kprobes<R>(&self, work: impl FnOnce() -> R) -> R;

    /// Whether a kprobe is registered, enabled or not, that may overwrite the instruction at
    /// `address`: at that address, or so close before it that the jump of an optimized kprobe
    /// covers it.
    fn has_kprobe(&self, address: usize) -> bool;

    /// Patches kernel text, batched so that the machine is stopped as rarely as possible. When it
    /// returns, every CPU executes the new text, and [`Patch::failed`] tells which writes failed.
    /// Needs no memory. May sleep.
    fn patch(&self, patches: &mut [Patch]);

    /// Switches direct dispatch on or off. While it is on, the kernel's trap handler calls
    /// `Tracer::trap` without passing through anything that can be traced or probed, on the way in
    /// or out; while it is off, some kernel functions are on that path. If this is refused, nothing
    /// changes. May sleep.
    fn direct_dispatch(&self, direct: bool) -> Result<(), Refused>;

    /// Keeps the engine loaded for as long as it is pinned: the kernel may still call it, although
    /// no consumer is left.
    fn pin(&self, is_pinned: bool);

    /// How many bytes at the function's `address` no trap may be in: a landing pad, which indirect
    /// branches need, and behind it ftrace's slot, in which ftrace may write or remove a call at
    /// any time.
    fn head(&self, address: usize) -> usize;

    /// Whether the kernel patches the instruction at `address` at run time, as a jump label or a
    /// static call. Expensive.
    fn rewritten(&self, address: usize) -> bool;

    /// Whether ftrace has calls at function entries whose callback gets the registers.
    fn has_calls(&self) -> bool;

    /// Address of the ftrace call of the function that starts at `address`, if it has one.
    fn call_of(&self, address: usize) -> Option<NonZeroUsize>;

    /// Sets the ftrace calls for which `Tracer::called` is called; others may still be in progress.
    /// If this is refused, nothing changes. May sleep.
    fn trace_calls(&self, calls: &[usize]) -> Result<(), Refused>;

    /// Size of one allocation of executable memory, in bytes.
    const CODE: usize;

    /// Address range in which such allocations lie.
    fn code_range(&self) -> Range<usize>;

    /// Allocates executable memory of `CODE` bytes, writable through `code_write` only. May sleep.
    fn code_alloc(&self) -> Result<usize, OutOfMemory>;

    /// Frees memory from `code_alloc`. May sleep.
    fn code_free(&self, address: usize);

    /// Writes code to such memory. No CPU may be executing in the range; when this returns, every
    /// CPU that enters it executes the new code. May sleep.
    fn code_write(&self, address: usize, bytes: &[u8]);

    /// Waits until every thread and CPU that was in such memory, or in a trap that would send it
    /// there, has left. May sleep.
    fn synchronize_code(&self);
}

/// One write to kernel text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(C)]
pub struct Patch {
    /// Address of the instruction's first byte.
    pub address: usize,
    /// The bytes, lowest first; as many as the trap has.
    pub word: u32,
    /// Nonzero if the write failed and the text is unchanged.
    pub failed: u32,
}
