//! A driver's requests, sent as they are: by a number, with the address of what they carry.
#![expect(
    unsafe_code,
    reason = "there is no safe way to ask a driver for what only it knows"
)]

use std::ffi::c_void;
use std::os::fd::AsFd;

use rustix::io::{self, Errno};
use rustix::ioctl::{Ioctl, IoctlOutput, Opcode, ioctl};

/// Sends a request.
///
/// # Safety
/// At the address there is what the number stands for, and what that points to is there until this
/// returns; or the driver can be relied on to find that there is not.
pub unsafe fn ask(driver: impl AsFd, number: Opcode, address: *mut u8) -> Result<(), Errno> {
    // SAFETY: as the caller promises.
    unsafe { ioctl(driver, Raw { number, address }) }
}

struct Raw {
    number: Opcode,
    address: *mut u8,
}

// SAFETY: as who calls `ask` promises.
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
