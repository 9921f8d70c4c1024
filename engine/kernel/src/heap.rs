//! The kernel's allocator as Rust's global allocator. Only the control path allocates.

use core::alloc::{GlobalAlloc, Layout};

use crate::ffi;

struct KernelHeap;

#[cfg_attr(target_os = "none", global_allocator)]
static HEAP: KernelHeap = KernelHeap;

// SAFETY: `shim_alloc` returns null or memory of that size and alignment, which belongs to the
// caller until it is passed to `shim_free`; neither unwinds.
unsafe impl GlobalAlloc for KernelHeap {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the shim accepts any size and alignment; only the control path allocates, and it
        // may sleep.
        unsafe { ffi::shim_alloc(layout.size(), layout.align()) }.cast()
    }

    unsafe fn dealloc(&self, pointer: *mut u8, _: Layout) {
        #[cfg(trapline_mutants)]
        if crate::mutant::is_chosen(crate::mutant::KEEP_MEMORY) {
            return;
        }
        // SAFETY: `pointer` came from `alloc` above, and the caller does not use it again.
        unsafe { ffi::shim_free(pointer.cast()) }
    }
}

/// Required by the compiler, never linked in: the build refuses an object that can panic.
#[cfg(target_os = "none")]
#[panic_handler]
fn panic(_: &core::panic::PanicInfo<'_>) -> ! {
    loop {
        core::hint::spin_loop();
    }
}
