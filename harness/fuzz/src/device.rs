//! The device, asked without any of the command's care.
#![expect(
    unsafe_code,
    reason = "there is no safe way to ask a driver what it does not expect"
)]

use std::fs::{File, OpenOptions};

use engine_abi::{Command, Conf, DEVICE};
use harness_ioctl::ask;
use rustix::io::Errno;
use rustix::ioctl::Opcode;
use zerocopy::IntoBytes;

use crate::Error;
use crate::request::Request;

/// More consumers than any module takes.
const CROWD: usize = 4096;

/// An open device.
pub struct Consumer {
    file: File,
}

impl Consumer {
    /// Becomes one.
    pub fn open() -> Result<Self, Error> {
        let opened = OpenOptions::new().read(true).write(true).open(DEVICE);
        let name = DEVICE.into();
        let file = opened.map_err(|why| Error::File { name, why })?;
        Ok(Self { file })
    }

    /// What the module says of itself.
    pub fn conf(&self) -> Result<Conf, Error> {
        let mut conf = Conf::default();
        let address = conf.as_mut_bytes().as_mut_ptr();
        let number = Command::Conf.number();
        self.request(number, address)
            .map_err(|why| Error::System { doing: "CONF", why })?;
        Ok(conf)
    }

    /// Sends a request.
    pub fn ask(&self, request: &mut Request) -> Result<(), Errno> {
        self.request(request.number, request.address())
    }

    fn request(&self, number: Opcode, address: *mut u8) -> Result<(), Errno> {
        // SAFETY: at the address there is a struct as large as the number says, whose own addresses
        // are of memory that is there for it; or there is nothing, and the kernel is to find out.
        unsafe { ask(&self.file, number, address) }
    }
}

/// Opens as many consumers as the module takes, and finds it say so when it takes no more.
pub fn is_full_at_some_time() -> Result<(), Error> {
    let mut crowd = Vec::new();
    while crowd.len() < CROWD {
        match Consumer::open() {
            Ok(consumer) => crowd.push(consumer),
            Err(Error::File { why, .. }) if Errno::from_io_error(&why) == Some(Errno::BUSY) => {
                return Ok(());
            }
            Err(why) => return Err(why),
        }
    }
    Err(Error::Wrong(format!("the module takes {CROWD} consumers")))
}
