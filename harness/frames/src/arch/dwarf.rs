//! What an unwinder that reads DWARF asks of a frame that may have a handler.

use std::ffi::{c_int, c_void};

use super::Exception;

/// The unwinder only looks for a handler.
const SEARCHES: c_int = 1;
const HANDLER_FOUND: c_int = 6;
const INSTALL_CONTEXT: c_int = 7;

unsafe extern "C" {
    fn _Unwind_SetIP(context: *mut c_void, address: usize);
}

/// The personality of `frames_hold`, which catches everything.
#[unsafe(no_mangle)]
unsafe extern "C" fn frames_catch(
    _version: c_int,
    actions: c_int,
    _class: u64,
    exception: *mut Exception,
    context: *mut c_void,
) -> c_int {
    if actions & SEARCHES != 0 {
        return HANDLER_FOUND;
    }
    // SAFETY: only an `Exception` of ours is ever thrown, and it outlives the call of `frames_hold`
    // that is its handler.
    let pc = unsafe { (*exception).held.pc };
    // SAFETY: the unwinder's context, which it passes for this purpose.
    unsafe { _Unwind_SetIP(context, pc) };
    INSTALL_CONTEXT
}
