//! Threads: identity, stacks and memory.

use engine_isa::Unreadable;

use super::user::UserFrame;

/// Access to the current or interrupted thread.
pub trait Tasks: Sized + Send + Sync + 'static {
    /// The registers that a trap saves.
    type Regs;

    /// The current thread, or the one that an interrupt took the CPU from; `context` says where the
    /// call comes from. Callable from a trap.
    fn task(&self, context: Context) -> Task;

    /// Whether the current process is the one of this ID, or a descendant of it as far as parents
    /// can be followed. Callable from a trap.
    fn descends_from(&self, pid: u32) -> bool;

    /// CPU time of this thread, in nanoseconds. Callable from a trap.
    fn run_time(&self) -> u64;

    /// A nonzero key that is unique among live threads. Callable from a trap.
    fn thread_key(&self) -> usize;

    /// This thread's saved user-mode register `number`, in the order of the kernel's `ptrace`
    /// layout; 0 if there is none. Callable from a trap.
    fn user_register(&self, number: u64) -> u64;

    /// The registers with which this thread entered the kernel from user mode, so that they are
    /// those of its user stack's innermost frame; none for a kernel thread. Callable from a trap.
    fn user_regs(&self) -> Option<Self::Regs>;

    /// What a walk over the user stack needs of such registers. Callable from a trap.
    fn user_frame(&self, regs: &Self::Regs) -> UserFrame;

    /// Reads kernel memory; on failure the contents of `bytes` are undefined. Any address is safe:
    /// a fault is an error, and device memory is not touched. Callable from a trap.
    fn load(&self, address: u64, bytes: &mut [u8]) -> Result<(), Unreadable>;

    /// Reads memory of the current process, without faulting pages in. Callable from a trap.
    fn load_user(&self, address: u64, bytes: &mut [u8]) -> Result<(), Unreadable>;

    /// Unwinds the kernel stack into `frames`, innermost first; returns the number of frames.
    /// Callable from a trap.
    fn stack(&self, from: Origin<'_, Self::Regs>, frames: &mut [u64]) -> usize;
}

/// Where a stack trace starts.
#[derive(Debug)]
pub enum Origin<'a, R> {
    /// A function's entry, with these registers. The first frame is the function itself, the next
    /// its caller.
    Entry(&'a R),
    /// An instruction that leaves a function, with these registers. The frames are the same.
    Return(&'a R),
    /// The code that a function returns to, with these registers. The first frame is that code.
    Caller(&'a R),
    /// The current stack, or what a timer interrupted.
    Interrupted,
}

/// Where the walk over a user stack starts.
#[derive(Debug)]
pub enum UserOrigin<'a, R> {
    /// The registers with which the thread entered the kernel.
    Saved,
    /// An instruction of a function that has set up its frame, with these registers.
    Body(&'a R),
    /// An instruction of a function that has no frame, with these registers: its first one, or one
    /// by which it returns.
    Bare(&'a R),
    /// An instruction by which a function returns: its address, and the caller's registers.
    Leaving(usize, R),
}

/// Size of a thread's name, in bytes.
pub const TASK_NAME: usize = 16;

/// A thread.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[repr(C)]
pub struct Task {
    /// A random number drawn when it was created.
    pub nonce: u64,
    /// Address of its `task_struct`, which is reused once it is gone.
    pub address: u64,
    /// Its process's ID.
    pub pid: u32,
    /// Its own ID.
    pub tid: u32,
    /// Its parent process's ID.
    pub ppid: u32,
    /// Its real user ID, in the initial user namespace.
    pub uid: u32,
    /// Its real group ID, likewise.
    pub gid: u32,
    /// Nonzero in an interrupt, other than the firing's own.
    pub in_interrupt: u32,
    /// Its name (`comm`), padded with NULs.
    pub name: [u8; TASK_NAME],
}

impl Task {
    /// An ID that no other thread shares, earlier or later, but for a collision of nonces. It
    /// survives a change of the thread's TID: a thread that executes a program takes that of its
    /// group's leader. An idle thread is identified by its CPU, and an interrupt differs from the
    /// thread that it interrupts.
    pub fn identity(&self, cpu: usize) -> u64 {
        let own = match self.tid {
            0 => cpu as u64,
            _ => self.nonce ^ self.address.rotate_left(u32::BITS),
        };
        if self.in_interrupt == 0 { own } else { !own }
    }
}

/// Where a request for the current thread comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(C)]
pub enum Context {
    /// Code of the thread itself, or of the interrupt it is in.
    Thread,
    /// A timer's tick, which is an interrupt of its own.
    Tick,
    /// A trap.
    Trap,
}
