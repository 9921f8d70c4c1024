//! The seam between the command and the engine: the requests of `engine_abi`, whoever answers them.

use engine_abi::{Conf, Description, Go, Status};
use thiserror::Error;

use crate::error::Error;

/// A probe's ID and names.
#[derive(Debug, Clone, Copy)]
pub struct Probe {
    /// Its ID.
    pub id: u32,
    /// Its names.
    pub description: Description,
}

/// A probe that a clause was enabled for.
#[derive(Debug, Clone, Copy)]
pub struct Enabled {
    /// The probe.
    pub probe: Probe,
    /// The clause's number.
    pub clause: u32,
}

/// What a snapshot of a buffer came to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Snapshot {
    /// Bytes of whole records.
    pub bytes: usize,
    /// Records that were dropped since the last one.
    pub drops: u64,
}

/// Why the kernel's engine is not to be had; what needs no kernel can do without.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub enum Absence {
    /// There is no device.
    #[error("the module is not loaded (insmod trapline.ko loads it)")]
    NotLoaded,
    /// There is one for others.
    #[error("DTrace requires additional privileges")]
    Forbidden,
}

/// An engine with one consumer: this command. Dropping it ends all it enabled.
pub trait Engine {
    /// What it is.
    fn conf(&self) -> Conf;

    /// Why this engine has to do without the kernel, and so without its probes.
    fn without(&self) -> Option<Absence> {
        None
    }

    /// The first probe from this ID on that `pattern` matches.
    fn probe_match(&self, pattern: &Description, from: u32) -> Result<Option<Probe>, Error>;

    /// Takes the program, before any enabling.
    fn program(&self, block: &[u64]) -> Result<(), Error>;

    /// Enables a clause for the probes that `pattern` matches; how many.
    fn enable(&self, pattern: &Description, clause: u32) -> Result<u32, Error>;

    /// Starts tracing.
    fn go(&self, how: &mut Go) -> Result<(), Error>;

    /// Ends tracing; the CPU on which `END` fired.
    fn stop(&self) -> Result<u32, Error>;

    /// Takes records of a CPU's principal buffer.
    fn buf_snap(&self, cpu: u32, buffer: &mut [u8]) -> Result<Snapshot, Error>;

    /// Takes all that a CPU has aggregated since the last time, into `buffer`, which grows as it must.
    fn agg_snap(&self, cpu: u32, buffer: &mut Vec<u8>) -> Result<Snapshot, Error>;

    /// What is behind an enabled probe ID.
    fn eprobe(&self, epid: u32) -> Result<Enabled, Error>;

    /// What was lost, and whether tracing is to end.
    fn status(&self) -> Result<Status, Error>;
}

/// The probes that `pattern` matches.
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
