//! The function boundary tracing provider: of every function of the kernel proper and of loaded modules
//! a probe at its entry, and one at every way out of it.
//!
//! A **function** is what the kernel lists; those that share an address count once, under the name that
//! is listed first, the one that the kernel's own tracers and backtraces print. It has two **probes**,
//! `entry` and `return`. A probe is on one or more **sites**: instructions that a trap can displace. Where
//! a function leaves is found by walking over it, which takes time; so that is done when somebody first
//! asks for its `return`, and is remembered.

mod around;
mod ask;
pub mod calls;
mod enabled;
mod fire;
mod function;
pub mod live;
mod paths;
mod provide;
mod returns;

use alloc::vec::Vec;
use core::ops::Range;

use engine_isa::Arch;

use super::Provider;
use super::subscriptions::Subscriptions;
use crate::error::Error;
use crate::fire::table::Table;
use crate::grow::OutOfMemory;
use crate::platform::Platform;
use crate::probe::Role;
use crate::probe::glob::Pattern;
use crate::probe::names::Names;
use crate::site::Site;

pub use fire::Fired;
pub use function::{Function, Module, Returns};
pub use provide::Loaded;

/// The provider's name.
const NAME: &[u8] = b"fbt";

/// Which of a function's probes `pattern` can describe.
fn meant(pattern: &Pattern<'_>) -> impl Iterator<Item = Role> + Clone + use<> {
    let meant = Role::ALL.map(|role| pattern.has_kind(NAME, role.name()).then_some(role));
    meant.into_iter().flatten()
}

/// These numbers of functions, or none where `pattern` describes no probe of any function.
fn if_meant(pattern: &Pattern<'_>, numbers: Range<usize>) -> Range<usize> {
    let is_any_meant = meant(pattern).next().is_some();
    if is_any_meant { numbers } else { 0..0 }
}

/// All functions, and the sites that are known.
pub struct Fbt<A: Arch> {
    names: Names,
    modules: Vec<Module>,
    /// Those of a module lie together, in the order of their addresses.
    functions: Vec<Function>,
    sites: Vec<Site<A>>,
    /// The numbers of those that are dealt with when something is armed or disarmed.
    enabled: Vec<u32>,
    /// What a walk works on.
    memory: Vec<u64>,
}

impl<A: Arch> Default for Fbt<A> {
    fn default() -> Self {
        Self {
            names: Names::default(),
            modules: Vec::new(),
            functions: Vec::new(),
            sites: Vec::new(),
            enabled: Vec::new(),
            memory: Vec::new(),
        }
    }
}

impl<A: Arch> Fbt<A> {
    /// The functions, by their numbers; some of modules that are gone among them.
    pub fn functions(&self) -> &[Function] {
        &self.functions
    }

    /// The sites.
    pub fn sites(&self) -> &[Site<A>] {
        &self.sites
    }

    /// A function's module and its name.
    pub fn called(&self, function: &Function) -> [&[u8]; 2] {
        [self.module_of(function), self.names.get(function.name)]
    }

    fn module_of(&self, function: &Function) -> &[u8] {
        let module = self.modules.get(function.module as usize);
        module.map_or(&[], |module| self.names.get(module.name))
    }

    /// The probes of the functions of these numbers that `pattern` describes.
    pub fn described<'a>(
        &'a self,
        pattern: &'a Pattern<'_>,
        numbers: Range<usize>,
    ) -> impl Iterator<Item = (usize, Role)> + 'a {
        let placed = if_meant(pattern, numbers).filter(|number| self.is_placed(pattern, *number));
        let probes = placed.flat_map(|number| meant(pattern).map(move |role| (number, role)));
        probes.filter(|(number, role)| self.has(*number, *role))
    }

    /// Whether the function of that number has that probe, and `pattern` describes it.
    pub fn is_described(&self, pattern: &Pattern<'_>, number: usize, role: Role) -> bool {
        let is_described = |(_, described)| described == role;
        self.described(pattern, number..number.saturating_add(1))
            .any(is_described)
    }

    /// Whether `pattern` can describe a probe of the function of that number, by its names.
    fn is_placed(&self, pattern: &Pattern<'_>, number: usize) -> bool {
        let function = self.functions.get(number);
        // There are far more functions than modules, so most are told by their own names.
        function.is_some_and(|function| {
            pattern.has_function(self.names.get(function.name))
                && pattern.has_module(self.module_of(function))
        })
    }

    /// Whether the function of that number has that probe.
    pub fn has(&self, number: usize, role: Role) -> bool {
        let function = self.functions.get(number);
        function.is_some_and(|function| {
            function.is_there
                && match role {
                    Role::Entry => function.entry.is_ok(),
                    Role::Return => matches!(function.returns, Returns::Sites { .. }),
                }
        })
    }

    /// Whether all sites of that probe are armed.
    fn has_armed(&self, number: usize, role: Role) -> bool {
        let Some(function) = self
            .functions
            .get(number)
            .filter(|_| self.has(number, role))
        else {
            return false;
        };
        let is_armed = |site: u32| self.sites.get(site as usize).is_some_and(|site| site.armed);
        match role {
            Role::Entry => function.entry.is_ok_and(is_armed),
            Role::Return => function.exits().all(is_armed),
        }
    }

    /// How many bytes all that is known of functions and sites takes.
    pub fn bytes(&self) -> usize {
        let functions = self
            .functions
            .capacity()
            .wrapping_mul(size_of::<Function>());
        let sites = self.sites.capacity().wrapping_mul(size_of::<Site<A>>());
        let walk = self.memory.capacity().wrapping_mul(size_of::<u64>());
        let enabled = self.enabled.capacity().wrapping_mul(size_of::<u32>());
        [functions, sites, enabled, walk, self.names.len()]
            .into_iter()
            .sum()
    }
}

impl<A: Arch> Provider<A> for Fbt<A> {
    const NAME: &'static [u8] = NAME;
    const PROBES_MAX: usize = usize::MAX;

    type Live = live::Live<A>;

    fn provide<P: Platform>(platform: &P) -> Result<Self, OutOfMemory> {
        Self::of_kernel(platform)
    }

    fn on_demand<P: Platform>(
        &mut self,
        platform: &P,
        pattern: &Pattern<'_>,
        _: &dyn Fn(usize) -> bool,
    ) -> Result<(), Error> {
        let all = 0..self.functions.len();
        Ok(self.ask(platform, pattern, all)?)
    }

    fn numbers(&self) -> usize {
        self.functions.len().wrapping_mul(Role::ALL.len())
    }

    fn names(&self, number: usize) -> Option<[&[u8]; 3]> {
        let (function, role) = Role::of(number);
        let [module, name] = self.called(self.functions.get(function)?);
        Some([module, name, role.name()])
    }

    /// There are far more functions than can be held against a pattern one probe at a time.
    fn matching<'a>(
        &'a self,
        pattern: &'a Pattern<'_>,
        first: usize,
    ) -> impl Iterator<Item = usize> + 'a
    where
        A: 'a,
    {
        let (function, _) = Role::of(first);
        let described = self.described(pattern, function..self.functions.len());
        let numbers = described.map(|(function, role)| role.probe_of(function));
        // The first of these functions can have a probe of a lower number.
        numbers.skip_while(move |number| *number < first)
    }

    fn count(&mut self, number: usize, by_call: bool, change: &dyn Fn(u32) -> u32) {
        let (function, role) = Role::of(number);
        self.count_role(function, role, by_call, change);
    }

    fn is_armed(&self, number: usize, _: &Subscriptions) -> bool {
        let (function, role) = Role::of(number);
        self.has_armed(function, role)
    }

    fn publish(&mut self, table: &mut Table) -> Result<live::Live<A>, OutOfMemory> {
        live::Live::of(self, table)
    }

    fn place(&self, live: &live::Live<A>, number: usize) -> Option<u32> {
        let (function, role) = Role::of(number);
        let function = live.function(self.functions.get(function)?.live?)?;
        function.probes.get(role as usize).copied()
    }
}
