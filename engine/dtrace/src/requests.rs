//! The requests of `engine_abi` as an [`Engine`]: one method for each, over whatever carries them.

use std::fs::File;

use engine_abi::{
    BufSnap, Command, Conf, Description, Enable, EprobeDesc, Go, PidArm, PidExecs, PidProbes,
    PidRange, PidSite, ProbeMatch, Program, Status, Stop, Unwind, UnwindRow, VERSION,
};
use rustix::io::Errno;
use zerocopy::{FromBytes, Immutable, IntoBytes};

use crate::engine::{Absence, Enabled, Engine, Probe, Snapshot};
use crate::error::Error;

/// What carries requests to an engine.
pub trait Channel {
    /// Makes a request: `body` is its struct, which refers to `from` for what the engine reads, and to
    /// `to` for what it writes.
    fn request(
        &self,
        command: Command,
        body: &mut [u8],
        from: &[u8],
        to: &mut [u8],
    ) -> Result<(), Errno>;

    /// Makes a request for each of these structs, which refer to nothing, in order, up to the first
    /// that fails: its number, and why.
    fn request_all<T: FromBytes + IntoBytes + Immutable>(
        &self,
        command: Command,
        bodies: &mut [T],
    ) -> Result<(), (usize, Errno)> {
        for (number, body) in bodies.iter_mut().enumerate() {
            let made = self.request(command, body.as_mut_bytes(), &[], &mut []);
            made.map_err(|errno| (number, errno))?;
        }
        Ok(())
    }

    /// As [`Engine::may_trace`].
    fn may_trace(&self, _pid: u32) -> bool {
        true
    }

    /// As [`Engine::opened`].
    fn opened(&self) -> Option<File>;

    /// As [`Engine::absence`].
    fn absence(&self) -> Option<Absence>;
}

/// An engine that is reached by requests, for one consumer.
pub struct Requests<C> {
    channel: C,
    conf: Conf,
}

impl<C: Channel> Requests<C> {
    /// Checks the engine's version.
    pub fn new(channel: C) -> Result<Self, Error> {
        let mut engine = Self {
            channel,
            conf: Conf::default(),
        };
        let mut conf = Conf::default();
        engine.ask(
            "failed to read the module's configuration",
            Command::Conf,
            &mut conf,
        )?;
        if conf.version != VERSION {
            let why = format!(
                "the loaded module has interface version {}, this command {VERSION}: install both \
                 from one build, and unload the old one (rmmod trapline)",
                conf.version
            );
            return Err(Error::Device(why));
        }
        engine.conf = conf;
        Ok(engine)
    }

    fn snapshot(&self, command: Command, cpu: u32, buffer: &mut [u8]) -> Result<Snapshot, Errno> {
        let mut body = BufSnap {
            address: buffer.as_mut_ptr().expose_provenance() as u64,
            size: u32::try_from(buffer.len()).unwrap_or(u32::MAX),
            cpu,
            drops: 0,
        };
        let length = buffer.len();
        self.channel
            .request(command, body.as_mut_bytes(), &[], buffer)?;
        Ok(Snapshot {
            bytes: (body.size as usize).min(length),
            drops: body.drops,
        })
    }

    fn ask<T: FromBytes + IntoBytes>(
        &self,
        doing: &'static str,
        command: Command,
        body: &mut T,
    ) -> Result<(), Error> {
        self.ask_with(doing, command, body, &[])
    }

    /// Like [`Requests::ask`], for a struct that refers to `from`.
    fn ask_with<T: FromBytes + IntoBytes>(
        &self,
        doing: &'static str,
        command: Command,
        body: &mut T,
        from: &[u8],
    ) -> Result<(), Error> {
        let asked = self
            .channel
            .request(command, body.as_mut_bytes(), from, &mut []);
        asked.map_err(|errno| refused(doing, errno))
    }
}

impl<C: Channel> Engine for Requests<C> {
    fn conf(&self) -> Conf {
        self.conf
    }

    fn absence(&self) -> Option<Absence> {
        self.channel.absence()
    }

    fn traces_processes(&self) -> bool {
        true
    }

    fn probe_match(&self, pattern: &Description, from: u32) -> Result<Option<Probe>, Error> {
        let mut body = ProbeMatch {
            description: *pattern,
            id: from,
            reserved: 0,
        };
        let asked = self
            .channel
            .request(Command::ProbeMatch, body.as_mut_bytes(), &[], &mut []);
        match asked {
            Ok(()) => Ok(Some(Probe {
                id: body.id,
                description: body.description,
            })),
            Err(Errno::SRCH) => Ok(None),
            Err(errno) => Err(refused("failed to match probes", errno)),
        }
    }

    fn pid_probes(&self, requests: &mut [PidProbes]) -> Result<(), (usize, Error)> {
        let made = self.channel.request_all(Command::PidProbes, requests);
        made.map_err(|(number, errno)| (number, refused("failed to create probes", errno)))
    }

    fn pid_sites(&self, requests: &mut [PidSite]) -> Result<(), (usize, Error)> {
        let made = self.channel.request_all(Command::PidSite, requests);
        made.map_err(|(number, errno)| (number, refused("failed to create probes", errno)))
    }

    fn may_trace(&self, pid: u32) -> bool {
        self.channel.may_trace(pid)
    }

    fn unwind(&self, object: &Unwind, rows: &[UnwindRow]) -> Result<(), Error> {
        let mut body = Unwind {
            rows: rows.as_ptr().expose_provenance() as u64,
            count: u32::try_from(rows.len()).unwrap_or(u32::MAX),
            ..*object
        };
        self.ask_with(
            "failed to pass an unwind table",
            Command::Unwind,
            &mut body,
            rows.as_bytes(),
        )
    }

    fn pid_watch(&self, request: &mut PidProbes) -> Result<(), Error> {
        self.ask("failed to watch a process", Command::PidWatch, request)
    }

    fn pid_execs(&self) -> Result<(), Error> {
        let mut body = PidExecs::default();
        self.ask(
            "failed to hold programs that start",
            Command::PidExecs,
            &mut body,
        )
    }

    fn pid_unmapped(&self, mut range: PidRange) -> Result<(), Error> {
        self.ask("failed to forget probes", Command::PidUnmapped, &mut range)
    }

    fn pid_arm(&self, answer: &mut PidArm) -> Result<(), Error> {
        self.ask("failed to arm probes", Command::PidArm, answer)
    }

    fn opened(&self) -> Option<File> {
        self.channel.opened()
    }

    fn program(&self, block: &[u64]) -> Result<(), Error> {
        let bytes = block.as_bytes();
        let mut body = Program {
            address: bytes.as_ptr().expose_provenance() as u64,
            size: u32::try_from(bytes.len()).unwrap_or(u32::MAX),
            reserved: 0,
        };
        self.ask_with(
            "failed to load the program",
            Command::Program,
            &mut body,
            bytes,
        )
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

fn refused(doing: &'static str, errno: Errno) -> Error {
    Error::Request {
        doing,
        why: errno.into(),
    }
}
