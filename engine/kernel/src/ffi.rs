//! The Rust side of `engine/kmod/shim.h`, in its order. A change to one is a change to both.

use core::ffi::{c_char, c_int, c_uint, c_void};

/// C's `shim_visit_fn`: sees one function; not 0 ends the walk.
pub type VisitFn = extern "C" fn(
    context: *mut c_void,
    name: *const c_char,
    length: usize,
    address: usize,
) -> c_int;

unsafe extern "C" {
    pub fn shim_alloc(size: usize, align: usize) -> *mut c_void;
    pub fn shim_free(memory: *mut c_void);
    pub fn shim_lock();
    pub fn shim_unlock();
    pub fn shim_synchronize();

    pub safe fn shim_cpu() -> c_uint;
    pub safe fn shim_cpus() -> c_uint;
    pub safe fn shim_now() -> u64;

    pub fn shim_each_function(visit: VisitFn, context: *mut c_void) -> c_int;
    pub safe fn shim_off_limits(address: usize) -> c_uint;
    pub safe fn shim_rewritten(address: usize) -> c_int;
    pub safe fn shim_ftrace_slot(address: usize) -> usize;
    pub fn shim_peek(address: usize, bytes: *mut c_void, length: usize) -> c_int;
    pub fn shim_patch(address: usize, bytes: *const c_void, length: usize) -> c_int;

    pub fn shim_copy_to_user(to: u64, from: *const c_void, length: usize) -> c_int;
}
