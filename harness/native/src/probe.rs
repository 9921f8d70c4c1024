//! A probe on the instruction, asked for as the command asks for every probe.
#![expect(unsafe_code, reason = "the device of the tracer takes addresses")]

use std::ffi::c_void;
use std::fs::{File, OpenOptions};

use engine_abi::{BufSnap, Command, DEVICE, Description, Enable, Go, Program, Records, Stop};
use engine_dlang::{Kind, Settings, Text, compile};
use rustix::ioctl::{Ioctl, IoctlOutput, Opcode, ioctl};
use zerocopy::{FromZeros, IntoBytes};

use crate::Error;
use crate::vectors::Vector;

/// Whose first instruction it is.
const FUNCTION: &[u8] = b"trapline_native";

/// Bytes of buffers, which few records need.
const BUFFER: u32 = 4096;

/// Makes probes.
pub struct Prober {
    program: Vec<u8>,
}

/// One that is armed.
pub struct Probe {
    consumer: File,
}

impl Prober {
    /// With a program that makes a record of each firing.
    pub fn new() -> Result<Self, Error> {
        let text = Text {
            source: "fbt::trapline_native:entry { trace(0); }".into(),
            kind: Kind::Specifier,
            arguments: Vec::new(),
        };
        let settings = Settings {
            pointer: 4,
            ..Settings::default()
        };
        let compiled = compile(&[text], &settings);
        let compiled = compiled.map_err(|why| Error::Wrong(format!("{why:?}")))?;
        let program = compiled.block.as_bytes().to_vec();
        Ok(Self { program })
    }

    /// Puts one on the instruction that is there now.
    pub fn arm(&self, vector: &Vector) -> Result<Probe, Error> {
        let opened = OpenOptions::new().read(true).write(true).open(DEVICE);
        let name = DEVICE.into();
        let consumer = opened.map_err(|why| Error::File { name, why })?;
        let probe = Probe { consumer };
        let mut program = Program {
            address: self.program.as_ptr().expose_provenance() as u64,
            size: self.program.len() as u32,
            reserved: 0,
        };
        probe.ask("program", Command::Program, program.as_mut_bytes())?;
        let mut enable = Enable::new_zeroed();
        enable.description = Description::new(b"fbt", b"", FUNCTION, b"entry")
            .map_err(|why| Error::Wrong(format!("{why:?}")))?;
        probe.ask("enable", Command::Enable, enable.as_mut_bytes())?;
        let mut go = Go {
            buffer_size: BUFFER,
            aggregation_size: BUFFER,
            ..Go::default()
        };
        probe.ask("go", Command::Go, go.as_mut_bytes())?;
        match (enable.matched, go.unarmed) {
            (1, 0) => Ok(probe),
            _ => Err(Error::Wrong(format!(
                "{:08x} {}: cannot be probed",
                vector.word, vector.text
            ))),
        }
    }
}

impl Probe {
    /// Takes it away; how often it has fired.
    pub fn disarm(self) -> Result<usize, Error> {
        let mut stop = Stop::default();
        self.ask("stop", Command::Stop, stop.as_mut_bytes())?;
        let mut room = vec![0u8; BUFFER as usize];
        let mut snap = BufSnap {
            address: room.as_mut_ptr().expose_provenance() as u64,
            size: BUFFER,
            ..BufSnap::default()
        };
        self.ask("bufsnap", Command::BufSnap, snap.as_mut_bytes())?;
        Ok(Records::new(&room[..snap.size as usize]).count())
    }

    fn ask(&self, doing: &'static str, command: Command, body: &mut [u8]) -> Result<(), Error> {
        let (number, address) = (command.number(), body.as_mut_ptr());
        // SAFETY: `body` is the struct that the command carries, and its addresses are of memory that
        // is there until this returns.
        let asked = unsafe { ioctl(&self.consumer, Raw { number, address }) };
        asked.map_err(|why| Error::System { doing, why })
    }
}

struct Raw {
    number: Opcode,
    address: *mut u8,
}

// SAFETY: as `Probe::ask` says.
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
