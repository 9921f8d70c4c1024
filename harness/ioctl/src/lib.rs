//! ioctl(2) with a raw request number and address, shared by `harness/fuzz` and `harness/native`.
//!
//! It exists so that the raw call and its contract are in one place.
#![expect(
    unsafe_code,
    reason = "there is no safe way to ask a driver for what only it knows"
)]

use std::ffi::c_void;
use std::os::fd::AsFd;

use rustix::io::{self, Errno};
use rustix::ioctl::{Ioctl, IoctlOutput, Opcode, ioctl};

/// Issues a request. The error is the driver's errno.
///
/// # Safety
/// `address` points to what `number` stands for, and everything that it points to in turn stays
/// valid until this returns; or the driver itself detects that it does not, as with copy_from_user.
pub unsafe fn ask(driver: impl AsFd, number: Opcode, address: *mut u8) -> Result<(), Errno> {
    // SAFETY: the caller upholds this function's contract.
    unsafe { ioctl(driver, Raw { number, address }) }
}

struct Raw {
    number: Opcode,
    address: *mut u8,
}

// SAFETY: `opcode` and `as_ptr` return the caller's values; whoever calls `ask` has promised that
// they fit, and nothing is read back.
unsafe impl Ioctl for Raw {
    type Output = ();

    const IS_MUTATING: bool = true;

    fn opcode(&self) -> Opcode {
        self.number
    }

    fn as_ptr(&mut self) -> *mut c_void {
        self.address.cast()
    }

    unsafe fn output_from_ptr(_: IoctlOutput, _: *mut c_void) -> io::Result<()> {
        Ok(())
    }
}
