//! Processes: their address spaces, and what tracing writes into them.

use engine_isa::Unreadable;

use crate::grow::OutOfMemory;

/// Access to the address spaces of processes.
pub trait Processes: Sized + Send + Sync + 'static {
    /// Opens the address space of a process for probes. Two calls for one address space return the
    /// same handle. May sleep.
    fn space_open(&self, pid: u32) -> Result<Space, Denied>;

    /// Closes it: its slots are unmapped, and no child waits to be cleaned any more. Nothing of ours
    /// is in its text. May sleep.
    fn space_close(&self, space: Space);

    /// Whether its last thread has left it. Then it has no text, and nothing can be read or written.
    fn space_is_gone(&self, space: Space) -> bool;

    /// The key of the current thread's address space; 0 if it has none. Callable from a trap, before
    /// the guard is held.
    fn current_space(&self) -> usize;

    /// The key of a process's address space, which stays its own until [`Processes::space_drop`].
    /// Refused as [`Processes::space_open`] is. May sleep.
    fn space_hold(&self, pid: u32) -> Result<usize, Denied>;

    /// Ends one [`Processes::space_hold`] of this key. May sleep.
    fn space_drop(&self, key: usize);

    /// Reads text or data as it is now, faulting pages in. May sleep.
    fn space_read(&self, space: Space, address: usize, bytes: &mut [u8]) -> Result<(), Unreadable>;

    /// Writes text, into private copies of its pages: no other process sees it, and children of the
    /// process start without it. Batched so that the machine is stopped as rarely as possible; when
    /// it returns, every CPU executes the new text, and [`UserPatch::outcome`] tells what came of each
    /// write. `are_traps` says whether all of them write traps; otherwise all write back what traps have
    /// displaced, which needs no memory of the platform's own. May sleep.
    fn space_patch(&self, space: Space, patches: &mut [UserPatch], are_traps: bool);

    /// Adds 1 to a 16-bit counter of a process, which has private memory there that it may write; or
    /// subtracts 1 again, if that is still the same memory. Children of the process start without what is
    /// added at that time. May sleep.
    fn space_count(&self, space: Space, address: usize, is_up: bool) -> Result<(), Uncounted>;

    /// Maps a page for slots of [`Processes::SLOTS`] bytes as near to `near` as there is room, and
    /// returns its address. Its contents are undefined. May sleep.
    fn slots_map(&self, space: Space, near: usize) -> Result<usize, OutOfMemory>;

    /// Writes the code of a slot to such a page, in the order of their addresses. No thread is in it
    /// yet. May sleep.
    fn slots_write(&self, space: Space, slot: &InSlot, code: &[u8]) -> Result<(), OutOfMemory>;

    /// Unmaps all such pages. A thread that is in a slot continues where the instruction came from,
    /// or behind it. May sleep.
    fn slots_unmap(&self, space: Space);

    /// From now on each process that has executed a program, or been forked by one whose text was written,
    /// calls [`Tracer::process_begins`], waits for its ticket and calls [`Tracer::process_began`], before it
    /// enters user mode. Refused to callers in another PID namespace than the initial one. May sleep.
    ///
    /// [`Tracer::process_begins`]: crate::Tracer::process_begins
    /// [`Tracer::process_began`]: crate::Tracer::process_began
    fn hold_execs(&self) -> Result<(), Denied>;

    /// Ends that, and waits until no thread is between the two calls. May sleep.
    fn let_execs_go(&self);

    /// The bounds on the memory of probes.
    fn probe_memory(&self) -> ProbeMemory;

    /// Wakes the threads that wait for tickets, to look whether they are released.
    fn wake_held(&self);

    /// Size of the page that [`Processes::slots_map`] maps, in bytes.
    const SLOTS: usize;
}

/// The bounds in force, in bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(C)]
pub struct ProbeMemory {
    /// For one process.
    pub process: usize,
    /// For all.
    pub all: usize,
}

impl ProbeMemory {
    /// No bounds.
    pub const ENDLESS: Self = Self {
        process: usize::MAX,
        all: usize::MAX,
    };
}

/// An address space that probes may be placed in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(C)]
pub struct Space {
    /// The platform's handle of it.
    pub handle: usize,
    /// What [`Processes::current_space`] returns for its threads; neither 0 nor `usize::MAX`.
    pub key: usize,
    /// Not 0 if its program has shorter words than the kernel.
    pub is_compat: usize,
}

/// Why a process cannot be traced.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Denied {
    /// There is none of this ID, or it has exited.
    NoProcess,
    /// The caller may not trace it, as with ptrace(2).
    NotAllowed,
    /// Its instruction set or its word size is not the kernel's own.
    Foreign,
    /// The caller itself, or a process without an address space of its own.
    Unsuitable,
    /// This kernel's traps in user mode do not reach the engine.
    Unsupported,
    /// An allocation failed.
    OutOfMemory,
}

/// Why a counter was not changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Uncounted {
    /// No such memory is there, or other memory than before, or the counter would leave its range.
    Different,
    /// An allocation failed.
    OutOfMemory,
}

/// One write to a process's text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(C)]
pub struct UserPatch {
    /// Address of the instruction's first byte.
    pub address: usize,
    /// The bytes that must be there now, lowest first.
    pub expected: u32,
    /// The bytes to write in their place.
    pub word: u32,
    /// How many bytes: at most four, as many as the trap has.
    pub length: u32,
    /// Out: what came of it.
    pub outcome: Patched,
}

/// What came of a write to a process's text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u32)]
pub enum Patched {
    /// It was written.
    Written,
    /// Other bytes were there, or no text any more; nothing was written.
    Different,
    /// The page could not be read or written, for lack of memory or because it is shared.
    Unwritable,
}

/// A slot in a process.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(C)]
pub struct InSlot {
    /// The slot's address.
    pub slot: usize,
    /// Its size in bytes.
    pub size: usize,
    /// Address of the instruction that it is a copy of.
    pub site: usize,
    /// Address of the instruction behind that.
    pub next: usize,
    /// The bits of the program status that go with `site`.
    pub site_status: u32,
    /// Those that go with `next`.
    pub next_status: u32,
}
