//! The static that holds the module's one [`Tracer`].

use core::cell::UnsafeCell;
use core::mem::MaybeUninit;

use engine_tracer::Tracer;

use crate::arch::Native;

/// The tracer's platform: the kernel, or in a build with mutants the kernel with seeded defects.
#[cfg(not(trapline_mutants))]
pub type Platform = crate::platform::Kernel;
#[cfg(trapline_mutants)]
pub use crate::mutant::platform::Seeded as Platform;

/// Initialised from `trapline_start` to `trapline_end`.
struct Cell(UnsafeCell<MaybeUninit<Tracer<Native, Platform>>>);

// SAFETY: `Tracer` is `Sync`; `init` and `destroy` write the cell only while no other code can call
// into the engine.
unsafe impl Sync for Cell {}

static ENGINE: Cell = Cell(UnsafeCell::new(MaybeUninit::uninit()));

/// The module's tracer. Callable from any context.
///
/// # Safety
/// Only after `trapline_start` has succeeded and before `trapline_end`.
pub unsafe fn tracer() -> &'static Tracer<Native, Platform> {
    // SAFETY: the caller is between `init` and `destroy`, the only writers of the cell.
    let cell = unsafe { &*ENGINE.0.get() };
    // SAFETY: `init` has written the value.
    unsafe { cell.assume_init_ref() }
}

/// Publishes the tracer.
///
/// # Safety
/// No other code is in the engine or can enter it before this returns.
pub unsafe fn init(tracer: Tracer<Native, Platform>) {
    // SAFETY: the caller has exclusive access.
    let cell = unsafe { &mut *ENGINE.0.get() };
    cell.write(tracer);
}

/// Drops the tracer.
///
/// # Safety
/// As for [`init`], which must have been called before.
pub unsafe fn destroy() {
    // SAFETY: the caller has exclusive access.
    let cell = unsafe { &mut *ENGINE.0.get() };
    // SAFETY: `init` has written the value, and it is dropped once.
    unsafe { cell.assume_init_drop() };
}
