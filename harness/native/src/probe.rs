//! Probes the sites through `/dev/dtrace`, as the dtrace command does.
#![expect(unsafe_code, reason = "the device of the tracer takes addresses")]

use std::fs::{File, OpenOptions};

use engine_abi::{BufSnap, Command, DEVICE, Description, Enable, Go, Program, Records, Stop};
use engine_dlang::{Kind, Settings, Text, compile};
use harness_ioctl::ask;
use rustix::io::Errno;
use zerocopy::{FromZeros, IntoBytes};

use crate::Error;

/// Most CPUs of a guest.
pub const PROCESSORS: usize = 4;

/// The function whose instances are the sites.
const FUNCTION: &[u8] = b"trapline_native";

/// Bytes of the principal buffer: more than the records of a batch's runs take.
const BUFFER: u32 = 32 << 10;

/// Bytes of the aggregation buffer, which is not used.
const MINIMUM: u32 = 4096;

/// The device's errno for a CPU that does not exist.
const NO_SUCH_CPU: Errno = Errno::SRCH;

/// Arms probes on the sites.
pub struct Prober {
    program: Vec<u8>,
}

/// Armed probes.
pub struct Probes {
    consumer: File,
    sites: usize,
}

impl Prober {
    /// With a program that records each firing and traces the int at `address`, so that a firing
    /// also makes a checked load. `pointer` is the size of an address in bytes.
    pub fn new(pointer: usize, address: u64) -> Result<Self, Error> {
        let text = Text {
            source: format!("fbt::trapline_native:entry {{ trace(*(int *){address:#x}); }}"),
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

    /// Probes the instructions that are at the sites now; every site must be armed.
    pub fn arm(&self, sites: usize) -> Result<Probes, Error> {
        let opened = OpenOptions::new().read(true).write(true).open(DEVICE);
        let name = DEVICE.into();
        let consumer = opened.map_err(|why| Error::File { name, why })?;
        let probes = Probes { consumer, sites };
        let mut program = Program {
            address: self.program.as_ptr().expose_provenance() as u64,
            size: self.program.len() as u32,
            reserved: 0,
        };
        probes.ask("program", Command::Program, program.as_mut_bytes())?;
        let mut enable = Enable::new_zeroed();
        enable.description = Description::new(b"fbt", b"", FUNCTION, b"entry")
            .map_err(|why| Error::Wrong(format!("{why:?}")))?;
        probes.ask("enable", Command::Enable, enable.as_mut_bytes())?;
        let mut go = Go {
            buffer_size: BUFFER,
            aggregation_size: MINIMUM,
            ..Go::default()
        };
        probes.ask("go", Command::Go, go.as_mut_bytes())?;
        match (enable.matched as usize == sites, go.unarmed) {
            (true, 0) => Ok(probes),
            (_, unarmed) => Err(Error::Wrong(format!(
                "of {sites} sites {} have a probe, and {unarmed} of those could not be armed",
                enable.matched
            ))),
        }
    }
}

impl Probes {
    /// Disarms them; returns the number of firings of each site, in the order of the sites.
    pub fn disarm(self) -> Result<Vec<usize>, Error> {
        let mut stop = Stop::default();
        self.ask("stop", Command::Stop, stop.as_mut_bytes())?;
        let mut fired = vec![0; self.sites];
        (0..PROCESSORS).try_for_each(|cpu| self.count(cpu as u32, &mut fired))?;
        Ok(fired)
    }

    /// Adds the firings on a CPU; none if it does not exist.
    fn count(&self, cpu: u32, fired: &mut [usize]) -> Result<(), Error> {
        let mut room = vec![0u8; BUFFER as usize];
        let mut snap = BufSnap {
            address: room.as_mut_ptr().expose_provenance() as u64,
            size: BUFFER,
            cpu,
            ..BufSnap::default()
        };
        match self.ask("bufsnap", Command::BufSnap, snap.as_mut_bytes()) {
            Err(Error::System { why, .. }) if cpu > 0 && why == NO_SUCH_CPU => return Ok(()),
            asked => asked?,
        }
        // EPIDs start at 1 and ascend with the sites' addresses.
        for record in Records::new(&room[..snap.size as usize]) {
            let site = (record.header.epid as usize).wrapping_sub(1);
            let fired = fired.get_mut(site);
            *fired.ok_or_else(|| Error::Wrong("a record has an unknown EPID".into()))? += 1;
        }
        match snap.drops {
            0 => Ok(()),
            drops => Err(Error::Wrong(format!("{drops} records were lost"))),
        }
    }

    fn ask(&self, doing: &'static str, command: Command, body: &mut [u8]) -> Result<(), Error> {
        // SAFETY: `body` is the struct of this command, and the buffer it points to is owned by the
        // caller and outlives the call.
        let asked = unsafe { ask(&self.consumer, command.number(), body.as_mut_ptr()) };
        asked.map_err(|why| Error::System { doing, why })
    }
}
