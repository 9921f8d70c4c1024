//! The agent's heap, apart from the process's: memory comes from the kernel and goes back to it. Only
//! the agent allocates, which is one thread.

#![expect(unsafe_code, reason = "an allocator is unsafe to implement")]

use core::alloc::{GlobalAlloc, Layout};
use core::cell::UnsafeCell;
use core::ptr::null_mut;

use dlmalloc::{Allocator, Dlmalloc};

use crate::maps::PAGE;
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
        PAGE
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

/// From this size on an allocation is a mapping of its own, which goes back to the kernel when it is
/// freed: buffers, tables.
const LARGE: usize = 128 << 10;

/// The size of a large allocation's mapping; none if it is not large. Every page is aligned enough.
fn mapped(layout: Layout) -> Option<usize> {
    let is_large = layout.size() >= LARGE && layout.align() <= PAGE;
    is_large.then(|| layout.size().next_multiple_of(PAGE))
}

fn map(size: usize) -> *mut u8 {
    sys::map(size).map_or(null_mut(), core::ptr::with_exposed_provenance_mut)
}

// SAFETY: `Dlmalloc` is an allocator, and so is the kernel.
unsafe impl GlobalAlloc for Heap {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        if let Some(size) = mapped(layout) {
            return map(size);
        }
        // SAFETY: called by the agent.
        let heap = unsafe { self.get() };
        // SAFETY: the layout is the caller's.
        unsafe { heap.malloc(layout.size(), layout.align()) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        if let Some(size) = mapped(layout) {
            // SAFETY: mapped by `alloc`, with this layout.
            let _ = unsafe { sys::unmap(pointer.addr(), size) };
            return;
        }
        // SAFETY: called by the agent.
        let heap = unsafe { self.get() };
        // SAFETY: the pointer and its layout are the caller's.
        unsafe { heap.free(pointer, layout.size(), layout.align()) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        if let Some(size) = mapped(layout) {
            return map(size);
        }
        // SAFETY: called by the agent.
        let heap = unsafe { self.get() };
        // SAFETY: the layout is the caller's.
        unsafe { heap.calloc(layout.size(), layout.align()) }
    }
}

/// Ends the agent, if it is that which panics: probe context does not.
#[cfg(trapline_agent)]
#[panic_handler]
fn panic(_: &core::panic::PanicInfo<'_>) -> ! {
    sys::exit()
}
