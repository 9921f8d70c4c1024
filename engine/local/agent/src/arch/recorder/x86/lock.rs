//! A lock between the threads of the program, for the runtime: signals are blocked while it is held.

#![expect(unsafe_code, reason = "one thread has the value at a time")]

use core::cell::UnsafeCell;
use core::sync::atomic::{AtomicU32, Ordering};
use core::time::Duration;

use crate::sys;

/// A value that one thread has at a time.
pub struct Lock<T> {
    /// 0: free; 1: held; 2: held, and others may wait.
    held: AtomicU32,
    value: UnsafeCell<T>,
}

// SAFETY: whoever has the value holds the lock.
unsafe impl<T: Send> Sync for Lock<T> {}

impl<T> Lock<T> {
    /// Around `value`.
    pub const fn new(value: T) -> Self {
        Self {
            held: AtomicU32::new(0),
            value: UnsafeCell::new(value),
        }
    }

    /// Does `work` with the value; waits for other threads.
    pub fn with<R>(&self, work: impl FnOnce(&mut T) -> R) -> R {
        const LONGEST: Duration = Duration::from_millis(10);
        let order = Ordering::Acquire;
        if self.held.compare_exchange(0, 1, order, order).is_err() {
            while self.held.swap(2, order) != 0 {
                sys::wait(&self.held, 2, LONGEST);
            }
        }
        // SAFETY: this thread holds the lock, and `work` cannot take it again: nothing of the runtime nests.
        let result = work(unsafe { &mut *self.value.get() });
        if self.held.swap(0, Ordering::Release) == 2 {
            sys::wake(&self.held);
        }
        result
    }
}
