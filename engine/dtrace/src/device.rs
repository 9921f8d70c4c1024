//! `/dev/dtrace`: one method for each ioctl of `engine_abi`. The only unsafe code of this crate.
#![expect(
    unsafe_code,
    reason = "there is no safe way to ask a driver of one's own by ioctl(2)"
)]

use std::ffi::c_void;
use std::fs::{File, OpenOptions};
use std::io::{self, ErrorKind};

use engine_abi::{
    BufSnap, Command, Conf, DEVICE, Description, Enable, EprobeDesc, Go, PidArm, PidProbes,
    PidRange, ProbeMatch, Program, Status, Stop, Unwind, UnwindRow, VERSION,
};
use rustix::io::Errno;
use rustix::ioctl::{Ioctl, IoctlOutput, Opcode, ioctl};
use zerocopy::{FromBytes, IntoBytes};

use crate::engine::{Absence, Enabled, Engine, Probe, Snapshot};
use crate::error::Error;

/// An open device, which is one consumer. Closing it, even by a crash, disarms and frees all of it.
pub struct Device {
    file: File,
    conf: Conf,
}

impl Device {
    /// Opens the device and checks its version. `Absence` if this process has no device to use.
    pub fn open() -> Result<Result<Self, Absence>, Error> {
        let opened = OpenOptions::new().read(true).write(true).open(DEVICE);
        let file = match present(opened)? {
            Ok(file) => file,
            Err(absence) => return Ok(Err(absence)),
        };
        let mut conf = Conf::default();
        let device = Self { file, conf };
        device.ask(
            "failed to read the module's configuration",
            Command::Conf,
            &mut conf,
        )?;
        if conf.version != VERSION {
            let why = format!(
                "the module has interface version {}, this command {VERSION}: install both from \
                 one build",
                conf.version
            );
            return Err(Error::Device(why));
        }
        Ok(Ok(Self { conf, ..device }))
    }

    fn snapshot(&self, command: Command, cpu: u32, buffer: &mut [u8]) -> Result<Snapshot, Errno> {
        let mut body = BufSnap {
            address: buffer.as_mut_ptr().expose_provenance() as u64,
            size: u32::try_from(buffer.len()).unwrap_or(u32::MAX),
            cpu,
            drops: 0,
        };
        self.request(command, &mut body)?;
        Ok(Snapshot {
            bytes: (body.size as usize).min(buffer.len()),
            drops: body.drops,
        })
    }

    fn ask<T: FromBytes + IntoBytes>(
        &self,
        doing: &'static str,
        command: Command,
        body: &mut T,
    ) -> Result<(), Error> {
        self.request(command, body)
            .map_err(|errno| refused(doing, errno))
    }

    fn request<T: FromBytes + IntoBytes>(
        &self,
        command: Command,
        body: &mut T,
    ) -> Result<(), Errno> {
        // SAFETY: the number encodes the size of `body`, so the module reads and writes no more
        // than that. For `BufSnap` and `AggSnap` it also writes the buffer that `snapshot` names,
        // borrowed exclusively until it returns; for `Program` and `Unwind` it reads the block or
        // rows that `program` and `unwind` name, borrowed likewise.
        unsafe { ioctl(&self.file, Request { command, body }) }
    }
}

impl Engine for Device {
    fn conf(&self) -> Conf {
        self.conf
    }

    fn probe_match(&self, pattern: &Description, from: u32) -> Result<Option<Probe>, Error> {
        let mut body = ProbeMatch {
            description: *pattern,
            id: from,
            reserved: 0,
        };
        match self.request(Command::ProbeMatch, &mut body) {
            Ok(()) => Ok(Some(Probe {
                id: body.id,
                description: body.description,
            })),
            Err(Errno::SRCH) => Ok(None),
            Err(errno) => Err(refused("failed to match probes", errno)),
        }
    }

    fn pid_probes(&self, request: &mut PidProbes) -> Result<(), Error> {
        self.ask("failed to create probes", Command::PidProbes, request)
    }

    fn unwind(&self, object: &Unwind, rows: &[UnwindRow]) -> Result<(), Error> {
        let mut body = Unwind {
            rows: rows.as_ptr().expose_provenance() as u64,
            count: u32::try_from(rows.len()).unwrap_or(u32::MAX),
            ..*object
        };
        self.ask("failed to pass an unwind table", Command::Unwind, &mut body)
    }

    fn pid_watch(&self, request: &mut PidProbes) -> Result<(), Error> {
        self.ask("failed to watch a process", Command::PidWatch, request)
    }

    fn pid_unmapped(&self, mut range: PidRange) -> Result<(), Error> {
        self.ask("failed to forget probes", Command::PidUnmapped, &mut range)
    }

    fn pid_arm(&self, answer: &mut PidArm) -> Result<(), Error> {
        self.ask("failed to arm probes", Command::PidArm, answer)
    }

    fn opened(&self) -> Option<File> {
        self.file.try_clone().ok()
    }

    fn program(&self, block: &[u64]) -> Result<(), Error> {
        let bytes = block.as_bytes();
        let mut body = Program {
            address: bytes.as_ptr().expose_provenance() as u64,
            size: u32::try_from(bytes.len()).unwrap_or(u32::MAX),
            reserved: 0,
        };
        self.ask("failed to load the program", Command::Program, &mut body)
    }

    fn enable(&self, pattern: &Description, clause: u32) -> Result<u32, Error> {
        let mut body = Enable {
            description: *pattern,
            matched: 0,
            clause,
        };
        self.ask("failed to enable probes", Command::Enable, &mut body)?;
        Ok(body.matched)
    }

    fn go(&self, how: &mut Go) -> Result<(), Error> {
        self.ask("could not enable tracing", Command::Go, how)
    }

    fn stop(&self) -> Result<u32, Error> {
        let mut body = Stop::default();
        self.ask("couldn't stop tracing", Command::Stop, &mut body)?;
        Ok(body.cpu)
    }

    fn buf_snap(&self, cpu: u32, buffer: &mut [u8]) -> Result<Snapshot, Error> {
        let taken = self.snapshot(Command::BufSnap, cpu, buffer);
        taken.map_err(|errno| refused("failed to read a principal buffer", errno))
    }

    fn agg_snap(&self, cpu: u32, buffer: &mut Vec<u8>) -> Result<Snapshot, Error> {
        loop {
            match self.snapshot(Command::AggSnap, cpu, buffer) {
                Err(Errno::NOSPC) => buffer.resize((2 * buffer.len()).max(1 << 16), 0),
                taken => {
                    return taken
                        .map_err(|errno| refused("failed to read an aggregation buffer", errno));
                }
            }
        }
    }

    fn eprobe(&self, epid: u32) -> Result<Enabled, Error> {
        let mut body = EprobeDesc {
            epid,
            ..EprobeDesc::default()
        };
        self.ask(
            "failed to look up an enabled probe",
            Command::Eprobe,
            &mut body,
        )?;
        let probe = Probe {
            id: body.id,
            description: body.description,
        };
        Ok(Enabled {
            probe,
            clause: body.clause,
        })
    }

    fn status(&self) -> Result<Status, Error> {
        let mut body = Status::default();
        self.ask("failed to read the status", Command::Status, &mut body)?;
        Ok(body)
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

fn refused(doing: &'static str, errno: Errno) -> Error {
    Error::Request {
        doing,
        why: errno.into(),
    }
}

/// A request: its number, and the struct that it reads and writes.
struct Request<'a, T> {
    command: Command,
    body: &'a mut T,
}

// SAFETY: the number encodes the size of `T`, and any bytes are valid for it: `FromBytes` and
// `IntoBytes` rule out padding and invalid values.
unsafe impl<T: FromBytes + IntoBytes> Ioctl for Request<'_, T> {
    type Output = ();

    const IS_MUTATING: bool = true;

    fn opcode(&self) -> Opcode {
        self.command.number()
    }

    fn as_ptr(&mut self) -> *mut c_void {
        (&raw mut *self.body).cast()
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
