//! What `/proc/dtrace` shows, row by row.

use crate::fire::Cpu;
use crate::isa::Isa;
use crate::platform::{Lock, Platform};
use crate::providers::fbt::{self, Reason};
use crate::registry::{Probe, Registry};
use crate::session::Session;
use crate::tracer::{Control, Tracer};

/// A row of `/proc/dtrace/fbt`: a probe.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FbtRow<'a> {
    /// The probe's ID.
    pub id: u32,
    /// Its address.
    pub address: usize,
    /// Its module.
    pub module: &'a [u8],
    /// Its function.
    pub function: &'a [u8],
    /// Its name.
    pub name: &'a [u8],
    /// Its active ECBs.
    pub ecbs: u32,
    /// Whether its text is patched.
    pub armed: bool,
}

/// A row of `/proc/dtrace/refused`: a function without a probe.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RefusedRow<'a> {
    /// Its address.
    pub address: usize,
    /// Its module.
    pub module: &'a [u8],
    /// Its name.
    pub function: &'a [u8],
    /// Why it has no probe.
    pub reason: Reason,
}

/// A row of `/proc/dtrace/stats`: something counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct StatsRow {
    /// What is counted.
    pub name: &'static str,
    /// How many.
    pub value: u64,
}

impl<I: Isa, P: Platform<Regs = I::Regs>> Tracer<I, P> {
    /// Shows the row of this index to `see`; nothing behind the last.
    pub fn fbt_row<R>(&self, index: usize, see: impl FnOnce(FbtRow<'_>) -> R) -> Option<R> {
        self.control.with(|control| {
            let probe = control.registry.fbt.probes().get(index)?;
            Some(see(FbtRow {
                id: control.registry.id(Probe::Function(index)),
                address: probe.address,
                module: fbt::MODULE,
                function: self.names.get(probe.function),
                name: fbt::ENTRY,
                ecbs: probe.ecbs,
                armed: probe.armed,
            }))
        })
    }

    /// Shows the row of this index to `see`; nothing behind the last.
    pub fn refused_row<R>(&self, index: usize, see: impl FnOnce(RefusedRow<'_>) -> R) -> Option<R> {
        self.control.with(|control| {
            let refused = control.registry.fbt.refused().get(index)?;
            Some(see(RefusedRow {
                address: refused.address,
                module: fbt::MODULE,
                function: self.names.get(refused.function),
                reason: refused.reason,
            }))
        })
    }

    /// The row of this index; nothing behind the last.
    pub fn stats_row(&self, index: usize) -> Option<StatsRow> {
        self.control
            .with(|control| self.stats(control).get(index).copied())
    }

    fn stats(&self, control: &Control<I::Text>) -> [StatsRow; 12] {
        let Registry { fbt, profile } = &control.registry;
        let slots = &control.slots;
        let armed = fbt.probes().iter().filter(|probe| probe.armed);
        let timers = profile.timers().iter().filter(|timer| timer.armed);
        let rows = [
            (
                "consumers",
                control.consumers.iter().flatten().count() as u64,
            ),
            ("probes", fbt.probes().len() as u64),
            ("armed", armed.count() as u64),
            ("slots", slots.used() as u64),
            ("slot_bytes", slots.bytes::<P>() as u64),
            ("refused", fbt.refused().len() as u64),
            ("fired", self.cpus.iter().map(Cpu::fired).sum()),
            ("recursions", self.cpus.iter().map(Cpu::recursions).sum()),
            ("timers", timers.count() as u64),
            ("errors", self.sum(|session| session.status().errors)),
            (
                "dynamic",
                self.sum(|session| session.variables.dynamic().used().into()),
            ),
            (
                "dynamic_drops",
                self.sum(|session| session.status().dynamic_drops),
            ),
        ];
        rows.map(|(name, value)| StatsRow { name, value })
    }

    /// The sum of something over all sessions.
    fn sum(&self, count: impl Fn(&Session<P>) -> u64) -> u64 {
        let sessions = 0..self.sessions.len();
        sessions
            .filter_map(|number| self.with_session(number, &count))
            .sum()
    }
}
