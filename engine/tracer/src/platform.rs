//! What the engine needs of the kernel it runs in.

use crate::grow::OutOfMemory;

/// A kernel, or something that acts as one.
pub trait Platform: Sized + Send + Sync + 'static {
    /// A lock that may sleep. Only the control side takes it.
    type Lock<T: Send>: Lock<T>;
    /// A value that traps read while the control side replaces it.
    type Rcu<T: Send + Sync>: Rcu<T>;

    /// The CPU that this runs on. Callable from a trap.
    fn cpu(&self) -> usize;

    /// How many CPUs there can be; they are numbered from 0.
    fn cpus(&self) -> usize;

    /// Nanoseconds of the monotonic clock. Callable from a trap.
    fn now(&self) -> u64;

    /// Reads kernel text. Callable from a trap.
    fn peek(&self, address: usize, bytes: &mut [u8]) -> Result<(), Unreadable>;

    /// Writes kernel text; when it returns, every CPU executes what was written. May sleep.
    fn patch(&self, address: usize, bytes: &[u8]) -> Result<(), Unpatched>;

    /// Why no probe may be put at `address`, if so.
    fn off_limits(&self, address: usize) -> Option<OffLimits>;

    /// Whether the kernel rewrites the instruction at `address` as it runs: the place of a jump
    /// label or a static call. Not cheap.
    fn rewritten(&self, address: usize) -> bool;

    /// How many bytes at `address` the kernel's function tracer keeps for itself: it writes a call
    /// there and takes it out again, at any time.
    fn ftrace_slot(&self, address: usize) -> usize;

    /// Shows every function of the kernel proper, its name and its address, in the order of their
    /// addresses.
    fn each_function(&self, visit: &mut Visit<'_>) -> Result<(), OutOfMemory>;
}

/// Sees one function: its name and its address.
pub type Visit<'a> = dyn FnMut(&[u8], usize) -> Result<(), OutOfMemory> + 'a;

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

    /// Runs `work` on the value as it is now. `work` must not sleep.
    fn read<R>(&self, work: impl FnOnce(Option<&T>) -> R) -> R;

    /// Replaces the value, waits until no trap reads the old one, and drops that. May sleep.
    fn replace(&self, value: Option<T>) -> Result<(), OutOfMemory>;
}

/// Text that could not be written, and is as it was.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Unpatched;

/// Text that could not be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Unreadable;

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
