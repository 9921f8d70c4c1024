//! The place of the engine.

use core::cell::UnsafeCell;
use core::mem::MaybeUninit;

use engine_tracer::Tracer;

use crate::arch::Native;

/// What the engine is told the kernel is.
#[cfg(not(trapline_mutants))]
pub type Platform = crate::platform::Kernel;
#[cfg(trapline_mutants)]
pub use crate::mutant::platform::Seeded as Platform;

/// The engine of this module, there from `trapline_start` to `trapline_end`.
struct Cell(UnsafeCell<MaybeUninit<Tracer<Native, Platform>>>);

// SAFETY: a tracer may be shared; the cell is written only while nothing else can call in.
unsafe impl Sync for Cell {}

static ENGINE: Cell = Cell(UnsafeCell::new(MaybeUninit::uninit()));

/// The engine.
///
/// # Safety
/// Between `trapline_start` and `trapline_end` only.
pub unsafe fn tracer() -> &'static Tracer<Native, Platform> {
    // SAFETY: `start` succeeded before, and nothing writes the cell before `end`.
    let cell = unsafe { &*ENGINE.0.get() };
    // SAFETY: as above.
    unsafe { cell.assume_init_ref() }
}

/// Puts the engine there.
///
/// # Safety
/// Nobody is in the engine, or comes there meanwhile.
pub unsafe fn put(tracer: Tracer<Native, Platform>) {
    // SAFETY: as the caller promises.
    let cell = unsafe { &mut *ENGINE.0.get() };
    cell.write(tracer);
}

/// Drops it.
///
/// # Safety
/// As of [`put`], which was called before.
pub unsafe fn clear() {
    // SAFETY: as the caller promises.
    let cell = unsafe { &mut *ENGINE.0.get() };
    // SAFETY: `put` wrote it.
    unsafe { cell.assume_init_drop() };
}
