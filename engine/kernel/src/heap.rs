//! The kernel's memory as Rust's heap. Only the control side allocates.

use core::alloc::{GlobalAlloc, Layout};

use crate::ffi;

struct KernelHeap;

#[cfg_attr(target_os = "none", global_allocator)]
static HEAP: KernelHeap = KernelHeap;

// SAFETY: `shim_alloc` answers null or memory of that size and alignment that nothing else uses
// until `shim_free` gets it back, and neither unwinds.
unsafe impl GlobalAlloc for KernelHeap {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the shim takes any size and alignment; control may sleep.
        unsafe { ffi::shim_alloc(layout.size(), layout.align()) }.cast()
    }

    unsafe fn dealloc(&self, pointer: *mut u8, _: Layout) {
        #[cfg(trapline_mutants)]
        if crate::mutant::is_chosen(crate::mutant::KEEP_MEMORY) {
            return;
        }
        // SAFETY: the caller got `pointer` from `alloc` above, and uses it no more.
        unsafe { ffi::shim_free(pointer.cast()) }
    }
}

/// Never linked in: the build refuses an object that can panic.
#[cfg(target_os = "none")]
#[panic_handler]
fn panic(_: &core::panic::PanicInfo<'_>) -> ! {
    loop {
        core::hint::spin_loop();
    }
}
