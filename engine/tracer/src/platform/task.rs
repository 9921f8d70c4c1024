//! Threads: who they are, their stacks and their memory.

use engine_isa::Unreadable;

/// The thread that this runs on, or that was interrupted.
pub trait Tasks: Sized + Send + Sync + 'static {
    /// The registers that a trap saves.
    type Regs;

    /// The thread that this runs on, or that an interrupt took the CPU from; `context` says what asks. Callable
    /// from a trap.
    fn task(&self, context: Context) -> Task;

    /// Nanoseconds that this thread has run. Callable from a trap.
    fn run_time(&self) -> u64;

    /// What no other thread has that is there now, and is not 0. Callable from a trap.
    fn thread_key(&self) -> usize;

    /// This thread's register of that number while it was last in user space, numbered as the kernel
    /// lays them out for a debugger; 0 where there is none. Callable from a trap.
    fn user_register(&self, number: u64) -> u64;

    /// Reads kernel memory: all of it, or nothing is true of `bytes`. It survives any address, and
    /// touches no memory of a device. Callable from a trap.
    fn load(&self, address: u64, bytes: &mut [u8]) -> Result<(), Unreadable>;

    /// Reads memory of the process, as far as it is there: no page is brought in. Callable from a trap.
    fn load_user(&self, address: u64, bytes: &mut [u8]) -> Result<(), Unreadable>;

    /// Writes the program counters on the kernel stack to `frames`, innermost first; how many. Callable
    /// from a trap.
    fn stack(&self, from: Origin<'_, Self::Regs>, frames: &mut [u64]) -> usize;
}

/// Where a stack is looked at from.
#[derive(Debug)]
pub enum Origin<'a, R> {
    /// A function's entry, with these registers: the frames are its own pc, its caller's, and so on.
    Entry(&'a R),
    /// An instruction that leaves a function: the same.
    Return(&'a R),
    /// Code that a function returns to: the frames are that, its caller's, and so on.
    Caller(&'a R),
    /// What a timer interrupted, or who asks.
    Interrupted,
}

/// Room for a task's name.
pub const TASK_NAME: usize = 16;

/// A thread.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[repr(C)]
pub struct Task {
    /// A random number that it was given when it was made.
    pub nonce: u64,
    /// The address of the kernel's structure of it, which is another thread's once it is gone.
    pub address: u64,
    /// Its process.
    pub pid: u32,
    /// Its own number.
    pub tid: u32,
    /// Its process's parent.
    pub ppid: u32,
    /// Its real user, as the machine as a whole numbers users.
    pub uid: u32,
    /// Its real group.
    pub gid: u32,
    /// Not 0 while an interrupt is served, other than the one that asks.
    pub in_interrupt: u32,
    /// The name of the program that it runs, with NULs behind it.
    pub name: [u8; TASK_NAME],
}

impl Task {
    /// What no other thread has, before or after it, but by a chance of 1 in 2 to the power of the nonce's bits. It
    /// remains when the thread's number does not: who becomes a program takes the first thread's. An idle thread
    /// has its CPU's instead, and an interrupt has another than the thread that it interrupts.
    pub fn identity(&self, cpu: usize) -> u64 {
        let own = match self.tid {
            0 => cpu as u64,
            _ => self.nonce ^ self.address.rotate_left(u32::BITS),
        };
        if self.in_interrupt == 0 { own } else { !own }
    }
}

/// What asks for the thread.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(C)]
pub enum Context {
    /// What the thread itself does, or the interrupt that it is in.
    Thread,
    /// A timer's tick, which is an interrupt.
    Tick,
    /// A trap.
    Trap,
}
