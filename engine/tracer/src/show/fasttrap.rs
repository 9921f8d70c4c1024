//! The rows of `/proc/dtrace/fasttrap`: sites in processes.

use core::sync::atomic::Ordering;

use engine_isa::{Arch, Plan};

use super::rows::{FasttrapRow, RefusedRow, StatsRow};
use crate::platform::{Lock, Platform, Rcu};
use crate::providers::pid::{Pid, Shown};
use crate::registry::Registry;
use crate::tracer::Tracer;

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
        let plan = A::plan(shown.text, shown.mode);
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
pub fn process_stats<A: Arch>(pid: &Pid<A>) -> [StatsRow; 4] {
    let rows = [
        ("process_sites", pid.sites() as u64),
        ("process_bytes", pid.bytes() as u64),
        ("process_refused", pid.refusals.len() as u64),
        ("process_refused_left_out", pid.refusals.left_out()),
    ];
    rows.map(|(name, value)| StatsRow { name, value })
}
