//! `/dev/dtrace`: requests as ioctls.
#![expect(
    unsafe_code,
    reason = "there is no safe way to ask a driver of one's own by ioctl(2)"
)]

use std::ffi::c_void;
use std::fs::{self, File, OpenOptions};
use std::io::{self, ErrorKind};
use std::process::{self, Stdio};

use engine_abi::{Command, DEVICE};
use rustix::io::Errno;
use rustix::ioctl::{Ioctl, IoctlOutput, Opcode, ioctl};
use rustix::process::geteuid;
use rustix::system::uname;

use crate::engine::Absence;
use crate::error::Error;
use crate::output::report;
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
        let is_absent = matches!(opened, Err(Absence::NotLoaded));
        if !(is_absent && geteuid().is_root() && is_installed()) {
            return Ok(opened);
        }
        if let Err(why) = load_module() {
            report(why);
        }
        Self::open()
    }
}

/// Whether depmod(8) has the module in the running kernel's index.
fn is_installed() -> bool {
    let release = uname();
    let index = format!(
        "/lib/modules/{}/modules.dep",
        release.release().to_string_lossy()
    );
    fs::read_to_string(index).is_ok_and(|index| index.contains("/trapline.ko"))
}

/// Where the kernel itself has modules loaded by.
const LOADER: &str = "/proc/sys/kernel/modprobe";

/// Loads the module. Fails with the loader's words if the kernel refuses it.
fn load_module() -> Result<(), String> {
    let loader = fs::read_to_string(LOADER).unwrap_or_default();
    match loader.trim() {
        "" => load_by("/sbin/modprobe"),
        named => load_by(named),
    }
}

fn load_by(loader: &str) -> Result<(), String> {
    let ended = process::Command::new(loader)
        .arg("trapline")
        .stdin(Stdio::null())
        .output()
        .map_err(|why| format!("{loader}: {why}"))?;
    let words = String::from_utf8_lossy(&ended.stderr);
    match (ended.status.success(), words.trim()) {
        (true, _) => Ok(()),
        (false, "") => Err(format!("{loader}: {}", ended.status)),
        (false, words) => Err(words.to_owned()),
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
    fn what_the_loader_says_is_passed_on() {
        let folder = tempfile::tempdir().unwrap();
        let loader = folder.path().join("modprobe");
        let loaded = |script: &str| {
            // Another process writes it: while we did, a child of another test could inherit it, open for
            // writing, and it would not be executed (execve(2), ETXTBSY).
            let mut write = process::Command::new("sh");
            write.args([
                "-c",
                "printf '#!/bin/sh\\n%s\\n' \"$1\" >\"$2\" && chmod 755 \"$2\"",
                "sh",
            ]);
            assert!(write.arg(script).arg(&loader).status().unwrap().success());
            load_by(loader.to_str().unwrap())
        };
        assert_eq!(loaded("echo a warning >&2"), Ok(()));
        let refused = loaded("echo \"$1: Key was rejected by service\" >&2; exit 1");
        assert_eq!(
            refused.unwrap_err(),
            "trapline: Key was rejected by service"
        );
        assert!(loaded("exit 3").unwrap_err().ends_with("exit status: 3"));
        assert!(
            load_by("/there/is/none")
                .unwrap_err()
                .contains("/there/is/none: ")
        );
    }

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
