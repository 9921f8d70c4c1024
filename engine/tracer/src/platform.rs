//! What the engine needs of the kernel it runs in.

use core::num::NonZeroUsize;
use core::ops::Range;

use engine_isa::Unreadable;

use crate::grow::OutOfMemory;
use crate::site::blacklist::Blacklist;

/// The kernel proper, as a module's name.
pub const KERNEL_NAME: &[u8] = b"vmlinux";

/// A kernel, or something that acts as one.
pub trait Platform: Sized + Send + Sync + 'static {
    /// A lock that may sleep. Only the control side takes it.
    type Lock<T: Send>: Lock<T>;
    /// A value that traps read while the control side replaces it.
    type Rcu<T: Send + Sync>: Rcu<T>;
    /// A value that one at a time uses, while others are turned away.
    type TryLock<T: Send>: TryLock<T>;
    /// The registers that a trap saves.
    type Regs;

    /// Runs `work` as if in a trap: on one CPU, and not interrupted there.
    fn undisturbed<R>(&self, work: impl FnOnce() -> R) -> R;

    /// Waits until whatever runs in a trap, a timer's tick or undisturbed has come to its end once. May
    /// sleep.
    fn synchronize(&self);

    /// The CPU that this runs on. Callable from a trap.
    fn cpu(&self) -> usize;

    /// How many CPUs there can be; they are numbered from 0.
    fn cpus(&self) -> usize;

    /// A coarse clock that wraps around, as precise as the kernel's tick. Callable before the guard is taken.
    fn ticks(&self) -> u32;

    /// Whether as much of the stack that this runs on is left as a firing takes. Callable before the guard is
    /// taken.
    fn has_stack(&self) -> bool;

    /// From now on has `Tracer::beat` called on each CPU, and `Tracer::watch`, once a second each, until they
    /// answer false; the limit that the first beat will have. May be called again.
    fn deadman_start(&self) -> u32;

    /// Nanoseconds of the monotonic clock. Callable from a trap.
    fn now(&self) -> u64;

    /// Nanoseconds since 1970. Callable from a trap.
    fn wall_time(&self) -> u64;

    /// A number nobody foresees. Callable from a trap.
    fn random(&self) -> u64;

    /// The thread that this runs on, or that an interrupt took the CPU from; `context` says what asks. Callable
    /// from a trap.
    fn task(&self, context: Context) -> Task;

    /// Nanoseconds that this thread has run. Callable from a trap.
    fn run_time(&self) -> u64;

    /// What no other thread has that is there now, and is not 0. Callable from a trap.
    fn thread(&self) -> usize;

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

    /// Starts a timer: from now on, each time so many nanoseconds are over, `Tracer::tick` is called with
    /// its number, as if from a trap; on one CPU, or on every CPU that is online. May sleep.
    fn timer_start(
        &self,
        number: u32,
        nanoseconds: u64,
        every_cpu: bool,
    ) -> Result<(), OutOfMemory>;

    /// Stops the timer of this number; when it returns, the last tick is over. May sleep.
    fn timer_stop(&self, number: u32);

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
    fn lead_here(&self, straight: bool);

    /// Gives others their turn, in the middle of much work. May sleep.
    fn breathe(&self);

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

    /// What this kernel's architecture adds to the blacklist.
    fn blacklist(&self) -> &'static Blacklist;

    /// Why no probe may be put at `address`, if so.
    fn off_limits(&self, address: usize) -> Option<OffLimits>;

    /// Whether the kernel rewrites the instruction at `address` as it runs: the place of a jump
    /// label or a static call. Not cheap.
    fn rewritten(&self, address: usize) -> bool;

    /// How many bytes at `address` the kernel's function tracer keeps for itself: it writes a call
    /// there and takes it out again, at any time.
    fn ftrace_slot(&self, address: usize) -> usize;

    /// Whether the kernel's function tracer has calls where functions are entered, which show the registers
    /// as they are there.
    fn has_calls(&self) -> bool;

    /// That call, of the function that begins at `address`, if it has one.
    fn call_of(&self, address: usize) -> Option<NonZeroUsize>;

    /// From now on `Tracer::called` is told of these calls, and of no others but what is on its way
    /// already. Where that cannot be had, all is as it was. May sleep.
    fn tell_of_calls(&self, calls: &[usize]) -> Result<(), Untold>;

    /// Shows every system call that there is a number for, those of an ABI one after the other.
    fn each_syscall(&self, visit: &mut VisitSyscall<'_>) -> Result<(), OutOfMemory>;

    /// The argument of this number, from 0, of a system call that has been entered with these registers; 0 where it
    /// takes no such argument.
    fn syscall_argument(&self, regs: &Self::Regs, number: u64) -> u64;

    /// From now on the kernel tells of this event of system calls with these numbers, though perhaps of others, too;
    /// or, if they are all, of this event where it is none of a system call. Of none: when this returns the last is
    /// over. May sleep.
    fn tell_of(&self, event: Event, numbers: &Numbers) -> Result<(), Untold>;

    /// Whether who jumps to `address` returns: the place of a return thunk.
    fn is_return_thunk(&self, address: usize) -> bool;

    /// Shows every module that is loaded, but the engine's own: its number, which is its own until it is
    /// gone, and its name.
    fn each_module(&self, visit: &mut VisitModule<'_>) -> Result<(), OutOfMemory>;

    /// Shows every function of the module of that number, or of the kernel proper for [`KERNEL`]: of
    /// those that share an address the one first that is the name of it.
    fn each_function(&self, module: usize, visit: &mut Visit<'_>) -> Result<(), OutOfMemory>;
}

/// The kernel proper, as a module's number.
pub const KERNEL: usize = 0;

/// A function, as the kernel lists it.
#[derive(Debug, Clone, Copy)]
pub struct Listed<'a> {
    /// Its name.
    pub name: &'a [u8],
    /// Where it begins.
    pub address: usize,
    /// How many bytes it has; 0 where that is not known.
    pub size: usize,
}

/// A system call, as the kernel numbers it.
#[derive(Debug, Clone, Copy)]
pub struct Numbered<'a> {
    /// The number of its ABI.
    pub abi: u32,
    /// Its own there.
    pub number: u32,
    /// Its ABI's name.
    pub abi_name: &'a [u8],
    /// Its own.
    pub name: &'a [u8],
}

/// Sees one system call.
pub type VisitSyscall<'a> = dyn FnMut(Numbered<'_>) -> Result<(), OutOfMemory> + 'a;

/// Some system calls, by a bit for each of an ABI's numbers: those that are alike in their lower bits all or none.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(transparent)]
pub struct Numbers([[u32; Self::WORDS]; Self::ABIS]);

impl Numbers {
    /// A kernel has its own ABI, and one for older programs at the most.
    const ABIS: usize = 2;
    /// No ABI has as many calls as there are bits.
    const WORDS: usize = 16;

    /// All there are.
    pub const ALL: Self = Self([[u32::MAX; Self::WORDS]; Self::ABIS]);
    /// None of them.
    pub const NONE: Self = Self([[0; Self::WORDS]; Self::ABIS]);

    /// Adds one.
    pub fn add(&mut self, abi: u32, number: u32) {
        let words = self.0.get_mut(abi as usize);
        if let Some(word) = words.and_then(|words| words.get_mut(word(number))) {
            *word |= bit(number);
        }
    }

    /// Adds all of these.
    pub fn add_all(&mut self, others: &Self) {
        let words = self.0.as_flattened_mut().iter_mut();
        for (word, other) in words.zip(others.0.as_flattened()) {
            *word |= other;
        }
    }

    /// Whether all of these are among them.
    pub fn has_all(&self, others: &Self) -> bool {
        let mut words = self.0.as_flattened().iter().zip(others.0.as_flattened());
        words.all(|(word, other)| word & other == *other)
    }

    /// Whether that one is among them.
    pub fn has(&self, abi: u32, number: u32) -> bool {
        let words = self.0.get(abi as usize);
        let word = words.and_then(|words| words.get(word(number)));
        word.is_some_and(|word| word & bit(number) != 0)
    }
}

/// A call's ABI and its number there, as one number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Key(u32);

impl Key {
    const NUMBER_BITS: u32 = 24;

    /// None for a number that is beyond all that there are.
    pub const fn new(abi: u32, number: i64) -> Option<Self> {
        if abi >> (u32::BITS - Self::NUMBER_BITS) != 0 || number >> Self::NUMBER_BITS != 0 {
            return None;
        }
        Some(Self(abi << Self::NUMBER_BITS | number as u32))
    }

    /// Both as a number.
    pub const fn to_bits(self) -> u32 {
        self.0
    }

    /// The key that gave this number.
    pub const fn from_bits(bits: u32) -> Self {
        Self(bits)
    }

    /// The number without the ABI.
    pub const fn number(self) -> u32 {
        self.0 & ((1 << Self::NUMBER_BITS) - 1)
    }

    /// The ABI.
    pub const fn abi(self) -> u32 {
        self.0 >> Self::NUMBER_BITS
    }

    /// How far it is behind another.
    pub const fn behind(self, other: Self) -> usize {
        self.0.wrapping_sub(other.0) as usize
    }
}

/// In which of an ABI's words a number is.
const fn word(number: u32) -> usize {
    (number / u32::BITS) as usize % Numbers::WORDS
}

/// And which bit there.
const fn bit(number: u32) -> u32 {
    1 << (number % u32::BITS)
}

/// What the kernel tells of while it is asked to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(usize)]
pub enum Event {
    /// A system call returns, in the child too where it makes one: `Tracer::syscall_returned`. When the last is
    /// over, so is the last of a call that was entered.
    SyscallReturned = 0,
    /// A thread enters a system call: `Tracer::syscall_entered`.
    SyscallEntered = 1,
    /// A process makes another, whose number this tells: this and the next `Tracer::happened`.
    ProcessCreated = 2,
    /// A process that was made is about to come to its program for the first time.
    ProcessStarted = 3,
    /// A process has begun a program.
    ProgramBegun = 4,
    /// The kernel lets go of a process: `Tracer::process_gone`. It comes before those of whose
    /// processes it tells, so that it is told of whenever they are.
    ProcessGone = 5,
    /// A process ends, its last thread: why, as `CLD_EXITED` and the like have it, and with what status or signal.
    ProcessExited = 6,
    /// A signal is sent, by this thread or by what has interrupted it: to which thread of which process, which, and
    /// what became of it.
    SignalSent = 7,
    /// This thread takes a signal: which, where what is known of it is, and where its handler is.
    SignalHandled = 8,
}

impl Event {
    /// Each.
    pub const ALL: [Self; 9] = [
        Self::SyscallReturned,
        Self::SyscallEntered,
        Self::ProcessCreated,
        Self::ProcessStarted,
        Self::ProgramBegun,
        Self::ProcessGone,
        Self::ProcessExited,
        Self::SignalSent,
        Self::SignalHandled,
    ];

    /// Those that each thread of a process may tell of: it is done once until the process is gone.
    pub const ONCE: [Self; 2] = [Self::ProcessExited, Self::SignalHandled];

    /// The event that the shim knows by this number.
    pub fn from_code(code: u32) -> Option<Self> {
        Self::ALL.get(code as usize).copied()
    }

    /// Whether it is one of a system call's, of which the kernel tells by their numbers.
    pub const fn is_of_syscall(self) -> bool {
        matches!(self, Self::SyscallReturned | Self::SyscallEntered)
    }
}

/// The error number that a system call returns, if it does: a value that Linux keeps for these.
pub fn errno(value: i64) -> Option<u64> {
    const LAST: i64 = 4095;
    (-LAST..0).contains(&value).then(|| value.unsigned_abs())
}

/// Sees one function.
pub type Visit<'a> = dyn FnMut(Listed<'_>) -> Result<(), OutOfMemory> + 'a;

/// Sees one module: its number and its name.
pub type VisitModule<'a> = dyn FnMut(usize, &[u8]) -> Result<(), OutOfMemory> + 'a;

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

/// A sleeping lock around a value.
pub trait Lock<T> {
    /// Wraps `value`.
    fn new(value: T) -> Self;

    /// Runs `work` while no one else holds the value.
    fn with<R>(&self, work: impl FnOnce(&mut T) -> R) -> R;
}

/// A value that is replaced whole, and read without waiting.
///
/// `read` is for traps, and for the control side while it holds the tracer's lock: those are the
/// readers that [`Rcu::replace`] waits for, or excludes.
pub trait Rcu<T> {
    /// Holds nothing yet.
    fn empty() -> Self;

    /// Runs `work` on the value as it is now. In a trap `work` must not sleep.
    fn read<R>(&self, work: impl FnOnce(Option<&T>) -> R) -> R;

    /// Replaces the value, waits until no trap reads the old one, and gives that back. May sleep.
    fn replace(&self, value: Option<T>) -> Result<Option<T>, OutOfMemory>;

    /// The same for a value that is large for a kernel's stack, and drops the old one.
    #[inline(never)]
    fn set(&self, value: Option<T>) -> Result<(), OutOfMemory> {
        self.replace(value).map(drop)
    }
}

/// A lock that nobody waits for: it guards what belongs to one CPU against a trap that interrupts its
/// user. Callable from a trap, and from what is undisturbed, on that CPU alone.
pub trait TryLock<T>: Send + Sync {
    /// Wraps `value`.
    fn new(value: T) -> Self;

    /// Runs `work` on the value; nothing while someone else does.
    fn try_with<R>(&self, work: impl FnOnce(&mut T) -> R) -> Option<R>;
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

/// The kernel would not tell of its function tracer's calls, or of an event.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Untold;

macro_rules! off_limits {
    ($($(#[$doc:meta])* $variant:ident = $code:literal $word:literal $sentence:literal,)*) => {
        /// Why the kernel itself forbids a probe.
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub enum OffLimits {
            $($(#[$doc])* $variant,)*
        }

        impl OffLimits {
            /// The reason that the shim knows by this number.
            pub const fn from_code(code: u32) -> Option<Self> {
                match code {
                    $($code => Some(Self::$variant),)*
                    _ => None,
                }
            }

            /// The reason in one word.
            pub const fn word(self) -> &'static str {
                match self { $(Self::$variant => $word,)* }
            }

            /// The reason in one sentence.
            pub const fn sentence(self) -> &'static str {
                match self { $(Self::$variant => $sentence,)* }
            }
        }
    };
}

off_limits! {
    /// Initialisation code, freed after boot, and what is no code at all.
    Discarded = 1 "discarded" "it lies outside the running kernel's text",
    /// On the kernel's own blacklist: code that runs before a trap's handler has control.
    Blacklisted = 2 "blacklisted" "the kernel's blacklist forbids a trap in it, since a trap runs it",
    /// In the kernel's table of accesses that may fault.
    Fixup = 3 "fixup" "it may fault, and the kernel then looks it up by an address that a trap would hide",
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_is_of_a_number_that_can_be_a_calls() {
        let key = |abi, number| Key::new(abi, number).map(Key::to_bits);
        assert_eq!(key(0, 0), Some(0));
        assert_eq!(key(1, 0xf0002), Some(0x010f_0002));
        assert_eq!(key(255, 0xff_ffff), Some(0xffff_ffff));
        for (abi, number) in [
            (0, -1),
            (0, i64::MIN),
            (0, 1 << 24),
            (0, 0x4000_0000),
            (0, 1 << 40),
            (256, 0),
        ] {
            assert_eq!(key(abi, number), None, "{abi} {number}");
        }
    }
}
