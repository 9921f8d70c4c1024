//! The tracer's synchronisation primitives: the control mutex, the per-CPU try-lock and RCU.
//!
//! The control path takes the mutex and sleeps. Probe context never waits: it reads under RCU,
//! where disabled interrupts or preemption are the read-side critical section, and it gives up
//! where a try-lock is taken.

use alloc::alloc::{Layout, alloc, dealloc};
use core::cell::UnsafeCell;
use core::ptr;
use core::sync::atomic::{AtomicBool, AtomicPtr, Ordering, compiler_fence};

use engine_tracer::{Lock, OutOfMemory, Rcu, TryLock};

use crate::ffi;

/// A value protected by the control mutex.
///
/// The module has a single control mutex, so `with` on one value excludes `with` on every other,
/// and it must not be nested.
pub struct ControlLock<T>(UnsafeCell<T>);

// SAFETY: the value is reached only under the mutex, by one thread at a time.
unsafe impl<T: Send> Sync for ControlLock<T> {}

/// Holds the control mutex; dropping it unlocks.
struct ControlGuard;

impl ControlGuard {
    fn lock() -> Self {
        // SAFETY: only the control path gets here; it may sleep, and does not hold the mutex yet.
        unsafe { ffi::shim_lock() };
        Self
    }

    fn lock_patiently() -> Self {
        // SAFETY: as in `lock`.
        unsafe { ffi::shim_lock_patiently() };
        Self
    }
}

impl Drop for ControlGuard {
    fn drop(&mut self) {
        // SAFETY: this thread locked the mutex when it made the guard.
        unsafe { ffi::shim_unlock() };
    }
}

impl<T> Lock<T> for ControlLock<T> {
    fn new(value: T) -> Self {
        Self(UnsafeCell::new(value))
    }

    fn with<R>(&self, work: impl FnOnce(&mut T) -> R) -> R {
        let _guard = ControlGuard::lock();
        // SAFETY: `_guard` lives until `work` has returned, and excludes every other `with`.
        work(unsafe { &mut *self.0.get() })
    }

    fn with_patience<R>(&self, work: impl FnOnce(&mut T) -> R) -> R {
        let _guard = ControlGuard::lock_patiently();
        // SAFETY: as in `with`.
        work(unsafe { &mut *self.0.get() })
    }
}

/// A per-CPU value, used on its own CPU with interrupts disabled. If it is in use, `try_with`
/// fails.
///
/// Only a trap on the same CPU, or on x86 an NMI, can come between the load of `taken` and the
/// store after it. It returns before that store, and leaves `taken` as the load saw it, so a plain
/// load and store suffice; an atomic read-modify-write would cost more. The compiler fences keep
/// accesses to the value between the two stores.
pub struct KernelTryLock<T> {
    taken: AtomicBool,
    value: UnsafeCell<T>,
}

// SAFETY: the value is reached only through `try_with`, by one user at a time.
unsafe impl<T: Send> Sync for KernelTryLock<T> {}

impl<T: Send> TryLock<T> for KernelTryLock<T> {
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
        // SAFETY: `taken` was clear, so the value is not in use on this CPU.
        Some(unsafe { self.with_unchecked(work) })
    }
}

impl<T> KernelTryLock<T> {
    /// Runs `work` on the value without testing `taken`.
    ///
    /// # Safety
    /// The value is not in use, or its user is meant to have it changed underneath (a mutant).
    #[inline(always)]
    pub unsafe fn with_unchecked<R>(&self, work: impl FnOnce(&mut T) -> R) -> R {
        self.taken.store(true, Ordering::Relaxed);
        compiler_fence(Ordering::Acquire);
        // SAFETY: the caller guarantees exclusive access.
        let result = work(unsafe { &mut *self.value.get() });
        compiler_fence(Ordering::Release);
        self.taken.store(false, Ordering::Relaxed);
        result
    }
}

/// An RCU-protected pointer, dereferenced in probe context and replaced by the control path.
pub struct KernelRcu<T>(AtomicPtr<T>);

impl<T> Rcu<T> for KernelRcu<T> {
    fn empty() -> Self {
        Self(AtomicPtr::new(ptr::null_mut()))
    }

    fn read<R>(&self, work: impl FnOnce(Option<&T>) -> R) -> R {
        // SAFETY: null, or a value that `replace` initialised before it published it. A reader is
        // in probe context, with interrupts or preemption disabled, or holds the control mutex:
        // before it frees, `replace` waits for the former, and the mutex excludes the latter.
        work(unsafe { self.0.load(Ordering::Acquire).as_ref() })
    }

    #[inline(never)]
    fn replace(&self, value: Option<T>) -> Result<Option<T>, OutOfMemory> {
        let new = match value {
            Some(value) => boxed(value)?,
            None => ptr::null_mut(),
        };
        let old = self.0.swap(new, Ordering::AcqRel);
        if old.is_null() {
            return Ok(None);
        }
        // SAFETY: only the control path gets here, and it may sleep.
        unsafe { ffi::shim_synchronize() };
        // SAFETY: `boxed` allocated it, it is no longer published, and the grace period has ended
        // the readers that saw it.
        Ok(Some(unsafe { unboxed(old) }))
    }
}

impl<T> Drop for KernelRcu<T> {
    fn drop(&mut self) {
        let last = *self.0.get_mut();
        if !last.is_null() {
            // SAFETY: `boxed` allocated it, and `&mut self` means that there is no reader.
            drop(unsafe { unboxed(last) });
        }
    }
}

/// Moves `value` to the heap. Unlike `Box::new`, it reports that there is no memory.
fn boxed<T>(value: T) -> Result<*mut T, OutOfMemory> {
    const { assert!(size_of::<T>() > 0) };
    // SAFETY: the layout's size is not zero, as asserted above.
    let place = unsafe { alloc(Layout::new::<T>()) }.cast::<T>();
    if place.is_null() {
        return Err(OutOfMemory);
    }
    // SAFETY: newly allocated with `T`'s layout.
    unsafe { place.write(value) };
    Ok(place)
}

/// Moves a value back from the heap and frees its memory.
///
/// # Safety
/// `place` came from [`boxed`], and nothing refers to it any more.
unsafe fn unboxed<T>(place: *mut T) -> T {
    // SAFETY: the caller guarantees that `place` holds a value, and that no one else reads it.
    let value = unsafe { place.read() };
    // SAFETY: `boxed` allocated it with this layout.
    unsafe { dealloc(place.cast(), Layout::new::<T>()) };
    value
}
