//! The ways in which the engine shares a value: the control lock, the lock that nobody waits for, and
//! read-copy-update.

use alloc::alloc::{Layout, alloc, dealloc};
use core::cell::UnsafeCell;
use core::ptr;
use core::sync::atomic::{AtomicBool, AtomicPtr, Ordering, compiler_fence};

use engine_tracer::{Lock, OutOfMemory, Rcu, TryLock};

use crate::ffi;

/// A value behind the control lock. There is one such lock in the kernel module, so holders of
/// different values exclude one another too, and none may take it twice.
pub struct ControlLock<T>(UnsafeCell<T>);

// SAFETY: the value is only reached through `with`, by one thread at a time.
unsafe impl<T: Send> Sync for ControlLock<T> {}

/// Lets go of the control lock, wherever its scope ends.
struct Held;

impl Held {
    fn take() -> Self {
        // SAFETY: control side only, which may sleep and does not hold the lock yet.
        unsafe { ffi::shim_lock() };
        Self
    }
}

impl Drop for Held {
    fn drop(&mut self) {
        // SAFETY: taken in `take`, by this thread.
        unsafe { ffi::shim_unlock() };
    }
}

impl<T> Lock<T> for ControlLock<T> {
    fn new(value: T) -> Self {
        Self(UnsafeCell::new(value))
    }

    fn with<R>(&self, work: impl FnOnce(&mut T) -> R) -> R {
        let _held = Held::take();
        // SAFETY: `_held` lives until `work` is done, and excludes every other `with`.
        work(unsafe { &mut *self.0.get() })
    }
}

/// A value of one CPU's, which is used there with interrupts off; who finds it taken goes without.
///
/// Who comes between a look at `taken` and the store behind it is a trap, or on x86 an NMI's: on the same
/// CPU, and over before that store, with `taken` again as it was seen. So the two need not be one atomic
/// step, which costs more than both. The compiler is kept from moving the value's use out from between.
pub struct KernelTryLock<T> {
    taken: AtomicBool,
    value: UnsafeCell<T>,
}

// SAFETY: the value is only reached through `try_with`, by one at a time.
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
        // SAFETY: nobody has it.
        Some(unsafe { self.with_anyway(work) })
    }
}

impl<T> KernelTryLock<T> {
    /// Runs `work` on the value.
    ///
    /// # Safety
    /// Nobody else has it, or whoever has is meant to find it changed.
    #[inline(always)]
    pub unsafe fn with_anyway<R>(&self, work: impl FnOnce(&mut T) -> R) -> R {
        self.taken.store(true, Ordering::Relaxed);
        compiler_fence(Ordering::Acquire);
        // SAFETY: as the caller promises.
        let result = work(unsafe { &mut *self.value.get() });
        compiler_fence(Ordering::Release);
        self.taken.store(false, Ordering::Relaxed);
        result
    }
}

/// A pointer that traps follow and the control side exchanges.
pub struct KernelRcu<T>(AtomicPtr<T>);

impl<T> Rcu<T> for KernelRcu<T> {
    fn empty() -> Self {
        Self(AtomicPtr::new(ptr::null_mut()))
    }

    fn read<R>(&self, work: impl FnOnce(Option<&T>) -> R) -> R {
        // SAFETY: null, or what `replace` published whole. A reader is a trap, with interrupts
        // off, or holds the control lock; `replace` waits for the first and is excluded by the
        // second before it frees.
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
        // SAFETY: control side only, which may sleep.
        unsafe { ffi::shim_synchronize() };
        // SAFETY: `boxed` made it, it is published no more, and no trap is left that saw it.
        Ok(Some(unsafe { unboxed(old) }))
    }
}

impl<T> Drop for KernelRcu<T> {
    fn drop(&mut self) {
        let last = *self.0.get_mut();
        if !last.is_null() {
            // SAFETY: `boxed` made it, and who owns the cell alone has no reader left.
            drop(unsafe { unboxed(last) });
        }
    }
}

/// `value` on the heap, or no memory for it.
fn boxed<T>(value: T) -> Result<*mut T, OutOfMemory> {
    const { assert!(size_of::<T>() > 0) };
    // SAFETY: the size is not zero.
    let place = unsafe { alloc(Layout::new::<T>()) }.cast::<T>();
    if place.is_null() {
        return Err(OutOfMemory);
    }
    // SAFETY: fresh memory of `T`'s layout.
    unsafe { place.write(value) };
    Ok(place)
}

/// A value that `boxed` made, off the heap again.
///
/// # Safety
/// `boxed` made it, and nothing refers to it any more.
unsafe fn unboxed<T>(place: *mut T) -> T {
    // SAFETY: as the caller promises.
    let value = unsafe { place.read() };
    // SAFETY: allocated in `boxed` with this layout.
    unsafe { dealloc(place.cast(), Layout::new::<T>()) };
    value
}
