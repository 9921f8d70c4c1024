//! A consumer's session: its verified program and all the memory that it traces with, allocated by
//! `GO` and freed when the consumer closes.
//!
//! Two sides share it. Firings run its clauses in any context, with interrupts disabled and one
//! firing at a time on each CPU (the CPU's guard sees to that). They never allocate, sleep or
//! panic. The control side drains the session under the control lock and may sleep.
//!
//! - [`ring`]: a principal buffer for each CPU, single writer, single reader, no lock.
//! - [`aggregation`] over [`bank`]: two banks for each CPU; the control side switches firings to
//!   the other bank and waits for a grace period before it reads the first.
//! - [`speculation`]: a part for each CPU and one atomic state; a part is drained only when no
//!   firing can write to it any more.
//! - [`variables`]: global scalars are atomics, global strings share a spin lock, clause-locals
//!   belong to the CPU, and [`dynamic`] hashes the rest with a spin lock on each bucket.
//! - [`arena`]: the shared memory under all of these, made of atomic words.
//! - [`sink`]: copies records out to the consumer.
//!
//! Only firings take the spin locks, with interrupts disabled, so the holder is always another CPU.
//! The control side takes none of them: a firing could interrupt it and spin on its own CPU's lock.
//! Whatever finds no room is dropped and counted. [`Session::status`] reports the counts, except
//! those of the principal buffers and aggregations, which [`drain`] returns with the data.

pub mod activity;
pub mod aggregation;
mod arena;
mod bank;
mod clause;
pub mod consumer;
pub mod drain;
mod dynamic;
mod env;
pub mod plan;
mod ring;
pub mod sink;
mod speculation;
pub mod variables;

use alloc::vec::Vec;
use core::sync::atomic::{AtomicU32, AtomicU64, Ordering};

use engine_abi::{BUFFER_SIZE, BufferPolicy, Go, RecordHeader, SPECULATIONS_MAX, Status};
use engine_dvm::{Brief, Clause, Registers, Verified};
use engine_isa::Arch;

use crate::error::Error;
use crate::fire::firing::Firing;
use crate::grow::{OutOfMemory, filled, push};
use crate::platform::{Platform, TryLock};
use crate::probe::ecb::Enabling;
use crate::providers::dtrace::DtraceProbe;
use crate::registry::Id;
use crate::session::activity::Activity;
use crate::session::aggregation::{Aggregations, Kind};
use crate::session::arena::BYTES_MAX;
use crate::session::consumer::Ecb;
use crate::session::ring::Rings;
use crate::session::speculation::Speculations;
use crate::session::variables::{Locals, Variables};
use crate::unwind::tables::Tables;

/// DTrace's default `dynvarsize`, in bytes.
const DYNAMIC_SIZE: u32 = 1 << 20;
/// DTrace's default `specsize`, in bytes.
const SPECULATION_SIZE: u32 = 32 << 10;
/// Approximate overhead of one part of a speculation, in bytes.
const SPECULATION_COST: usize = 64;

/// What one CPU runs clauses in.
struct Workspace {
    registers: Registers,
    scratch: Vec<u8>,
    heap: Vec<u8>,
    /// What `strtok` keeps throughout a firing.
    tokens: Vec<u8>,
    key: Vec<u8>,
    locals: Locals,
}

/// A consumer's program, buffers and variables.
pub struct Session<P: Platform> {
    program: Verified<Vec<u64>>,
    /// For each clause, its brief form if it has one: such a clause runs without the interpreter.
    briefs: Vec<Option<Brief>>,
    /// The ECBs of the dtrace provider's probes: `BEGIN`, `END` and `ERROR`.
    dtrace_ecbs: DtraceProbeEcbs,
    /// The stage of tracing, which decides which probes run clauses.
    pub activity: Activity,
    /// What a full principal buffer does.
    pub policy: BufferPolicy,
    /// The principal buffers, one for each CPU.
    pub rings: Rings,
    kinds: Vec<Kind>,
    aggregations: Vec<Aggregations>,
    /// Globals and dynamic variables; clause-locals are in the workspaces.
    pub variables: Variables,
    /// The speculations.
    pub speculations: Speculations,
    workspaces: Vec<P::TryLock<Workspace>>,
    /// The unwind tables of the consumer's processes.
    tables: Tables,
    errors: AtomicU64,
    error_drops: AtomicU64,
    stack_drops: AtomicU64,
    /// How often the deadman has checked since the consumer's last request.
    silence: AtomicU32,
}

impl<P: Platform> Session<P> {
    /// Allocates a session for `program` and unwind tables with these ECBs, each with its EPID. `go` has the sizes in
    /// bytes, 0 for the default. `seed` keys the hash tables and must be unpredictable. `NoRoom` if
    /// a principal buffer cannot hold the largest record, or what `END` needs with the policy
    /// `fill`. May sleep.
    #[inline(never)]
    pub fn new(
        (program, tables): (Verified<Vec<u64>>, Tables),
        ecbs: impl Iterator<Item = (u32, Ecb)>,
        cpus: usize,
        go: &Go,
        seed: u64,
    ) -> Result<Self, Error> {
        let policy = BufferPolicy::from_code(go.policy).ok_or(Error::Invalid)?;
        let (largest, dtrace_ecbs) = enabled(&program, ecbs)?;
        let reserve = match policy {
            BufferPolicy::Fill => end_reserve(&program, &dtrace_ecbs),
            BufferPolicy::Switch | BufferPolicy::Ring => 0,
        };
        let needed = reserve.max(largest);
        let rings = Rings::new(cpus, or(go.buffer_size, BUFFER_SIZE), policy, reserve)?;
        if !rings.can_hold(needed) {
            return Err(Error::NoRoom);
        }
        let variables = Variables::new(&program, or(go.dynamic_size, DYNAMIC_SIZE), seed)?;
        let kinds = kinds(&program)?;
        let briefs = briefs(&program)?;
        let aggregation_size = if kinds.is_empty() {
            0
        } else {
            or(go.aggregation_size, BUFFER_SIZE)
        };
        let speculation_size = or(go.speculation_size, SPECULATION_SIZE);
        let speculations = speculations(go, cpus, speculation_size)?;
        Ok(Self {
            activity: Activity::default(),
            policy,
            rings,
            briefs,
            kinds,
            aggregations: each(cpus, || Aggregations::new(aggregation_size, seed))?,
            speculations: Speculations::new(speculations, cpus, speculation_size)?,
            workspaces: each(cpus, || {
                Workspace::new(&program, &variables).map(TryLock::new)
            })?,
            variables,
            dtrace_ecbs,
            program,
            tables,
            errors: AtomicU64::new(0),
            error_drops: AtomicU64::new(0),
            stack_drops: AtomicU64::new(0),
            silence: AtomicU32::new(0),
        })
    }

    /// Whether the firing may use the reserved end of a principal buffer: only `END`, and the
    /// `ERROR` that its clauses fire, may.
    pub fn is_privileged<A: Arch<Regs = P::Regs>>(&self, firing: &Firing<'_, A, P>) -> bool {
        firing.fired.dtrace_probe().is_some() && self.activity.is_ending()
    }

    /// The ECBs of one of the dtrace provider's probes.
    pub fn dtrace_ecbs(&self, probe: DtraceProbe) -> &[Enabling] {
        self.dtrace_ecbs
            .get(probe as usize)
            .map_or(&[], Vec::as_slice)
    }

    /// Updates an aggregation of this CPU; `value` is the value and its increment. Returns
    /// the bytes of data that a new entry has. Firings only.
    pub fn aggregate(&self, cpu: usize, number: u32, key: &[u8], value: (u64, u64)) -> usize {
        let kind = self.kinds.get(number as usize);
        match (kind, self.aggregations.get(cpu)) {
            (Some(kind), Some(aggregations)) => aggregations.update(number, *kind, key, value),
            _ => 0,
        }
    }

    /// Adds a number to a `count()` of this CPU. Firings only.
    pub fn tally(&self, cpu: usize, number: u32, key: &[u8], times: u64) {
        if let Some(aggregations) = self.aggregations.get(cpu) {
            aggregations.tally(number, key, times);
        }
    }

    /// A clause of its program.
    pub fn clause(&self, number: u32) -> Option<Clause<'_>> {
        self.program.clause(number)
    }

    /// Whether a firing of this ECB may end tracing: its clause, or one at `ERROR`.
    pub fn may_exit(&self, ecb: Enabling) -> bool {
        let errors = self.dtrace_ecbs(DtraceProbe::Error).iter();
        let mut all = errors.chain([&ecb]);
        all.any(|ecb| self.clause(ecb.clause).is_some_and(|it| it.may_exit()))
    }

    /// The aggregations of a CPU.
    pub fn aggregations(&self, cpu: usize) -> Option<&Aggregations> {
        self.aggregations.get(cpu)
    }

    /// The counts of errors and drops, other than those of principal buffers and aggregations; and
    /// whether tracing is about to end, or was killed.
    pub fn status(&self) -> Status {
        let speculations = self.speculations.counts();
        Status {
            dynamic_drops: self.variables.dynamic().drops(),
            speculation_drops: speculations.drops,
            speculations_busy: speculations.busy,
            speculations_unavailable: speculations.unavailable,
            errors: self.errors.load(Ordering::Relaxed),
            error_drops: self.error_drops.load(Ordering::Relaxed),
            ending: u32::from(self.activity.has_exited() || self.rings.are_full()),
            stack_drops: self.stack_drops.load(Ordering::Relaxed),
            killed: self.activity.is_killed().into(),
        }
    }

    /// Notes a request from the consumer, which resets the deadman's count.
    pub fn ask(&self) {
        self.silence.store(0, Ordering::Relaxed);
    }

    /// Counts a check by the deadman. Returns how many there were since the consumer's last
    /// request.
    pub fn silence(&self) -> u32 {
        let before = self.silence.load(Ordering::Relaxed);
        self.silence
            .store(before.saturating_add(1), Ordering::Relaxed);
        before
    }

    /// Counts a firing dropped because too little stack is left, unless the session would not have
    /// run a clause anyway. Returns whether it was counted.
    pub fn drop_for_stack(&self, probe: Option<DtraceProbe>) -> bool {
        let is_lost = self.activity.admits(probe);
        if is_lost {
            self.stack_drops.fetch_add(1, Ordering::Relaxed);
        }
        is_lost
    }
}

impl Workspace {
    fn new(program: &Verified<Vec<u64>>, variables: &Variables) -> Result<Self, OutOfMemory> {
        Ok(Self {
            registers: Registers::default(),
            scratch: filled(program.scratch() as usize, || 0)?,
            heap: filled(program.header().heap as usize, || 0)?,
            tokens: filled(program.tokens() as usize, || 0)?,
            key: filled(program.key_size_max() as usize, || 0)?,
            locals: variables.locals()?,
        })
    }
}

/// The ECBs of each of the dtrace provider's probes, indexed by [`DtraceProbe`].
type DtraceProbeEcbs = [Vec<Enabling>; DtraceProbe::ALL.len()];

/// The size in bytes of the largest record of any ECB, and the ECBs of the dtrace provider's
/// probes.
fn enabled(
    program: &Verified<Vec<u64>>,
    ecbs: impl Iterator<Item = (u32, Ecb)>,
) -> Result<(u32, DtraceProbeEcbs), OutOfMemory> {
    let (mut largest, mut own) = (0, [const { Vec::new() }; DtraceProbe::ALL.len()]);
    for (epid, Ecb { probe, clause }) in ecbs {
        let enabling = Enabling { epid, clause };
        largest = size(program, &[enabling]).max(largest);
        if let Some(probe) = probe.of(Id::Dtrace)
            && let Some(ecbs) = own.get_mut(probe)
        {
            push(ecbs, enabling)?;
        }
    }
    Ok((largest, own))
}

/// The aggregating function of each aggregation.
fn kinds(program: &Verified<Vec<u64>>) -> Result<Vec<Kind>, OutOfMemory> {
    let mut kinds = Vec::new();
    let rows = (0..program.header().aggregations).filter_map(|row| program.aggregation(row));
    rows.map(|row| row.aggregate.into())
        .try_for_each(|kind| push(&mut kinds, kind))?;
    Ok(kinds)
}

/// The brief form of each clause that has one.
fn briefs(program: &Verified<Vec<u64>>) -> Result<Vec<Option<Brief>>, OutOfMemory> {
    let mut briefs = Vec::new();
    let clauses = (0..program.header().clauses).filter_map(|row| program.clause(row));
    clauses
        .map(|clause| clause.brief())
        .try_for_each(|brief| push(&mut briefs, brief))?;
    Ok(briefs)
}

/// The bytes that `END` can record, if each of its clauses faults and fires `ERROR` besides.
fn end_reserve(program: &Verified<Vec<u64>>, own: &DtraceProbeEcbs) -> u32 {
    let ecbs = |it: DtraceProbe| own.get(it as usize).map_or(&[][..], Vec::as_slice);
    let ends = ecbs(DtraceProbe::End);
    let errors = size(program, ecbs(DtraceProbe::Error)).saturating_mul(ends.len() as u32);
    size(program, ends).saturating_add(errors)
}

/// The size in bytes of one record of each of these ECBs.
fn size(program: &Verified<Vec<u64>>, ecbs: &[Enabling]) -> u32 {
    let clauses = ecbs.iter().filter_map(|ecb| program.clause(ecb.clause));
    clauses.fold(0u32, |bytes, clause| {
        let head = size_of::<RecordHeader>() as u32;
        bytes
            .saturating_add(clause.record_size())
            .saturating_add(head)
    })
}

/// The number of speculations, at least 1; `OutOfMemory` if parts of `size` bytes for each CPU add
/// up to more than [`BYTES_MAX`].
fn speculations(go: &Go, cpus: usize, size: usize) -> Result<usize, Error> {
    if go.speculations > SPECULATIONS_MAX {
        return Err(Error::Invalid);
    }
    let count = go.speculations.max(1) as usize;
    let each = size.saturating_add(SPECULATION_COST).saturating_mul(cpus);
    let fits = count.saturating_mul(each) <= BYTES_MAX;
    fits.then_some(count).ok_or(Error::OutOfMemory)
}

/// `size`, or `default` where it is 0.
fn or(size: u32, default: u32) -> usize {
    if size == 0 {
        default as usize
    } else {
        size as usize
    }
}

/// A vector with one item for each CPU.
fn each<T>(
    cpus: usize,
    mut one: impl FnMut() -> Result<T, OutOfMemory>,
) -> Result<Vec<T>, OutOfMemory> {
    let mut all = Vec::new();
    for _ in 0..cpus {
        push(&mut all, one()?)?;
    }
    Ok(all)
}
