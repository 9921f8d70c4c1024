//! The rows of the files in `/proc/dtrace`. Each row is produced under the control lock.

mod fasttrap;
mod rows;

use core::sync::atomic::Ordering;

use engine_isa::{Arch, Plan};

use crate::control::Control;
use crate::fire::guard::Cpu;
use crate::fire::live::Live;
use crate::platform::{Lock, Platform, Rcu};
use crate::probe::Role;
use crate::providers::fbt::{Function, Returns};
use crate::registry::{Id, Probe, Registry};
use crate::session::Session;
use crate::site::Site;
use crate::site::reason::Reason;
use crate::tracer::Tracer;

use fasttrap::{process_stats, refused_in_process};

pub use rows::{FasttrapRow, FbtRow, RefusedRow, StatsRow, SyscallRow};

/// Number of counters besides those of probes in processes. All in one array would take too much
/// of a kernel stack.
const STATS: usize = 21;

impl<A: Arch, P: Platform<Regs = A::Regs>> Tracer<A, P> {
    /// Passes the row at `index` to `see`; that is none where no row has this index, since rows may
    /// have gaps. Past the end, returns none without calling `see`.
    pub fn fbt_row<R>(&self, index: usize, see: impl FnOnce(Option<FbtRow<'_>>) -> R) -> Option<R> {
        self.control.with(|control| {
            let fbt = &control.registry.fbt;
            let site = fbt.sites().get(index)?;
            let function = fbt.functions().get(site.function as usize);
            let row = function.filter(|function| function.is_loaded && is_used(function, index));
            Some(see(row.map(|function| self.row(control, site, function))))
        })
    }

    /// A site that is both entry and return is shown as its function's entry.
    fn row<'a>(
        &self,
        control: &'a Control<A>,
        site: &'a Site<A>,
        function: &'a Function,
    ) -> FbtRow<'a> {
        let role = if site.is_entry {
            Role::Entry
        } else {
            Role::Return
        };
        let [module, name] = control.registry.fbt.names_of(function);
        let plan = A::plan(&site.text, A::KERNEL);
        let displaced = site.text.as_ref().get(..A::length(&plan));
        let displaced = displaced.filter(|_| !site.ftrace_only);
        let live_hits = self.live.read(|live| {
            let site = live.and_then(|live| live.fbt.sites.find(site.hit_address()));
            site.map_or(0, |site| site.hits.load(Ordering::Relaxed))
        });
        FbtRow {
            id: Registry::<A>::id(Probe::new(Id::Fbt, role.probe_of(site.function as usize))),
            address: site.address,
            module,
            function: name,
            name: role.name(),
            ecbs: function.wanted(role),
            armed: site.armed,
            hits: site.hits.wrapping_add(live_hits as u64),
            instruction: displaced.unwrap_or_default(),
            plan: match plan {
                _ if site.ftrace_only || site.armed && site.call.is_some() => "ftrace",
                Plan::Emulate(_) => "emulate",
                Plan::Relocate(_) => "relocate",
                Plan::Refuse(_) => "refuse",
            },
        }
    }

    /// Passes the row at `index` to `see`; that is none where no row has this index, since rows may
    /// have gaps. Past the end, returns none without calling `see`.
    pub fn refused_row<R>(
        &self,
        index: usize,
        see: impl FnOnce(Option<RefusedRow<'_>>) -> R,
    ) -> Option<R> {
        self.control.with(|control| {
            let fbt = &control.registry.fbt;
            if let Some(index) = index.checked_sub(2 * fbt.functions().len()) {
                return Some(see(Some(refused_in_process(&control.registry, index)?)));
            }
            let function = fbt.functions().get(index / 2)?;
            let role = *Role::ALL.get(index & 1)?;
            let reason = refusal(function, role).filter(|_| function.is_loaded);
            let [module, name] = fbt.names_of(function);
            Some(see(reason.map(|reason| RefusedRow {
                process: 0,
                address: function.address,
                module,
                function: name,
                name: role.name(),
                reason,
            })))
        })
    }

    /// Passes the row at `index` to `see`; that is none where no row has this index, since rows may
    /// have gaps. Past the end, returns none without calling `see`.
    pub fn syscall_row<R>(
        &self,
        index: usize,
        see: impl FnOnce(Option<SyscallRow<'_>>) -> R,
    ) -> Option<R> {
        self.control.with(|control| {
            let registry = &control.registry;
            let call = registry.syscall.calls().get(index / 2)?;
            let (_, role) = Role::of(index);
            let [module, function] = registry.syscall.names_of(call);
            let probe = Probe::new(Id::Syscall, index);
            Some(see(call.has(role).then(|| SyscallRow {
                id: Registry::<A>::id(probe),
                number: call.key.number(),
                module,
                function,
                name: role.name(),
                ecbs: call.wanted(role),
                is_armed: registry.is_armed(probe),
            })))
        })
    }

    /// The row at `index`; none past the end.
    pub fn stats_row(&self, index: usize) -> Option<StatsRow> {
        self.control.with(|control| {
            let Some(index) = index.checked_sub(STATS) else {
                return self.stats(control).get(index).copied();
            };
            let rows = process_stats(&control.registry.pid);
            rows.get(index).copied()
        })
    }

    fn stats(&self, control: &Control<A>) -> [StatsRow; STATS] {
        let Registry { fbt, profile, .. } = &*control.registry;
        let slots = &control.slots;
        let armed = fbt.sites().iter().filter(|site| site.armed).count();
        let is_used = |(number, site): &(usize, &Site<_>)| {
            let function = fbt.functions().get(site.function as usize);
            function.is_some_and(|function| is_used(function, *number))
        };
        let sites = fbt.sites().iter().enumerate().filter(is_used).count();
        let timers = profile.timers().iter().filter(|timer| timer.armed);
        let has = |role| (0..fbt.functions().len()).filter(move |number| fbt.has(*number, role));
        let probes = Role::ALL.into_iter().flat_map(has).count();
        let refused = fbt.functions().iter().filter(|function| function.is_loaded);
        let refused = refused.flat_map(|it| Role::ALL.map(|role| refusal(it, role)));
        let live_bytes = self.live.read(|live| live.map_or(0, Live::bytes));
        let rows = [
            (
                "consumers",
                control.consumers.iter().flatten().count() as u64,
            ),
            ("probes", probes as u64),
            ("sites", sites as u64),
            ("site_bytes", fbt.bytes().wrapping_add(live_bytes) as u64),
            ("armed", armed as u64),
            ("unarmed", fbt.unarmed() as u64),
            ("slots", slots.used() as u64),
            ("slot_bytes", slots.bytes::<P>() as u64),
            ("refused", refused.flatten().count() as u64),
            ("incomplete", control.incomplete),
            ("fired", self.cpus.iter().map(Cpu::fired).sum()),
            ("recursions", self.cpus.iter().map(Cpu::recursions).sum()),
            ("stack_drops", self.cpus.iter().map(Cpu::stack_drops).sum()),
            ("stalled", self.stalled.load(Ordering::Relaxed) as u64),
            ("silent", self.silent.load(Ordering::Relaxed) as u64),
            ("timers", timers.count() as u64),
            ("lost_returns", self.in_flight.lost()),
            ("unmarked_processes", self.once.unmarked()),
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

    /// Sums `count` over all sessions.
    fn sum(&self, count: impl Fn(&Session<P>) -> u64) -> u64 {
        let sessions = 0..self.sessions.len();
        sessions
            .filter_map(|number| self.with_session(number, &count))
            .sum()
    }
}

/// Whether the function still uses the site of this number; a stale one remains after its module
/// was reloaded.
fn is_used(function: &Function, number: usize) -> bool {
    function.sites().any(|site| site == number)
}

/// Why the function's probe was refused; none if it was not, or if the function has not been walked
/// for its returns yet.
fn refusal(function: &Function, role: Role) -> Option<Reason> {
    match (role, function.returns) {
        (Role::Entry, _) => function.entry.err(),
        (Role::Return, Returns::Refused(reason)) => Some(reason),
        (Role::Return, _) => None,
    }
}
