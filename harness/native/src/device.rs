//! The self-test's device: `engine/kmod/selftest.c` has the other side of it.
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

/// What a page is filled with.
#[derive(FromBytes, IntoBytes, KnownLayout, Immutable)]
#[repr(C)]
struct Filled {
    number: u64,
    bytes: [u8; PAGE],
}

/// The memory of a run, besides the page.
#[derive(Clone, FromBytes, IntoBytes, KnownLayout, Immutable)]
#[repr(C)]
pub struct Memory {
    /// The stack.
    pub stack: [u8; STACK],
    /// The data.
    pub data: [u8; DATA],
}

impl Memory {
    /// Nothing but zeros.
    pub fn new() -> Self {
        Self::new_zeroed()
    }
}

/// What a run begins with, and what it ends with.
pub struct Run<S: Set> {
    /// The processor's.
    pub state: S::State,
    /// The memory's.
    pub memory: Memory,
}

/// The device.
pub struct Device {
    file: File,
    sites: Vec<Places>,
}

impl Device {
    /// Opens it.
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

    /// Where instructions can be, in the order of their addresses.
    pub fn sites(&self) -> &[Places] {
        &self.sites
    }

    /// Where things are for the instruction of that number, if there are so many.
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

    /// Fills an instruction's page.
    pub fn fill(&self, places: &Places, page: &[u8; PAGE]) -> Result<(), Error> {
        let mut filled = Filled {
            number: places.number,
            bytes: *page,
        };
        self.ask("page", PAGE_IN, filled.as_mut_bytes())
    }

    /// Runs the instruction.
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
        // SAFETY: `body` is as large as what the number stands for.
        let asked = unsafe { ask(&self.file, number, body.as_mut_ptr()) };
        asked.map_err(|why| Error::System { doing, why })
    }
}

const READ: u32 = 2;
const WRITE: u32 = 1;
const PLACES: Opcode = number(READ | WRITE, size_of::<Places>(), 0);
const PAGE_IN: Opcode = number(WRITE, size_of::<Filled>(), 1);
const RUN: Opcode = number(0, 0, 2);

/// Linux' `_IOC`.
const fn number(direction: u32, size: usize, number: u32) -> Opcode {
    direction << 30 | (size as u32) << 16 | (b'N' as u32) << 8 | number
}
