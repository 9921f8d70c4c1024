//! The pid provider: probes at the instructions of processes.
//!
//! A consumer names a function of a process by its extent; the symbols are read by the command,
//! which is not trusted: what it names is walked and planned here, and a wrong extent can only harm
//! the process, which the consumer may trace. `entry` is at the first instruction, `return` at each
//! one by which control leaves the function, and a hexadecimal offset at the instruction there.
//!
//! A **site** is an instruction of one address space, and may belong to several probes. Its trap is
//! written into a private copy of the page, its slot lies in a page mapped near it. Sites and probes
//! keep their numbers until no consumer is open, since ECBs refer to them.
//!
//! Everything but [`fire`] and [`live`] runs under the control lock and may sleep. The order is that
//! of `arm`: text is restored ([`Provider::disarm`]) before the live table forgets a site, slots are
//! written ([`Provider::prepare`]) before it names one, and traps ([`Provider::arm`]) come last. An
//! address space that is gone has no text: its sites count as disarmed.

mod arm;
mod body;
mod bound;
mod create;
pub mod fire;
pub mod held;
mod linker;
pub mod live;
mod lookup;
mod process;
mod refusals;
mod semaphores;
mod show;
mod slots;
#[cfg(test)]
mod tests;
mod usdt;

use alloc::vec::Vec;
use core::ops::Range;

use engine_abi::Operand;
use engine_isa::body::Leaves;
use engine_isa::{Arch, Planned};

use super::Provider;
use super::subscriptions::Subscriptions;
use crate::fire::table::Table;
use crate::grow::OutOfMemory;
use crate::platform::{Platform, ProbeMemory, UserPatch};
use crate::probe::glob::Pattern;
use crate::probe::names::{Names, Span};

pub use create::Created;
pub use fire::{Fired, Hit};
use linker::Hook;
use lookup::Indexes;
use process::Process;
pub use refusals::Refusals;
use semaphores::Semaphore;
pub use show::Shown;
use usdt::Note;

/// Limit of probes.
const PROBES_MAX: usize = 1 << 22;

/// What of a function a probe is at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// Its first instruction.
    Entry,
    /// Each instruction that leaves it.
    Return,
    /// The instruction at this offset.
    Offset(u32),
    /// Instructions that the program names. The probe's provider has this name.
    Usdt(Span),
}

/// A function of a process.
#[derive(Debug)]
struct Function {
    process: u32,
    module: Span,
    name: Span,
    address: usize,
    size: usize,
    /// Whether it has been unmapped.
    is_gone: bool,
}

/// A probe.
#[derive(Debug)]
struct Probe {
    function: u32,
    kind: Kind,
    name: Span,
    /// Its places, by number.
    uses: Range<u32>,
    /// Active ECBs, over all consumers.
    ecbs: u32,
    /// Index in the live table's list of this provider's probes; none if it is not enabled.
    live: Option<u32>,
}

/// A site, as the control path sees it.
struct Site<A: Arch> {
    process: u32,
    /// The first function in which it was probed.
    function: u32,
    address: usize,
    /// How its text is encoded.
    mode: A::Mode,
    /// The text that was planned for, which the trap displaces.
    text: A::Text,
    /// Whether the trap is in place.
    is_armed: bool,
    /// Address of its slot, if it has one.
    slot: Option<usize>,
    /// Number of active ECBs of its probes, and of consumers that watch it; computed whenever
    /// something is armed or disarmed.
    ecbs: u32,
    /// Whether consumers watch it, for which threads wait.
    is_hook: bool,
    /// Hits counted in live tables that have been replaced.
    hits: u64,
}

impl<A: Arch> Site<A> {
    fn plan(&self) -> Planned<A> {
        A::plan(&self.text, self.mode)
    }

    /// The length of its instruction in bytes.
    fn length(&self) -> usize {
        A::length(&self.plan())
    }

    /// The breakpoint that replaces its instruction, or the first bytes of it.
    fn trap(&self) -> &'static [u8] {
        A::trap(self.mode, self.length())
    }
}

/// A probe's place at a site.
#[derive(Debug, Clone, Copy)]
struct Use {
    site: u32,
    /// How the instruction leaves the function, for a `return` probe.
    leaves: Option<Leaves>,
    /// The number of what the program says of the place, for a probe that it names.
    note: Option<u32>,
}

/// The provider's control side.
pub struct Pid<A: Arch> {
    names: Names,
    processes: Vec<Process>,
    functions: Vec<Function>,
    probes: Vec<Probe>,
    sites: Vec<Site<A>>,
    /// The sites' numbers; ordered by process and address when text is written.
    order: Vec<u32>,
    indexes: Indexes,
    /// Grouped by probe.
    uses: Vec<Use>,
    notes: Vec<Note>,
    /// Grouped by note.
    operands: Vec<Operand>,
    semaphores: Vec<Semaphore>,
    /// The linkers that consumers watch.
    hooks: Vec<Hook>,
    /// Text writes under construction. Its capacity is reserved when sites are created, as
    /// restoring text must not need memory.
    patches: Vec<UserPatch>,
    /// The bounds at the last request.
    bounds: ProbeMemory,
    /// What all probes are charged with, in bytes.
    taken: usize,
    /// The last refusals.
    pub refusals: Refusals,
    /// Working memory for walks, kept for reuse.
    memory: Vec<u64>,
}

impl<A: Arch> Pid<A> {
    /// Without probes. `seed` is one that processes cannot predict.
    fn new(seed: u64) -> Self {
        Self {
            names: Names::default(),
            processes: Vec::new(),
            functions: Vec::new(),
            probes: Vec::new(),
            sites: Vec::new(),
            order: Vec::new(),
            indexes: Indexes::new(seed),
            uses: Vec::new(),
            notes: Vec::new(),
            operands: Vec::new(),
            semaphores: Vec::new(),
            hooks: Vec::new(),
            patches: Vec::new(),
            bounds: ProbeMemory::ENDLESS,
            taken: 0,
            refusals: Refusals::default(),
            memory: Vec::new(),
        }
    }

    fn function_of(&self, number: usize) -> Option<&Function> {
        let probe = self.probes.get(number)?;
        self.functions.get(probe.function as usize)
    }

    fn process_of(&self, number: usize) -> Option<&Process> {
        let function = self.function_of(number)?;
        self.processes.get(function.process as usize)
    }

    fn uses_of(&self, probe: &Probe) -> &[Use] {
        let uses = probe.uses.start as usize..probe.uses.end as usize;
        self.uses.get(uses).unwrap_or_default()
    }
}

impl<A: Arch> Provider<A> for Pid<A> {
    const NAME: &'static [u8] = b"pid";
    const PROBES_MAX: usize = PROBES_MAX;

    type Live = live::Live<A>;

    fn provide<P: Platform>(platform: &P) -> Result<Self, OutOfMemory> {
        Ok(Self::new(platform.with_irqs_off(|| platform.random())))
    }

    fn numbers(&self) -> usize {
        self.probes.len()
    }

    fn provider(&self, number: usize) -> &[u8] {
        let own = match self.probes.get(number).map(|probe| probe.kind) {
            Some(Kind::Usdt(provider)) => Some(provider),
            _ => self.process_of(number).map(|process| process.name),
        };
        own.map_or(&[], |name| self.names.get(name))
    }

    fn names(&self, number: usize) -> Option<[&[u8]; 3]> {
        let probe = self.probes.get(number)?;
        let function = self.function_of(number)?;
        Some([function.module, function.name, probe.name].map(|name| self.names.get(name)))
    }

    /// A process that is gone has no probes, nor has a function.
    fn matching<'a>(
        &'a self,
        pattern: &'a Pattern<'_>,
        first: usize,
    ) -> impl Iterator<Item = usize> + 'a
    where
        A: 'a,
    {
        (first..self.probes.len()).filter(move |number| {
            let is_open = self.process_of(*number).is_some_and(Process::is_open);
            let function = self.function_of(*number);
            is_open
                && function.is_some_and(|function| !function.is_gone)
                && self.names(*number).is_some_and(|[module, function, name]| {
                    pattern.describes([self.provider(*number), module, function, name])
                })
        })
    }

    fn count(&mut self, number: usize, _: bool, change: &dyn Fn(u32) -> u32) {
        if let Some(probe) = self.probes.get_mut(number) {
            probe.ecbs = change(probe.ecbs);
        }
    }

    fn is_armed(&self, number: usize, _: &Subscriptions) -> bool {
        let is_armed = |one: &Use| {
            let site = self.sites.get(one.site as usize);
            site.is_some_and(|site| site.is_armed) && self.is_announced(one.note)
        };
        let probe = self.probes.get(number);
        probe.is_some_and(|probe| self.uses_of(probe).iter().all(is_armed))
    }

    fn disarm<P: Platform>(&mut self, platform: &P, _: u32) {
        self.order_sites();
        self.count_sites();
        self.forget_gone(platform);
        self.restore(platform);
        self.lower_semaphores(platform);
    }

    fn prepare<P: Platform>(&mut self, platform: &P) -> Result<(), OutOfMemory> {
        self.assign_slots(platform)
    }

    fn arm<P: Platform>(&mut self, platform: &P, _: u32) {
        self.release_slots(platform);
        self.write_traps(platform);
        self.raise_semaphores(platform);
    }

    fn publish(&mut self, table: &mut Table) -> Result<Self::Live, OutOfMemory> {
        live::Live::of(self, table)
    }

    fn place(&self, live: &Self::Live, number: usize) -> Option<u32> {
        let place = self.probes.get(number)?.live?;
        live.table_index(place)
    }
}
