//! `/dev/dtrace`: one method for each request.
#![expect(
    unsafe_code,
    reason = "there is no safe way to ask a driver of one's own by ioctl(2)"
)]

use std::ffi::c_void;
use std::fs::{File, OpenOptions};
use std::io::{self, ErrorKind};

use engine_abi::{
    BufSnap, Command, Conf, DEVICE, Description, Enable, EprobeDesc, Go, ProbeMatch, VERSION,
};
use rustix::io::Errno;
use rustix::ioctl::{Ioctl, IoctlOutput, Opcode, ioctl};
use zerocopy::{FromBytes, IntoBytes};

use crate::error::Error;

/// An open device: one consumer. Closing it, however that comes about, ends all it enabled.
pub struct Device {
    file: File,
    cpus: u32,
}

/// A probe's ID and names.
pub struct Probe {
    /// Its ID.
    pub id: u32,
    /// Its names.
    pub description: Description,
}

impl Device {
    /// Becomes a consumer of the module that is loaded.
    pub fn open() -> Result<Self, Error> {
        let opened = OpenOptions::new().read(true).write(true).open(DEVICE);
        let file = opened.map_err(|why| Error::Device(not_opened(&why)))?;
        let mut device = Self { file, cpus: 0 };
        let mut conf = Conf::default();
        device.ask("read the module's configuration", Command::Conf, &mut conf)?;
        if conf.version != VERSION {
            let why = format!(
                "the module speaks version {}, this command version {VERSION}: install both from \
                 one build",
                conf.version
            );
            return Err(Error::Device(why));
        }
        device.cpus = conf.cpus;
        Ok(device)
    }

    /// How many CPUs there can be; they are numbered from 0.
    pub fn cpus(&self) -> u32 {
        self.cpus
    }

    /// The probes that `description` matches.
    pub fn matching(
        &self,
        description: &Description,
    ) -> impl Iterator<Item = Result<Probe, Error>> {
        let mut next = 1;
        std::iter::from_fn(move || {
            let probe = self.matching_from(description, next).transpose()?;
            next = probe.as_ref().map_or(next, |probe| probe.id + 1);
            Some(probe)
        })
    }

    fn matching_from(&self, pattern: &Description, id: u32) -> Result<Option<Probe>, Error> {
        let mut body = ProbeMatch {
            description: *pattern,
            id,
            reserved: 0,
        };
        match self.request(Command::ProbeMatch, &mut body) {
            Ok(()) => Ok(Some(Probe {
                id: body.id,
                description: body.description,
            })),
            Err(Errno::SRCH) => Ok(None),
            Err(errno) => Err(refused("match probes", errno)),
        }
    }

    /// Enables the probes that `description` matches; how many.
    pub fn enable(&self, description: &Description) -> Result<u32, Error> {
        let mut body = Enable {
            description: *description,
            matched: 0,
            reserved: 0,
        };
        self.ask("enable probes", Command::Enable, &mut body)?;
        Ok(body.matched)
    }

    /// Arms what was enabled; how many probes could not be.
    pub fn go(&self) -> Result<u32, Error> {
        let mut body = Go::default();
        self.ask("start tracing", Command::Go, &mut body)?;
        Ok(body.unarmed)
    }

    /// Disarms it.
    pub fn stop(&self) -> Result<(), Error> {
        self.ask("stop tracing", Command::Stop, &mut [0; 0])
    }

    /// Takes the records of a CPU into `buffer`: how many bytes, and how many were dropped.
    pub fn snapshot(&self, cpu: u32, buffer: &mut [u8]) -> Result<(usize, u64), Error> {
        let address = buffer.as_mut_ptr().expose_provenance() as u64;
        let size = u32::try_from(buffer.len()).unwrap_or(u32::MAX);
        let mut body = BufSnap {
            address,
            size,
            cpu,
            drops: 0,
        };
        self.ask("read a principal buffer", Command::BufSnap, &mut body)?;
        Ok((body.size as usize, body.drops))
    }

    /// The probe behind an enabled probe ID.
    pub fn eprobe(&self, epid: u32) -> Result<Probe, Error> {
        let mut body = EprobeDesc {
            epid,
            ..EprobeDesc::default()
        };
        self.ask("look up an enabled probe", Command::Eprobe, &mut body)?;
        Ok(Probe {
            id: body.id,
            description: body.description,
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
        // SAFETY: the module reads and writes `body` alone, whose size is in the number; and for
        // `BufSnap` the buffer that `snapshot` names, which it holds exclusively meanwhile.
        unsafe { ioctl(&self.file, Request { command, body }) }
    }
}

/// Why the device cannot be opened, as DTrace says it.
fn not_opened(why: &io::Error) -> String {
    match why.kind() {
        ErrorKind::NotFound => "DTrace device not available on system".into(),
        ErrorKind::PermissionDenied => "DTrace requires additional privileges".into(),
        _ => format!("{DEVICE}: {why}"),
    }
}

fn refused(doing: &'static str, errno: Errno) -> Error {
    Error::Request {
        doing,
        why: errno.into(),
    }
}

/// A request and the struct that it carries in and out.
struct Request<'a, T> {
    command: Command,
    body: &'a mut T,
}

// SAFETY: the number carries the size of the struct that `body` is of, every byte of which may be
// read and written whatever it holds.
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
