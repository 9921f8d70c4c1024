//! Kernel text, and memory for code.

use core::num::NonZeroUsize;
use core::ops::Range;

use engine_isa::Unreadable;

use super::Refused;
use crate::grow::OutOfMemory;

/// The text of the kernel, who else writes to it, and memory for slots.
pub trait KernelText: Sized + Send + Sync + 'static {
    /// Reads kernel text. Callable from a trap.
    fn peek(&self, address: usize, bytes: &mut [u8]) -> Result<(), Unreadable>;

    /// The same, as the text would be without the kernel's own kprobes.
    fn peek_original(&self, address: usize, bytes: &mut [u8]) -> Result<(), Unreadable>;

    /// Runs `work` while none of the kernel's own kprobes is registered, removed or optimized, where the platform can
    /// hold that up. May sleep.
    fn hold_kprobes<R>(&self, work: impl FnOnce() -> R) -> R;

    /// Whether one of the kernel's own kprobes is registered where it may write over the instruction at `address`,
    /// enabled or not: there, or so near before it that the jump which the kernel may put in its place reaches it.
    fn has_kprobe(&self, address: usize) -> bool;

    /// Writes kernel text at each of these places, with as few stops of the machine as it can; when it
    /// returns, every CPU executes what was written, and of each that was not it is said. Needs no
    /// memory. May sleep.
    fn patch(&self, patches: &mut [Patch]);

    /// Whether the kernel's own handler of traps leads straight to `Tracer::trap`. While it does, nothing that
    /// can be traced or probed runs on that way, or back; otherwise some of the kernel's functions do. May
    /// sleep.
    fn direct_dispatch(&self, straight: bool);

    /// How many bytes at `address` the kernel's function tracer keeps for itself: it writes a call
    /// there and takes it out again, at any time.
    fn ftrace_slot(&self, address: usize) -> usize;

    /// Whether the kernel rewrites the instruction at `address` as it runs: the place of a jump
    /// label or a static call. Not cheap.
    fn rewritten(&self, address: usize) -> bool;

    /// Whether the kernel's function tracer has calls where functions are entered, which show the registers
    /// as they are there.
    fn has_calls(&self) -> bool;

    /// That call, of the function that begins at `address`, if it has one.
    fn call_of(&self, address: usize) -> Option<NonZeroUsize>;

    /// From now on `Tracer::called` is told of these calls, and of no others but what is on its way
    /// already. Where that cannot be had, all is as it was. May sleep.
    fn trace_calls(&self, calls: &[usize]) -> Result<(), Refused>;

    /// How many bytes a piece of memory for code has.
    const CODE: usize;

    /// The addresses that pieces of memory for code can have.
    fn code_range(&self) -> Range<usize>;

    /// A piece of memory that can be executed, and written through `code_write` only. May sleep.
    fn code_alloc(&self) -> Result<usize, OutOfMemory>;

    /// Gives back a piece that `code_alloc` gave. May sleep.
    fn code_free(&self, address: usize);

    /// Writes to such a piece; when it returns, every CPU that comes there executes what was written.
    /// Nobody is there meanwhile. May sleep.
    fn code_write(&self, address: usize, bytes: &[u8]);

    /// Waits until whoever was in such a piece, or in a trap that would send him there, has left it. May
    /// sleep.
    fn synchronize_code(&self);
}

/// Text to be written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(C)]
pub struct Patch {
    /// Where.
    pub address: usize,
    /// What: as many of its bytes, the lowest first, as the trap has.
    pub word: u32,
    /// Whether it could not be written, and is as it was.
    pub failed: u32,
}
