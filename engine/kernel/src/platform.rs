//! The Linux kernel as the tracer's platform: each wish is one call of the shim.

use core::ffi::{c_char, c_int, c_void};
use core::slice;

use engine_tracer::{OffLimits, OutOfMemory, Platform, Unpatched, Unreadable, Visit};

use crate::ffi;
use crate::sync::{ControlLock, KernelRcu};

/// The kernel that this module is loaded into.
pub struct Kernel;

impl Platform for Kernel {
    type Lock<T: Send> = ControlLock<T>;
    type Rcu<T: Send + Sync> = KernelRcu<T>;

    fn cpu(&self) -> usize {
        ffi::shim_cpu() as usize
    }

    fn cpus(&self) -> usize {
        ffi::shim_cpus() as usize
    }

    fn now(&self) -> u64 {
        ffi::shim_now()
    }

    fn peek(&self, address: usize, bytes: &mut [u8]) -> Result<(), Unreadable> {
        // SAFETY: `bytes` has room for its length; the shim survives any `address`.
        match unsafe { ffi::shim_peek(address, bytes.as_mut_ptr().cast(), bytes.len()) } {
            0 => Ok(()),
            _ => Err(Unreadable),
        }
    }

    fn patch(&self, address: usize, bytes: &[u8]) -> Result<(), Unpatched> {
        // SAFETY: the tracer patches only sites it has peeked, and puts back what was there.
        match unsafe { ffi::shim_patch(address, bytes.as_ptr().cast(), bytes.len()) } {
            0 => Ok(()),
            _ => Err(Unpatched),
        }
    }

    fn off_limits(&self, address: usize) -> Option<OffLimits> {
        OffLimits::from_code(ffi::shim_off_limits(address))
    }

    fn rewritten(&self, address: usize) -> bool {
        ffi::shim_rewritten(address) != 0
    }

    fn ftrace_slot(&self, address: usize) -> usize {
        ffi::shim_ftrace_slot(address)
    }

    fn each_function(&self, visit: &mut Visit<'_>) -> Result<(), OutOfMemory> {
        let mut walk = Walk { visit };
        // SAFETY: `visit_one` gets this `walk` back, which outlives the call.
        match unsafe { ffi::shim_each_function(visit_one, (&raw mut walk).cast()) } {
            0 => Ok(()),
            _ => Err(OutOfMemory),
        }
    }
}

/// What a walk over the functions carries through C.
struct Walk<'a> {
    visit: &'a mut Visit<'a>,
}

extern "C" fn visit_one(
    context: *mut c_void,
    name: *const c_char,
    length: usize,
    address: usize,
) -> c_int {
    // SAFETY: `context` is the `walk` of `each_function`, which runs this and nothing else with it.
    let walk = unsafe { &mut *context.cast::<Walk<'_>>() };
    // SAFETY: C passes a name of this length, valid until this returns.
    let name = unsafe { slice::from_raw_parts(name.cast(), length) };
    c_int::from((walk.visit)(name, address).is_err())
}
