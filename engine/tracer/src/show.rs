//! What `/proc/dtrace` shows, row by row.

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

/// A row of `/proc/dtrace/fbt`: a site of a probe.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FbtRow<'a> {
    /// The probe's ID.
    pub id: u32,
    /// The site's address.
    pub address: usize,
    /// The probe's module.
    pub module: &'a [u8],
    /// Its function.
    pub function: &'a [u8],
    /// Its name.
    pub name: &'a [u8],
    /// Its active ECBs.
    pub ecbs: u32,
    /// Whether the text is patched.
    pub armed: bool,
    /// How often it was hit.
    pub hits: u64,
    /// The instruction there.
    pub instruction: &'a [u8],
    /// How the engine stands in for it.
    pub plan: &'static str,
}

/// A row of `/proc/dtrace/refused` and of `/proc/dtrace/toxic`: a probe that there is not.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RefusedRow<'a> {
    /// The function's address.
    pub address: usize,
    /// Its module.
    pub module: &'a [u8],
    /// Its name.
    pub function: &'a [u8],
    /// The name that the probe would have.
    pub name: &'a [u8],
    /// Why it is not there.
    pub reason: Reason,
}

/// A row of `/proc/dtrace/syscall`: a probe of a system call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SyscallRow<'a> {
    /// The probe's ID.
    pub id: u32,
    /// The call's number.
    pub number: u32,
    /// Its ABI.
    pub module: &'a [u8],
    /// Its name.
    pub function: &'a [u8],
    /// The probe's name.
    pub name: &'a [u8],
    /// The probe's active ECBs.
    pub ecbs: u32,
    /// Whether the kernel tells of it, for whosever sake.
    pub told: bool,
}

/// A row of `/proc/dtrace/stats`: something counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct StatsRow {
    /// What is counted.
    pub name: &'static str,
    /// How many.
    pub value: u64,
}

impl<A: Arch, P: Platform<Regs = A::Regs>> Tracer<A, P> {
    /// Shows the row of this index to `see`; nothing behind the last. `see` gets nothing where no row has
    /// this index.
    pub fn fbt_row<R>(&self, index: usize, see: impl FnOnce(Option<FbtRow<'_>>) -> R) -> Option<R> {
        self.control.with(|control| {
            let fbt = &control.registry.fbt;
            let site = fbt.sites().get(index)?;
            let function = fbt.functions().get(site.function as usize);
            let row = function.filter(|function| function.is_there && is_used(function, index));
            Some(see(row.map(|function| self.row(control, site, function))))
        })
    }

    /// A site that is both is shown as its function's entry.
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
        let [module, name] = control.registry.fbt.called(function);
        let plan = A::plan(&site.text, A::KERNEL);
        let displaced = site.text.as_ref().get(..A::length(&plan));
        let displaced = displaced.filter(|_| !site.is_called_only);
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
                _ if site.is_called_only || site.armed && site.call.is_some() => "ftrace",
                Plan::Emulate(_) => "emulate",
                Plan::Relocate(_) => "relocate",
                Plan::Refuse(_) => "refuse",
            },
        }
    }

    /// Shows the row of this index to `see`; nothing behind the last. `see` gets nothing where no row has
    /// this index.
    pub fn refused_row<R>(
        &self,
        index: usize,
        see: impl FnOnce(Option<RefusedRow<'_>>) -> R,
    ) -> Option<R> {
        self.control.with(|control| {
            let fbt = &control.registry.fbt;
            let function = fbt.functions().get(index / 2)?;
            let role = *Role::ALL.get(index & 1)?;
            let reason = refusal(function, role).filter(|_| function.is_there);
            let [module, name] = fbt.called(function);
            Some(see(reason.map(|reason| RefusedRow {
                address: function.address,
                module,
                function: name,
                name: role.name(),
                reason,
            })))
        })
    }

    /// Shows the row of this index to `see`; nothing behind the last. `see` gets nothing where no row has
    /// this index.
    pub fn syscall_row<R>(
        &self,
        index: usize,
        see: impl FnOnce(Option<SyscallRow<'_>>) -> R,
    ) -> Option<R> {
        self.control.with(|control| {
            let registry = &control.registry;
            let call = registry.syscall.calls().get(index / 2)?;
            let (_, role) = Role::of(index);
            let [module, function] = registry.syscall.called(call);
            let probe = Probe::new(Id::Syscall, index);
            Some(see(call.has(role).then(|| SyscallRow {
                id: Registry::<A>::id(probe),
                number: call.key.number(),
                module,
                function,
                name: role.name(),
                ecbs: call.wanted(role),
                told: registry.is_armed(probe),
            })))
        })
    }

    /// The row of this index; nothing behind the last.
    pub fn stats_row(&self, index: usize) -> Option<StatsRow> {
        self.control
            .with(|control| self.stats(control).get(index).copied())
    }

    fn stats(&self, control: &Control<A>) -> [StatsRow; 21] {
        let Registry { fbt, profile, .. } = &control.registry;
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
        let refused = fbt.functions().iter().filter(|function| function.is_there);
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

    /// The sum of something over all sessions.
    fn sum(&self, count: impl Fn(&Session<P>) -> u64) -> u64 {
        let sessions = 0..self.sessions.len();
        sessions
            .filter_map(|number| self.with_session(number, &count))
            .sum()
    }
}

/// Whether the function's site of this number is one of a probe still.
fn is_used(function: &Function, number: usize) -> bool {
    function.sites().any(|site| site == number)
}

/// Why a function does not have that probe, as far as is known.
fn refusal(function: &Function, role: Role) -> Option<Reason> {
    match (role, function.returns) {
        (Role::Entry, _) => function.entry.err(),
        (Role::Return, Returns::Refused(reason)) => Some(reason),
        (Role::Return, _) => None,
    }
}
