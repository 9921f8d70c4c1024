//! The agent's heap, apart from the process's: memory comes from the kernel and goes back to it. Only
//! the agent allocates, which is one thread.

#![expect(unsafe_code, reason = "an allocator is unsafe to implement")]

use core::alloc::{GlobalAlloc, Layout};
use core::cell::UnsafeCell;
use core::ptr::null_mut;

use dlmalloc::{Allocator, Dlmalloc};

use crate::sys;

/// Pages from the kernel.
struct Pages;

// SAFETY: each mapping is new, and belongs to the allocator until it is unmapped.
unsafe impl Allocator for Pages {
    fn alloc(&self, size: usize) -> (*mut u8, usize, u32) {
        match sys::map(size) {
            Ok(address) => (core::ptr::with_exposed_provenance_mut(address), size, 0),
            Err(_) => (null_mut(), 0, 0),
        }
    }

    fn remap(&self, _: *mut u8, _: usize, _: usize, _: bool) -> *mut u8 {
        null_mut()
    }

    fn free_part(&self, pointer: *mut u8, old: usize, new: usize) -> bool {
        // SAFETY: the allocator gives back the end of a mapping of its own.
        unsafe { sys::unmap(pointer.addr().wrapping_add(new), old.wrapping_sub(new)) }.is_ok()
    }

    fn free(&self, pointer: *mut u8, size: usize) -> bool {
        // SAFETY: the allocator gives back a mapping of its own.
        unsafe { sys::unmap(pointer.addr(), size) }.is_ok()
    }

    fn can_release_part(&self, _: u32) -> bool {
        true
    }

    fn allocates_zeros(&self) -> bool {
        true
    }

    fn page_size(&self) -> usize {
        4096
    }
}

struct Heap(UnsafeCell<Dlmalloc<Pages>>);

// SAFETY: only the agent allocates, and it is one thread.
unsafe impl Sync for Heap {}

#[cfg_attr(trapline_agent, global_allocator)]
static HEAP: Heap = Heap(UnsafeCell::new(Dlmalloc::new_with_allocator(Pages)));

impl Heap {
    /// # Safety
    /// As for [`GlobalAlloc`], from the agent.
    #[expect(clippy::mut_from_ref, reason = "the agent is one thread")]
    unsafe fn get(&self) -> &mut Dlmalloc<Pages> {
        // SAFETY: only the agent gets here, and no call is inside of another.
        unsafe { &mut *self.0.get() }
    }
}

// SAFETY: `Dlmalloc` is an allocator.
unsafe impl GlobalAlloc for Heap {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: called by the agent.
        let heap = unsafe { self.get() };
        // SAFETY: the layout is the caller's.
        unsafe { heap.malloc(layout.size(), layout.align()) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        // SAFETY: called by the agent.
        let heap = unsafe { self.get() };
        // SAFETY: the pointer and its layout are the caller's.
        unsafe { heap.free(pointer, layout.size(), layout.align()) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        // SAFETY: called by the agent.
        let heap = unsafe { self.get() };
        // SAFETY: the layout is the caller's.
        unsafe { heap.calloc(layout.size(), layout.align()) }
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        // SAFETY: called by the agent.
        let heap = unsafe { self.get() };
        // SAFETY: the pointer and its layout are the caller's.
        unsafe { heap.realloc(pointer, layout.size(), layout.align(), size) }
    }
}

/// Ends the agent, if it is that which panics: probe context does not.
#[cfg(trapline_agent)]
#[panic_handler]
fn panic(_: &core::panic::PanicInfo<'_>) -> ! {
    sys::exit()
}
