//! Locks, CPUs, and what runs where.

use crate::grow::OutOfMemory;

/// What runs on which CPU, and how it is kept apart.
pub trait Cpus: Sized + Send + Sync + 'static {
    /// A lock that may sleep. Only the control side takes it.
    type Lock<T: Send>: Lock<T>;

    /// A value that traps read while the control side replaces it.
    type Rcu<T: Send + Sync>: Rcu<T>;

    /// A value that one at a time uses, while others are turned away.
    type TryLock<T: Send>: TryLock<T>;

    /// Runs `work` as if in a trap: on one CPU, and not interrupted there.
    fn with_irqs_off<R>(&self, work: impl FnOnce() -> R) -> R;

    /// Waits until whatever runs in a trap, a timer's tick or undisturbed has come to its end once. May
    /// sleep.
    fn synchronize(&self);

    /// The CPU that this runs on. Callable from a trap.
    fn cpu(&self) -> usize;

    /// How many CPUs there can be; they are numbered from 0.
    fn cpus(&self) -> usize;

    /// Whether as much of the stack that this runs on is left as a firing takes. Callable before the guard is
    /// taken.
    fn has_stack(&self) -> bool;

    /// Gives others their turn, in the middle of much work. May sleep.
    fn cond_resched(&self);
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
