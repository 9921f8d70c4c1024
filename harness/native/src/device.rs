//! The self-test device, whose other end is `engine/kmod/selftest.c`. The structs must match it.
#![expect(unsafe_code, reason = "a driver takes addresses")]

use std::fs::{File, OpenOptions};

use harness_ioctl::ask;
use rustix::io::Errno;
use rustix::ioctl::Opcode;
use zerocopy::{FromBytes, FromZeros, Immutable, IntoBytes, KnownLayout};

use crate::Error;
use crate::places::{DATA, PAGE, Places, STACK};
use crate::set::Set;

const DEVICE: &str = "/dev/trapline-native";

/// Argument of the request that fills a page.
#[derive(FromBytes, IntoBytes, KnownLayout, Immutable)]
#[repr(C)]
struct Filled {
    number: u64,
    bytes: [u8; PAGE],
}

/// Memory of a run besides the page.
#[derive(Clone, FromBytes, IntoBytes, KnownLayout, Immutable)]
#[repr(C)]
pub struct Memory {
    /// The stack.
    pub stack: [u8; STACK],
    /// The data.
    pub data: [u8; DATA],
}

impl Memory {
    /// All zeros.
    pub fn new() -> Self {
        Self::new_zeroed()
    }
}

/// State and memory before or after a run.
pub struct Run<S: Set> {
    /// The registers.
    pub state: S::State,
    /// The memory.
    pub memory: Memory,
}

/// The open device.
pub struct Device {
    file: File,
    sites: Vec<Places>,
}

impl Device {
    /// Opens it and reads the addresses of its sites.
    pub fn open() -> Result<Self, Error> {
        let opened = OpenOptions::new().read(true).write(true).open(DEVICE);
        let name = DEVICE.into();
        let file = opened.map_err(|why| Error::File { name, why })?;
        let sites = Vec::new();
        let mut device = Self { file, sites };
        while let Some(places) = device.places(device.sites.len())? {
            device.sites.push(places);
        }
        let is_known = |places: &Places| {
            [places.stack_size as usize, places.data_size as usize] == [STACK, DATA]
        };
        match !device.sites.is_empty() && device.sites.iter().all(is_known) {
            true => Ok(device),
            false => Err(Error::Wrong("the device has another layout".into())),
        }
    }

    /// The sites, in ascending order of their addresses.
    pub fn sites(&self) -> &[Places] {
        &self.sites
    }

    /// The addresses for a site, or `None` if there is no site of this number.
    fn places(&self, number: usize) -> Result<Option<Places>, Error> {
        let mut places = Places {
            number: number as u64,
            ..Places::default()
        };
        match self.ask("places", PLACES, places.as_mut_bytes()) {
            Err(Error::System { why, .. }) if why == Errno::RANGE => Ok(None),
            asked => asked.map(|()| Some(places)),
        }
    }

    /// Fills the page of a site.
    pub fn fill(&self, places: &Places, page: &[u8; PAGE]) -> Result<(), Error> {
        let mut filled = Filled {
            number: places.number,
            bytes: *page,
        };
        self.ask("page", PAGE_IN, filled.as_mut_bytes())
    }

    /// Runs an instruction on this state and returns the final one.
    pub fn run<S: Set>(&self, run: &Run<S>) -> Result<Run<S>, Error> {
        let mut body = [run.state.as_bytes(), run.memory.as_bytes()].concat();
        self.ask("run", RUN, &mut body)?;
        let (state, memory) = body.split_at(size_of::<S::State>());
        let wrong = |_| Error::Wrong("a run has another size".into());
        Ok(Run {
            state: S::State::read_from_bytes(state)
                .map_err(|_| ())
                .map_err(wrong)?,
            memory: Memory::read_from_bytes(memory)
                .map_err(|_| ())
                .map_err(wrong)?,
        })
    }

    fn ask(&self, doing: &'static str, number: Opcode, body: &mut [u8]) -> Result<(), Error> {
        // SAFETY: `body` has the size that the driver copies for this request, and contains no
        // pointers.
        let asked = unsafe { ask(&self.file, number, body.as_mut_ptr()) };
        asked.map_err(|why| Error::System { doing, why })
    }
}

const READ: u32 = 2;
const WRITE: u32 = 1;
const PLACES: Opcode = number(READ | WRITE, size_of::<Places>(), 0);
const PAGE_IN: Opcode = number(WRITE, size_of::<Filled>(), 1);
const RUN: Opcode = number(0, 0, 2);

/// Linux's `_IOC` for this device's magic.
const fn number(direction: u32, size: usize, number: u32) -> Opcode {
    direction << 30 | (size as u32) << 16 | (b'N' as u32) << 8 | number
}
