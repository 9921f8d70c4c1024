//! The engine in this process, for programs that use only the providers `dtrace` and `profile`. It
//! needs neither the module nor any privilege.

use std::sync::Arc;

use engine_abi::{
    Conf, Description, Go, PidArm, PidProbes, PidRange, PidSite, Status, Unwind, UnwindRow, VERSION,
};
use engine_isa::arm::Arm;
use engine_local::Machine;
use engine_tracer::{ConsumerId, Error as Refusal, Snapped, Tracer};
use rustix::io::Errno;

use crate::engine::{Absence, Enabled, Engine, Probe, Snapshot};
use crate::error::Error;

/// The only consumer of an engine of its own.
pub struct Local {
    /// Any instruction set will do, since there is no function to probe.
    tracer: Arc<Tracer<Arm, Machine>>,
    consumer: ConsumerId,
    without: Absence,
}

/// Size of the bounce buffer for snapshots, in bytes.
const CHUNK: usize = 4096;

impl Local {
    /// Opens the engine; `without` is why the kernel's is unavailable.
    pub fn open(without: Absence) -> Result<Self, Error> {
        let machine = Machine::default();
        let made = Tracer::new(machine.clone()).map_err(Refusal::from);
        let tracer = made.map_err(|why| refused("failed to initialize dtrace", why))?;
        let tracer = Arc::new(tracer);
        machine.set_tracer(&tracer);
        let consumer = tracer.open();
        let consumer = consumer.map_err(|why| refused("failed to initialize dtrace", why))?;
        Ok(Self {
            tracer,
            consumer,
            without,
        })
    }
}

impl Drop for Local {
    fn drop(&mut self) {
        self.tracer.close(self.consumer);
    }
}

impl Engine for Local {
    fn conf(&self) -> Conf {
        Conf {
            version: VERSION,
            cpus: self.tracer.cpus() as u32,
            pointer: size_of::<usize>() as u32,
            reserved: 0,
        }
    }

    fn absence(&self) -> Option<Absence> {
        Some(self.without)
    }

    fn traces_processes(&self) -> bool {
        false
    }

    fn probe_match(&self, pattern: &Description, from: u32) -> Result<Option<Probe>, Error> {
        match self.tracer.probe_match(pattern, from) {
            Ok((id, description)) => Ok(Some(Probe { id, description })),
            Err(Refusal::NotFound) => Ok(None),
            Err(why) => Err(refused("failed to match probes", why)),
        }
    }

    fn pid_probes(&self, _: &mut [PidProbes]) -> Result<(), (usize, Error)> {
        Err((0, Error::Device(self.without.to_string())))
    }

    fn unwind(&self, _: &Unwind, _: &[UnwindRow]) -> Result<(), Error> {
        Err(Error::Device(self.without.to_string()))
    }

    fn pid_sites(&self, _: &mut [PidSite]) -> Result<(), (usize, Error)> {
        Err((0, Error::Device(self.without.to_string())))
    }

    fn pid_watch(&self, _: &mut PidProbes) -> Result<(), Error> {
        Err(Error::Device(self.without.to_string()))
    }

    fn pid_execs(&self) -> Result<(), Error> {
        Err(Error::Device(self.without.to_string()))
    }

    fn pid_unmapped(&self, _: PidRange) -> Result<(), Error> {
        Err(Error::Device(self.without.to_string()))
    }

    fn pid_arm(&self, _: &mut PidArm) -> Result<(), Error> {
        Err(Error::Device(self.without.to_string()))
    }

    fn program(&self, block: &[u64]) -> Result<(), Error> {
        let taken = self.tracer.program(self.consumer, block.to_vec());
        taken.map_err(|why| refused("failed to load the program", why))
    }

    fn enable(&self, pattern: &Description, clause: u32) -> Result<u32, Error> {
        let enabled = self.tracer.enable(self.consumer, pattern, clause);
        enabled.map_err(|why| refused("failed to enable probes", why))
    }

    fn go(&self, how: &mut Go) -> Result<(), Error> {
        let gone = self.tracer.go(self.consumer, how);
        gone.map_err(|why| refused("could not enable tracing", why))
    }

    fn stop(&self) -> Result<u32, Error> {
        let stopped = self.tracer.stop(self.consumer);
        stopped.map_err(|why| refused("couldn't stop tracing", why))
    }

    fn buf_snap(&self, cpu: u32, buffer: &mut [u8]) -> Result<Snapshot, Error> {
        let mut filled = 0;
        let room = buffer.len();
        let taken = self.tracer.buf_snap(
            self.consumer,
            cpu as usize,
            room,
            &mut [0; CHUNK],
            &mut |bytes| {
                let rest = buffer.get_mut(filled..filled + bytes.len());
                rest.ok_or(engine_tracer::Unwritten)?.copy_from_slice(bytes);
                filled += bytes.len();
                Ok(())
            },
        );
        taken
            .map(snapshot)
            .map_err(|why| refused("failed to read a principal buffer", why))
    }

    fn agg_snap(&self, cpu: u32, buffer: &mut Vec<u8>) -> Result<Snapshot, Error> {
        buffer.clear();
        let taken = self.tracer.agg_snap(
            self.consumer,
            cpu as usize,
            usize::MAX,
            &mut [0; CHUNK],
            &mut |bytes| {
                buffer.extend_from_slice(bytes);
                Ok(())
            },
        );
        taken
            .map(snapshot)
            .map_err(|why| refused("failed to read an aggregation buffer", why))
    }

    fn eprobe(&self, epid: u32) -> Result<Enabled, Error> {
        let (id, description, clause) = self
            .tracer
            .eprobe(self.consumer, epid)
            .map_err(|why| refused("failed to look up an enabled probe", why))?;
        let probe = Probe { id, description };
        Ok(Enabled { probe, clause })
    }

    fn status(&self) -> Result<Status, Error> {
        let status = self.tracer.status(self.consumer);
        status.map_err(|why| refused("failed to read the status", why))
    }
}

fn snapshot(taken: Snapped) -> Snapshot {
    Snapshot {
        bytes: taken.bytes,
        drops: taken.drops,
    }
}

/// The error as the module would report it: the same errno.
fn refused(doing: &'static str, why: Refusal) -> Error {
    let errno = match why {
        Refusal::OutOfMemory => Errno::NOMEM,
        Refusal::TooManyConsumers => Errno::BUSY,
        Refusal::TooManyEcbs | Refusal::NoRoom | Refusal::Bound(_) => Errno::NOSPC,
        Refusal::NoSuchConsumer | Refusal::Invalid => Errno::INVAL,
        Refusal::NotFound => Errno::SRCH,
        Refusal::WrongState => Errno::BADFD,
        Refusal::Unwritten => Errno::FAULT,
        Refusal::NotAllowed => Errno::PERM,
        Refusal::Foreign => Errno::NOEXEC,
        Refusal::Destructive => Errno::ACCESS,
        Refusal::NoDispatch => Errno::IO,
        Refusal::Unsupported => Errno::OPNOTSUPP,
    };
    Error::Request {
        doing,
        why: errno.into(),
    }
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, Instant};

    use engine_abi::{ClauseRow, Instruction, MAGIC, ProgramHeader, Records, Span};
    use engine_dvm::Op;
    use zerocopy::IntoBytes;

    use super::*;
    use crate::print::unsigned_of;

    /// A program with one clause, which records only that it ran, and then executes `last`.
    fn program(last: Op) -> Vec<u64> {
        let code = [Op::Open, last, Op::Ret].map(|op| Instruction {
            op: op.code(),
            ..Instruction::default()
        });
        let header = ProgramHeader {
            magic: MAGIC,
            string_size: 256,
            clauses: 1,
            code: 3,
            ..ProgramHeader::default()
        };
        let clause = ClauseRow {
            code: Span { first: 0, count: 3 },
            ..ClauseRow::default()
        };
        let bytes = [header.as_bytes(), clause.as_bytes(), code.as_bytes()].concat();
        bytes.chunks_exact(8).map(unsigned_of).collect()
    }

    fn name(name: &[u8]) -> Description {
        Description::new(b"", b"", b"", name).unwrap()
    }

    /// Waits for tracing to end and returns how many records there are; None on timeout.
    fn recorded(local: &Local) -> Option<usize> {
        let begun = Instant::now();
        while local.status().unwrap().ending == 0 {
            if begun.elapsed() > Duration::from_secs(20) {
                return None;
            }
            std::thread::yield_now();
        }
        local.stop().unwrap();
        let mut buffer = vec![0; 1 << 16];
        let taken = local.buf_snap(0, &mut buffer).unwrap();
        assert_eq!(taken.drops, 0);
        Some(Records::new(&buffer[..taken.bytes]).count())
    }

    #[test]
    fn begin_fires_in_process() {
        let local = Local::open(Absence::NotLoaded).unwrap();
        local.program(&program(Op::Exit)).unwrap();
        assert_eq!(local.enable(&name(b"BEGIN"), 0).unwrap(), 1);
        local.go(&mut Go::default()).unwrap();
        assert_eq!(recorded(&local), Some(1));
        let enabled = local.eprobe(1).unwrap();
        assert_eq!(enabled.probe.description.to_string(), "dtrace:::BEGIN");
        assert_eq!(enabled.clause, 0);
    }

    #[test]
    fn timers_fire_in_process() {
        let local = Local::open(Absence::NotLoaded).unwrap();
        local.program(&program(Op::Exit)).unwrap();
        assert_eq!(local.enable(&name(b"tick-1ms"), 0).unwrap(), 1);
        local.go(&mut Go::default()).unwrap();
        assert_eq!(recorded(&local), Some(1));
    }

    #[test]
    fn there_are_no_functions_and_bad_programs_are_refused() {
        let local = Local::open(Absence::NotLoaded).unwrap();
        assert!(local.program(&[0; 6]).is_err());
        local.program(&program(Op::Ret)).unwrap();
        let functions = Description::new(b"fbt", b"", b"", b"").unwrap();
        assert_eq!(local.enable(&functions, 0).unwrap(), 0);
        assert!(local.probe_match(&functions, 1).unwrap().is_none());
        let all = crate::engine::matching(&local, Description::default());
        let names: Vec<String> = all.map(|it| it.unwrap().description.to_string()).collect();
        assert!(
            names.starts_with(
                &["dtrace:::BEGIN", "dtrace:::END", "dtrace:::ERROR"].map(String::from)
            )
        );
    }
}
