//! The rows of `/proc/dtrace/fasttrap`: sites in processes.

use core::sync::atomic::Ordering;

use engine_isa::{Arch, Plan};

use super::{RefusedRow, StatsRow};
use crate::platform::{Lock, Platform, Rcu};
use crate::providers::pid::{Pid, Shown};
use crate::registry::Registry;
use crate::tracer::Tracer;

/// A row of `/proc/dtrace/fasttrap`: one site.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FasttrapRow<'a> {
    /// The process's ID.
    pub process: u32,
    /// The site's address.
    pub address: usize,
    /// The object.
    pub module: &'a [u8],
    /// The function; if several contain the instruction, the first in which it was probed.
    pub function: &'a [u8],
    /// The offset from that function's start.
    pub offset: usize,
    /// The active ECBs of all its probes, over all consumers.
    pub ecbs: u32,
    /// Whether the trap is in place.
    pub armed: bool,
    /// Hits so far, whether or not a clause ran.
    pub hits: u64,
    /// The displaced instruction's bytes.
    pub instruction: &'a [u8],
    /// How it is executed: `emulate` or `relocate`.
    pub plan: &'static str,
}

impl<A: Arch, P: Platform<Regs = A::Regs>> Tracer<A, P> {
    /// Passes the row at `index` to `see`; that is none where no row has this index, since a
    /// process that is gone leaves a gap. Past the end, returns none without calling `see`.
    pub fn fasttrap_row<R>(
        &self,
        index: usize,
        see: impl FnOnce(Option<FasttrapRow<'_>>) -> R,
    ) -> Option<R> {
        self.control.with(|control| {
            let pid = &control.registry.pid;
            let shown = (index < pid.sites()).then(|| pid.shown(index))?;
            Some(see(shown.map(|site| self.process_row(&site))))
        })
    }

    fn process_row<'a>(&self, shown: &Shown<'a, A>) -> FasttrapRow<'a> {
        let plan = A::plan(shown.text, A::KERNEL);
        let live_hits = self.live.read(|live| {
            let site = live.and_then(|live| live.pid.sites.find(shown.place));
            site.map_or(0, |site| site.hits.load(Ordering::Relaxed))
        });
        let (_, address) = shown.place;
        let [module, function] = shown.names;
        FasttrapRow {
            process: shown.process,
            address,
            module,
            function,
            offset: shown.offset,
            ecbs: shown.ecbs,
            armed: shown.is_armed,
            hits: shown.hits.wrapping_add(live_hits as u64),
            instruction: shown
                .text
                .as_ref()
                .get(..A::length(&plan))
                .unwrap_or_default(),
            plan: match plan {
                Plan::Emulate(_) => "emulate",
                Plan::Relocate(_) => "relocate",
                Plan::Refuse(_) => "refuse",
            },
        }
    }
}

/// The row of the refusal at `index`, from the oldest that is kept on.
pub fn refused_in_process<A: Arch>(registry: &Registry<A>, index: usize) -> Option<RefusedRow<'_>> {
    let refusal = registry.pid.refusals.get(index)?;
    let [module, function, name] = refusal.names();
    Some(RefusedRow {
        process: refusal.process,
        address: refusal.address,
        module,
        function,
        name,
        reason: refusal.reason,
    })
}

/// The counters of probes in processes.
pub fn process_stats<A: Arch>(pid: &Pid<A>) -> [StatsRow; 3] {
    let rows = [
        ("process_sites", pid.sites() as u64),
        ("process_refused", pid.refusals.len() as u64),
        ("process_refused_left_out", pid.refusals.left_out()),
    ];
    rows.map(|(name, value)| StatsRow { name, value })
}
