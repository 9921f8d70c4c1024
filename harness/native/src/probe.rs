//! A probe on the instruction, asked for as the command asks for every probe.
#![expect(unsafe_code, reason = "the device of the tracer takes addresses")]

use std::fs::{File, OpenOptions};

use engine_abi::{BufSnap, Command, DEVICE, Description, Enable, Go, Program, Records, Stop};
use engine_dlang::{Kind, Settings, Text, compile};
use harness_ioctl::ask;
use rustix::io::Errno;
use zerocopy::{FromZeros, IntoBytes};

use crate::vectors::Vector;
use crate::{Error, PROCESSORS};

/// Whose first instruction it is.
const FUNCTION: &[u8] = b"trapline_native";

/// Bytes of buffers, which few records need.
const BUFFER: u32 = 4096;

/// What the device says to a number of a CPU that there cannot be.
const NO_SUCH_CPU: Errno = Errno::SRCH;

/// Makes probes.
pub struct Prober {
    program: Vec<u8>,
}

/// One that is armed.
pub struct Probe {
    consumer: File,
}

impl Prober {
    /// With a program that makes a record of each firing, where addresses have so many bytes.
    pub fn new(pointer: usize) -> Result<Self, Error> {
        let text = Text {
            source: "fbt::trapline_native:entry { trace(0); }".into(),
            kind: Kind::Specifier,
            arguments: Vec::new(),
        };
        let settings = Settings {
            pointer: pointer as u32,
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
                "{} {}: cannot be probed",
                vector.text, vector.called
            ))),
        }
    }
}

impl Probe {
    /// Takes it away; how often it has fired.
    pub fn disarm(self) -> Result<usize, Error> {
        let mut stop = Stop::default();
        self.ask("stop", Command::Stop, stop.as_mut_bytes())?;
        (0..PROCESSORS).try_fold(0, |fired, cpu| Ok(fired + self.fired_on(cpu as u32)?))
    }

    /// How often it has fired there; not at all where there is no such processor.
    fn fired_on(&self, cpu: u32) -> Result<usize, Error> {
        let mut room = vec![0u8; BUFFER as usize];
        let mut snap = BufSnap {
            address: room.as_mut_ptr().expose_provenance() as u64,
            size: BUFFER,
            cpu,
            ..BufSnap::default()
        };
        match self.ask("bufsnap", Command::BufSnap, snap.as_mut_bytes()) {
            Err(Error::System { why, .. }) if cpu > 0 && why == NO_SUCH_CPU => Ok(0),
            asked => asked.map(|()| Records::new(&room[..snap.size as usize]).count()),
        }
    }

    fn ask(&self, doing: &'static str, command: Command, body: &mut [u8]) -> Result<(), Error> {
        // SAFETY: `body` is the struct that the command carries, and its addresses are of memory that
        // is there until this returns.
        let asked = unsafe { ask(&self.consumer, command.number(), body.as_mut_ptr()) };
        asked.map_err(|why| Error::System { doing, why })
    }
}
