//! What `/proc/dtrace` shows, row by row.

use crate::fbt::{self, Fbt, Reason};
use crate::isa::Isa;
use crate::platform::{Lock, Platform};
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

impl<I: Isa, P: Platform> Tracer<I, P> {
    /// Shows the row of this index to `see`; nothing behind the last.
    pub fn fbt_row<R>(&self, index: usize, see: impl FnOnce(FbtRow<'_>) -> R) -> Option<R> {
        self.control.with(|control| {
            let probe = control.fbt.probes().get(index)?;
            Some(see(FbtRow {
                id: (index as u32).wrapping_add(1),
                address: probe.address,
                module: fbt::MODULE,
                function: control.fbt.function(probe),
                name: fbt::ENTRY,
                ecbs: probe.ecbs,
                armed: probe.armed,
            }))
        })
    }

    /// Shows the row of this index to `see`; nothing behind the last.
    pub fn refused_row<R>(&self, index: usize, see: impl FnOnce(RefusedRow<'_>) -> R) -> Option<R> {
        self.control.with(|control| {
            let refused = control.fbt.refused().get(index)?;
            Some(see(RefusedRow {
                address: refused.address,
                module: fbt::MODULE,
                function: control.fbt.refused_function(refused),
                reason: refused.reason,
            }))
        })
    }

    /// The row of this index; nothing behind the last.
    pub fn stats_row(&self, index: usize) -> Option<StatsRow> {
        let (name, value) = self
            .control
            .with(|Control { fbt, consumers }| match index {
                0 => Some(("consumers", consumers.iter().flatten().count() as u64)),
                1 => Some(("probes", fbt.probes().len() as u64)),
                2 => Some(("armed", armed(fbt))),
                3 => Some(("refused", fbt.refused().len() as u64)),
                4 => Some(("fired", self.cpus.iter().map(|cpu| cpu.fired()).sum())),
                5 => Some((
                    "recursions",
                    self.cpus.iter().map(|cpu| cpu.recursions()).sum(),
                )),
                _ => None,
            })?;
        Some(StatsRow { name, value })
    }
}

fn armed<T: Copy>(fbt: &Fbt<T>) -> u64 {
    fbt.probes().iter().filter(|probe| probe.armed).count() as u64
}
