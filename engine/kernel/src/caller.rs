//! The memory of the process that makes a request.

use engine_tracer::{BadAddress, Caller};

use crate::ffi;

/// The current process.
pub struct Current;

impl Caller for Current {
    fn copy_from(&self, to: &mut [u8], from: u64) -> Result<(), BadAddress> {
        // SAFETY: `to` is valid for writes of its length; the shim checks the user address.
        match unsafe { ffi::shim_copy_from_user(to.as_mut_ptr().cast(), from, to.len()) } {
            0 => Ok(()),
            _ => Err(BadAddress),
        }
    }

    fn copy_to(&self, to: u64, from: &[u8]) -> Result<(), BadAddress> {
        // SAFETY: `from` is valid for reads of its length; the shim checks the user address.
        match unsafe { ffi::shim_copy_to_user(to, from.as_ptr().cast(), from.len()) } {
            0 => Ok(()),
            _ => Err(BadAddress),
        }
    }

    fn fault_in(&self, address: u64, size: usize) -> Result<(), BadAddress> {
        match ffi::shim_bring_in(address, size) {
            0 => Ok(()),
            _ => Err(BadAddress),
        }
    }
}
