//! The engine's locks. The agent is the only thread of the control path, so its lock excludes nobody;
//! a slot has one user at a time; and what threads read is replaced when no slot can refer to it any
//! more.

#![expect(
    unsafe_code,
    reason = "shared values, whose users the contexts keep apart"
)]

use alloc::alloc::{Layout, alloc, dealloc};
use core::cell::UnsafeCell;
use core::ptr;
use core::sync::atomic::{AtomicBool, AtomicPtr, Ordering, compiler_fence};

use engine_tracer::{Lock, OutOfMemory, Rcu, TryLock};

use crate::{alive, slots};

/// A value of the agent's.
pub struct Control<T>(UnsafeCell<T>);

// SAFETY: only the agent, which is one thread, gets to the value.
unsafe impl<T: Send> Sync for Control<T> {}

impl<T> Control<T> {
    /// Wraps `value`.
    pub const fn of(value: T) -> Self {
        Self(UnsafeCell::new(value))
    }
}

impl<T: Send> Lock<T> for Control<T> {
    fn new(value: T) -> Self {
        Self::of(value)
    }

    fn with<R>(&self, work: impl FnOnce(&mut T) -> R) -> R {
        // SAFETY: the engine does not nest its control lock, and only the agent takes it.
        work(unsafe { &mut *self.0.get() })
    }
}

/// A value of a slot, against a use of it inside of another.
pub struct Guard<T> {
    taken: AtomicBool,
    value: UnsafeCell<T>,
}

// SAFETY: a slot has one user at a time, and `taken` turns away a second use by it.
unsafe impl<T: Send> Sync for Guard<T> {}

impl<T: Send> TryLock<T> for Guard<T> {
    fn new(value: T) -> Self {
        Self {
            taken: AtomicBool::new(false),
            value: UnsafeCell::new(value),
        }
    }

    fn try_with<R>(&self, work: impl FnOnce(&mut T) -> R) -> Option<R> {
        if self.taken.load(Ordering::Relaxed) {
            return None;
        }
        self.taken.store(true, Ordering::Relaxed);
        compiler_fence(Ordering::Acquire);
        // SAFETY: `taken` was clear, and the slot is this thread's.
        let result = work(unsafe { &mut *self.value.get() });
        compiler_fence(Ordering::Release);
        self.taken.store(false, Ordering::Relaxed);
        Some(result)
    }
}

/// A value that probe context reads and the agent replaces.
pub struct Published<T>(AtomicPtr<T>);

impl<T: Send + Sync> Rcu<T> for Published<T> {
    fn empty() -> Self {
        Self(AtomicPtr::new(ptr::null_mut()))
    }

    fn read<R>(&self, work: impl FnOnce(Option<&T>) -> R) -> R {
        // SAFETY: null, or what `replace` published. It frees that when no slot can refer to it any
        // more; and the agent does not replace what it reads.
        work(unsafe { self.0.load(Ordering::Acquire).as_ref() })
    }

    #[inline(never)]
    fn replace(&self, value: Option<T>) -> Result<Option<T>, OutOfMemory> {
        let new = match value {
            Some(value) => placed(value)?,
            None => ptr::null_mut(),
        };
        let old = self.0.swap(new, Ordering::SeqCst);
        if old.is_null() {
            return Ok(None);
        }
        // What a thread may still refer to is never freed.
        if !slots::synchronize(alive::is_alive) {
            return Ok(None);
        }
        // SAFETY: `placed` made it, it is not published any more, and no slot refers to it.
        Ok(Some(unsafe { taken(old) }))
    }
}

impl<T> Drop for Published<T> {
    fn drop(&mut self) {
        let last = *self.0.get_mut();
        if !last.is_null() {
            // SAFETY: `placed` made it, and nobody else has a reference.
            drop(unsafe { taken(last) });
        }
    }
}

/// Moves `value` to the heap. Unlike `Box::new`, it reports that there is no memory.
fn placed<T>(value: T) -> Result<*mut T, OutOfMemory> {
    const { assert!(size_of::<T>() > 0) };
    // SAFETY: the size is not zero.
    let place = unsafe { alloc(Layout::new::<T>()) }.cast::<T>();
    if place.is_null() {
        return Err(OutOfMemory);
    }
    // SAFETY: new memory of this layout.
    unsafe { place.write(value) };
    Ok(place)
}

/// Moves a value back.
///
/// # Safety
/// `place` came from [`placed`], and nothing refers to it.
unsafe fn taken<T>(place: *mut T) -> T {
    // SAFETY: it holds a value, which nobody else reads.
    let value = unsafe { place.read() };
    // SAFETY: `placed` allocated it with this layout.
    unsafe { dealloc(place.cast(), Layout::new::<T>()) };
    value
}
