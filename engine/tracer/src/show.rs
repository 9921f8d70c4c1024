//! What `/proc/dtrace` shows, row by row.

use crate::isa::Isa;
use crate::platform::{Lock, Platform};
use crate::providers::fbt::{self, Fbt, Reason};
use crate::registry::Probe;
use crate::session::Session;
use crate::tracer::Tracer;

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
        let (name, value) = self.control.with(|control| {
            let registry = &control.registry;
            let sessions = |count: &dyn Fn(&Session<P>) -> u64| -> u64 {
                let numbers = 0..self.sessions.len();
                numbers
                    .filter_map(|number| self.with_session(number, count))
                    .sum()
            };
            match index {
                0 => Some((
                    "consumers",
                    control.consumers.iter().flatten().count() as u64,
                )),
                1 => Some(("probes", registry.fbt.probes().len() as u64)),
                2 => Some(("armed", armed(&registry.fbt))),
                3 => Some(("refused", registry.fbt.refused().len() as u64)),
                4 => Some(("fired", self.cpus.iter().map(|cpu| cpu.fired()).sum())),
                5 => Some((
                    "recursions",
                    self.cpus.iter().map(|cpu| cpu.recursions()).sum(),
                )),
                6 => {
                    let timers = registry.profile.timers().iter();
                    Some(("timers", timers.filter(|timer| timer.armed).count() as u64))
                }
                7 => Some(("errors", sessions(&|session| session.status().errors))),
                8 => {
                    let used = |session: &Session<P>| session.variables.dynamic().used().into();
                    Some(("dynamic", sessions(&used)))
                }
                9 => {
                    let drops = |session: &Session<P>| session.status().dynamic_drops;
                    Some(("dynamic_drops", sessions(&drops)))
                }
                _ => None,
            }
        })?;
        Some(StatsRow { name, value })
    }
}

fn armed<T: Copy>(fbt: &Fbt<T>) -> u64 {
    fbt.probes().iter().filter(|probe| probe.armed).count() as u64
}
