//! `/dev/dtrace`, without the checks that the dtrace command makes.
#![expect(
    unsafe_code,
    reason = "there is no safe way to ask a driver what it does not expect"
)]

use std::fs::{File, OpenOptions};

use engine_abi::{Command, Conf, DEVICE, Description, PidProbes};
use harness_ioctl::ask;
use rustix::io::Errno;
use rustix::ioctl::Opcode;
use zerocopy::IntoBytes;

use crate::Error;
use crate::request::Request;

/// More consumers than the module accepts.
const CONSUMERS_MAX: usize = 4096;

/// An open `/dev/dtrace`, which makes a consumer.
pub struct Consumer {
    file: File,
}

impl Consumer {
    /// Opens the device.
    pub fn open() -> Result<Self, Error> {
        let opened = OpenOptions::new().read(true).write(true).open(DEVICE);
        let name = DEVICE.into();
        let file = opened.map_err(|why| Error::File { name, why })?;
        Ok(Self { file })
    }

    /// The module's `CONF`.
    pub fn conf(&self) -> Result<Conf, Error> {
        let mut conf = Conf::default();
        let address = conf.as_mut_bytes().as_mut_ptr();
        let number = Command::Conf.number();
        self.request(number, address)
            .map_err(|why| Error::System { doing: "CONF", why })?;
        Ok(conf)
    }

    /// Issues a request for probes at the lowest address of a process, where no program has code.
    pub fn ask_for_probes(&self, pid: u32) -> Result<(), Errno> {
        let mut probes = PidProbes::new(pid, Description::default(), 0, 4);
        self.request(
            Command::PidProbes.number(),
            probes.as_mut_bytes().as_mut_ptr(),
        )
    }

    /// Issues a request.
    pub fn ask(&self, request: &mut Request) -> Result<(), Errno> {
        self.request(request.number, request.address())
    }

    fn request(&self, number: Opcode, address: *mut u8) -> Result<(), Errno> {
        // SAFETY: either `address` points to a struct of at least the size encoded in `number`,
        // whose own pointers are to memory of this process that nothing else uses, or it is invalid
        // and the kernel's copy returns EFAULT.
        unsafe { ask(&self.file, number, address) }
    }
}

/// Opens consumers until the module refuses one with EBUSY, which it must.
pub fn check_consumer_limit() -> Result<(), Error> {
    let mut consumers = Vec::new();
    while consumers.len() < CONSUMERS_MAX {
        match Consumer::open() {
            Ok(consumer) => consumers.push(consumer),
            Err(Error::File { why, .. }) if Errno::from_io_error(&why) == Some(Errno::BUSY) => {
                return Ok(());
            }
            Err(why) => return Err(why),
        }
    }
    Err(Error::Wrong(format!(
        "the module takes {CONSUMERS_MAX} consumers"
    )))
}
