//! CPUs, locks and RCU.

use crate::grow::OutOfMemory;

/// Execution contexts, and the primitives that synchronise them.
pub trait Cpus: Sized + Send + Sync + 'static {
    /// A sleeping lock, for the control path only.
    type Lock<T: Send>: Lock<T>;

    /// A value that firings read while control replaces it.
    type Rcu<T: Send + Sync>: Rcu<T>;

    /// A value with one user at a time; a second one is turned away instead of waiting.
    type TryLock<T: Send>: TryLock<T>;

    /// Runs `work` on one CPU with interrupts disabled, as in a trap.
    fn with_irqs_off<R>(&self, work: impl FnOnce() -> R) -> R;

    /// Waits for a grace period: every trap, timer tick and [`Cpus::with_irqs_off`] section that is
    /// running is over. May sleep.
    fn synchronize(&self);

    /// The current CPU. Callable from a trap, before the guard is held.
    fn cpu(&self) -> usize;

    /// Number of possible CPUs, numbered from 0.
    fn cpus(&self) -> usize;

    /// What the current CPU's copy of a per-CPU variable is behind the variable's address. Callable
    /// from a trap.
    fn cpu_offset(&self) -> i64;

    /// Whether the current stack has enough room left for a firing. Callable before the guard is
    /// held.
    fn has_stack(&self) -> bool;

    /// Reschedules if needed, in the middle of long work. May sleep.
    fn cond_resched(&self);
}

/// A sleeping lock around a value.
pub trait Lock<T> {
    /// Wraps `value`.
    fn new(value: T) -> Self;

    /// Runs `work` under the lock.
    fn with<R>(&self, work: impl FnOnce(&mut T) -> R) -> R;

    /// Like [`Lock::with`], in a thread that may have to wait for minutes, and is not hung then.
    fn with_patience<R>(&self, work: impl FnOnce(&mut T) -> R) -> R {
        self.with(work)
    }
}

/// A value under RCU: replaced as a whole, and read without waiting.
///
/// `read` is for the fire path, and for control under the control lock. [`Rcu::replace`] waits for
/// the former and excludes the latter.
pub trait Rcu<T> {
    /// Creates one that holds no value.
    fn empty() -> Self;

    /// Runs `work` on the current value. On the fire path `work` must not sleep.
    fn read<R>(&self, work: impl FnOnce(Option<&T>) -> R) -> R;

    /// Replaces the value, waits until no reader uses the old one, and returns that. May sleep.
    fn replace(&self, value: Option<T>) -> Result<Option<T>, OutOfMemory>;

    /// Like `replace`, but drops the old value; for values too large for a kernel stack.
    #[inline(never)]
    fn set(&self, value: Option<T>) -> Result<(), OutOfMemory> {
        self.replace(value).map(drop)
    }
}

/// A try-lock of per-CPU data, against a trap that interrupts its user. Callable from a trap and
/// with interrupts disabled, on the owning CPU only.
pub trait TryLock<T>: Send + Sync {
    /// Wraps `value`.
    fn new(value: T) -> Self;

    /// Runs `work` under the lock; returns none if it is taken.
    fn try_with<R>(&self, work: impl FnOnce(&mut T) -> R) -> Option<R>;
}
