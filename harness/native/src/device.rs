//! The self-test's device: `engine/kmod/arch/arm-native.c` has the other side of it.
#![expect(
    unsafe_code,
    reason = "there is no safe way to ask a driver for what only it knows"
)]

use std::ffi::c_void;
use std::fs::{File, OpenOptions};

use rustix::ioctl::{Ioctl, IoctlOutput, Opcode, ioctl};
use zerocopy::{FromBytes, FromZeros, Immutable, IntoBytes, KnownLayout};

use crate::Error;

const DEVICE: &str = "/dev/trapline-native";

/// The bytes of a page.
pub const PAGE: usize = 4096;
/// The bytes of a stack that a run sees.
pub const STACK: usize = 2048;
/// The bytes of data that it sees.
pub const DATA: usize = 4 * PAGE;

/// An instruction that nobody else has a use for: it ends a run.
pub const LEAVE: u32 = 0xe7f0_00f4;

/// Where things are in the kernel.
#[derive(Clone, Copy, Default, FromBytes, IntoBytes, KnownLayout, Immutable)]
#[repr(C)]
pub struct Places {
    /// The instruction.
    pub site: u32,
    /// The page that it is in.
    pub page: u32,
    /// The stack.
    pub stack: u32,
    /// Its bytes.
    pub stack_size: u32,
    /// The data.
    pub data: u32,
    /// Their bytes.
    pub data_size: u32,
}

/// What a run begins with, and what it ends with.
#[derive(Clone, FromBytes, IntoBytes, KnownLayout, Immutable)]
#[repr(C)]
pub struct Run {
    /// r0 to r15.
    pub registers: [u32; 16],
    /// The flags and the mode.
    pub cpsr: u32,
    /// Those of floating point.
    pub fpscr: u32,
    /// What ended it.
    pub instruction: u32,
    /// Zero.
    pub reserved: u32,
    /// d0 to d15.
    pub doubles: [u64; 16],
    /// The stack.
    pub stack: [u8; STACK],
    /// The data.
    pub data: [u8; DATA],
}

impl Run {
    /// Nothing but zeros.
    pub fn new() -> Self {
        Self::new_zeroed()
    }

    /// Whether the processor does not know the instruction.
    pub fn is_undefined(&self) -> bool {
        self.instruction != LEAVE
    }
}

/// The device.
pub struct Device {
    file: File,
    places: Places,
}

impl Device {
    /// Opens it.
    pub fn open() -> Result<Self, Error> {
        let opened = OpenOptions::new().read(true).write(true).open(DEVICE);
        let name = DEVICE.into();
        let file = opened.map_err(|why| Error::File { name, why })?;
        let places = Places::default();
        let mut device = Self { file, places };
        let mut places = Places::default();
        device.ask("places", PLACES, places.as_mut_bytes())?;
        device.places = places;
        let sizes = [places.stack_size as usize, places.data_size as usize];
        match sizes == [STACK, DATA] {
            true => Ok(device),
            false => Err(Error::Wrong("the device has another layout".into())),
        }
    }

    /// Where things are.
    pub fn places(&self) -> &Places {
        &self.places
    }

    /// Fills the instruction's page.
    pub fn fill(&self, page: &[u8; PAGE]) -> Result<(), Error> {
        self.ask("page", PAGE_IN, &mut page.clone())
    }

    /// Runs the instruction.
    pub fn run(&self, run: &mut Run) -> Result<(), Error> {
        self.ask("run", RUN, run.as_mut_bytes())
    }

    fn ask(&self, doing: &'static str, number: Opcode, body: &mut [u8]) -> Result<(), Error> {
        let address = body.as_mut_ptr();
        // SAFETY: `body` is as large as what the number stands for.
        let asked = unsafe { ioctl(&self.file, Raw { number, address }) };
        asked.map_err(|why| Error::System { doing, why })
    }
}

const READ: u32 = 2;
const WRITE: u32 = 1;
const PLACES: Opcode = number(READ, size_of::<Places>(), 0);
const PAGE_IN: Opcode = number(WRITE, PAGE, 1);
const RUN: Opcode = number(0, 0, 2);

/// Linux' `_IOC`.
const fn number(direction: u32, size: usize, number: u32) -> Opcode {
    direction << 30 | (size as u32) << 16 | (b'N' as u32) << 8 | number
}

struct Raw {
    number: Opcode,
    address: *mut u8,
}

// SAFETY: as `Device::ask` says.
unsafe impl Ioctl for Raw {
    type Output = ();

    const IS_MUTATING: bool = true;

    fn opcode(&self) -> Opcode {
        self.number
    }

    fn as_ptr(&mut self) -> *mut c_void {
        self.address.cast()
    }

    unsafe fn output_from_ptr(_: IoctlOutput, _: *mut c_void) -> rustix::io::Result<()> {
        Ok(())
    }
}
