//! `/dev/dtrace`: requests as ioctls.
#![expect(
    unsafe_code,
    reason = "there is no safe way to ask a driver of one's own by ioctl(2)"
)]

use std::ffi::c_void;
use std::fs::{File, OpenOptions};
use std::io::{self, ErrorKind};
use std::process::{self, Stdio};

use engine_abi::{Command, DEVICE};
use rustix::io::Errno;
use rustix::ioctl::{Ioctl, IoctlOutput, Opcode, ioctl};
use rustix::process::geteuid;

use crate::engine::Absence;
use crate::error::Error;
use crate::requests::{Channel, Requests};

/// The kernel's engine. Closing its device, even by a crash, disarms and frees all of it.
pub type Device = Requests<Open>;

/// An open device, which is one consumer.
pub struct Open(File);

impl Device {
    /// Opens the device and checks its version. `Absence` if this process has no device to use.
    pub fn open() -> Result<Result<Self, Absence>, Error> {
        let opened = OpenOptions::new().read(true).write(true).open(DEVICE);
        match present(opened)? {
            Ok(file) => Self::new(Open(file)).map(Ok),
            Err(absence) => Ok(Err(absence)),
        }
    }

    /// As [`Self::open`], but first has the module loaded if it is not, and if it is installed where
    /// modprobe(8) looks.
    pub fn open_or_load() -> Result<Result<Self, Absence>, Error> {
        let opened = Self::open()?;
        if !matches!(opened, Err(Absence::NotLoaded)) || !geteuid().is_root() {
            return Ok(opened);
        }
        // Whatever goes wrong, the module is not loaded then, which the caller reports.
        let _ = process::Command::new("modprobe")
            .args(["--quiet", "trapline"])
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .status();
        Self::open()
    }
}

impl Channel for Open {
    /// The struct itself has the addresses of what it refers to.
    fn request(
        &self,
        command: Command,
        body: &mut [u8],
        _from: &[u8],
        _to: &mut [u8],
    ) -> Result<(), Errno> {
        // SAFETY: the number encodes the size of `body`, so the module reads and writes no more
        // than that; it reads what the struct names of `from`, and writes what it names of `to`,
        // both borrowed until it returns.
        unsafe { ioctl(&self.0, Request { command, body }) }
    }

    fn opened(&self) -> Option<File> {
        self.0.try_clone().ok()
    }

    fn absence(&self) -> Option<Absence> {
        None
    }
}

/// Distinguishes an absent device, which the command can do without, from an error.
fn present<T>(opened: io::Result<T>) -> Result<Result<T, Absence>, Error> {
    match opened.map_err(|why| (why.kind(), why)) {
        Ok(device) => Ok(Ok(device)),
        Err((ErrorKind::NotFound, _)) => Ok(Err(Absence::NotLoaded)),
        Err((ErrorKind::PermissionDenied, _)) => Ok(Err(Absence::Forbidden)),
        Err((_, why)) => Err(Error::Device(format!("{DEVICE}: {why}"))),
    }
}

/// A request: its number, and the struct that it reads and writes.
struct Request<'a> {
    command: Command,
    body: &'a mut [u8],
}

// SAFETY: the number encodes the size of the struct, and any bytes are valid for it: `FromBytes` and
// `IntoBytes` rule out padding and invalid values.
unsafe impl Ioctl for Request<'_> {
    type Output = ();

    const IS_MUTATING: bool = true;

    fn opcode(&self) -> Opcode {
        self.command.number()
    }

    fn as_ptr(&mut self) -> *mut c_void {
        self.body.as_mut_ptr().cast()
    }

    unsafe fn output_from_ptr(_: IoctlOutput, _: *mut c_void) -> rustix::io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_missing_or_forbidden_device_is_absent() {
        for (errno, absence) in [
            (Errno::NOENT, Absence::NotLoaded),
            (Errno::ACCESS, Absence::Forbidden),
            (Errno::PERM, Absence::Forbidden),
        ] {
            let opened = present::<()>(Err(errno.into()));
            assert_eq!(opened.unwrap(), Err(absence), "{errno}");
        }
        assert!(present::<()>(Err(Errno::BUSY.into())).is_err());
        assert_eq!(present(Ok(7)).unwrap(), Ok(7));
    }
}
