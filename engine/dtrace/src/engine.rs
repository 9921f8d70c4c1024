//! The interface between command and engine: the requests of `engine_abi`, answered by the kernel
//! module or in process.

use std::fs::File;

use engine_abi::{
    Conf, Description, Go, PidArm, PidProbes, PidRange, PidSite, Status, Unwind, UnwindRow,
};
use thiserror::Error;

use crate::error::Error;

/// A probe's ID and names.
#[derive(Debug, Clone, Copy)]
pub struct Probe {
    /// Its ID.
    pub id: u32,
    /// Provider, module, function and name.
    pub description: Description,
}

/// What an EPID stands for.
#[derive(Debug, Clone, Copy)]
pub struct Enabled {
    /// The probe.
    pub probe: Probe,
    /// The number of the clause enabled at it.
    pub clause: u32,
}

/// The outcome of a snapshot.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Snapshot {
    /// Bytes of whole records.
    pub bytes: usize,
    /// Records or values dropped since the last snapshot.
    pub drops: u64,
}

/// Why the kernel's engine is unavailable. Programs that need no kernel run without it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub enum Absence {
    /// There is no device.
    #[error("the module is not loaded (dtrace --doctor says why)")]
    NotLoaded,
    /// The device is not accessible to this user.
    #[error("DTrace requires additional privileges")]
    Forbidden,
    /// The command was told not to use it.
    #[error("pidmech=inline traces without the module")]
    Unwanted,
}

/// An engine with one consumer, this command. Dropping it disarms and frees everything.
pub trait Engine {
    /// The engine's configuration.
    fn conf(&self) -> Conf;

    /// Why this engine lacks the kernel's probes; None for the kernel's engine.
    fn absence(&self) -> Option<Absence> {
        None
    }

    /// Whether it can have probes in processes.
    fn traces_processes(&self) -> bool;

    /// The first matching probe whose ID is at least `from`.
    fn probe_match(&self, pattern: &Description, from: u32) -> Result<Option<Probe>, Error>;

    /// Creates the probes of functions of processes. An error has the number of the first request that
    /// failed; probes of later ones may exist or not.
    fn pid_probes(&self, requests: &mut [PidProbes]) -> Result<(), (usize, Error)>;

    /// Whether a process of this ID may have its probes.
    fn may_trace(&self, _pid: u32) -> bool {
        self.traces_processes()
    }

    /// Creates probes that programs name. Errors as from [`Engine::pid_probes`].
    fn pid_sites(&self, requests: &mut [PidSite]) -> Result<(), (usize, Error)>;

    /// Hands over the unwind table of an object, with its rows.
    fn unwind(&self, object: &Unwind, rows: &[UnwindRow]) -> Result<(), Error>;

    /// Watches the function by which a process's dynamic linker reports that it has mapped or
    /// unmapped objects.
    fn pid_watch(&self, request: &mut PidProbes) -> Result<(), Error>;

    /// Has each process held that executes a program, which `Opened` tells of.
    fn pid_execs(&self) -> Result<(), Error>;

    /// Has the probes forgotten of an object that a process has unmapped.
    fn pid_unmapped(&self, range: PidRange) -> Result<(), Error>;

    /// Arms what was enabled while tracing, and answers a thread that waits.
    fn pid_arm(&self, answer: &mut PidArm) -> Result<(), Error>;

    /// A file from which `Opened` can be read for each thread that waits.
    fn opened(&self) -> Option<File> {
        None
    }

    /// Loads the program; required before `enable`.
    fn program(&self, block: &[u64]) -> Result<(), Error>;

    /// Enables a clause at the matching probes. Returns their number.
    fn enable(&self, pattern: &Description, clause: u32) -> Result<u32, Error>;

    /// Starts tracing.
    fn go(&self, how: &mut Go) -> Result<(), Error>;

    /// Stops tracing. Returns the CPU on which `END` fired.
    fn stop(&self) -> Result<u32, Error>;

    /// Drains whole records of a CPU's principal buffer, as many as fit.
    fn buf_snap(&self, cpu: u32, buffer: &mut [u8]) -> Result<Snapshot, Error>;

    /// Drains a CPU's aggregations into `buffer`, which grows as needed.
    fn agg_snap(&self, cpu: u32, buffer: &mut Vec<u8>) -> Result<Snapshot, Error>;

    /// The probe and clause of an EPID.
    fn eprobe(&self, epid: u32) -> Result<Enabled, Error>;

    /// Drop counts, and whether tracing is about to end.
    fn status(&self) -> Result<Status, Error>;
}

/// All probes that `pattern` matches, in the order of their IDs.
pub fn matching(
    engine: &dyn Engine,
    pattern: Description,
) -> impl Iterator<Item = Result<Probe, Error>> {
    let mut next = Some(1);
    std::iter::from_fn(move || {
        let probe = engine.probe_match(&pattern, next?).transpose()?;
        next = probe.as_ref().ok().and_then(|it| it.id.checked_add(1));
        Some(probe)
    })
}
