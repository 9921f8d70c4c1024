//! The function boundary tracing provider: an `entry` and a `return` probe for every function of
//! the kernel proper and of loaded modules.
//!
//! A **function** is a symbol of the kernel's table. Symbols that share an address count once,
//! under the name that the kernel lists first, which its own tracers and backtraces print. Each of
//! its two **probes** is on one or more **sites**: instructions that a trap can displace, or for an
//! entry also an ftrace call. Finding a function's exits takes a walk over its control flow, so
//! this is done when a consumer first asks for its `return`, and the result is kept.
//!
//! Everything but `fire` and [`live`] runs on the control path, under the control lock, and may
//! sleep. Walks over all functions reschedule between functions. [`live`] is immutable once
//! published. A trap or an ftrace call may come in any context; `fire` looks up its site and, for a
//! trap, executes the displaced instruction without the guard, and only the firing itself takes it.
//!
//! Functions keep their numbers when their module is unloaded, and get them back if the same module
//! is loaded again.

pub mod calls;
mod enabled;
mod fire;
mod function;
pub mod live;
mod on_demand;
mod paths;
mod provide;
mod returns;
mod walk_context;

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

/// The roles whose provider and probe name `pattern` matches.
fn matching_roles(pattern: &Pattern<'_>) -> impl Iterator<Item = Role> + Clone + use<> {
    let roles = Role::ALL.map(|role| pattern.has_kind(NAME, role.name()).then_some(role));
    roles.into_iter().flatten()
}

/// Returns `numbers`, or an empty range if `pattern` matches no fbt probe at all.
fn if_any_role_matches(pattern: &Pattern<'_>, numbers: Range<usize>) -> Range<usize> {
    let any_role = matching_roles(pattern).next().is_some();
    if any_role { numbers } else { 0..0 }
}

/// The provider's control side: all functions, and the sites known so far.
pub struct Fbt<A: Arch> {
    names: Names,
    modules: Vec<Module>,
    /// Grouped by module, each group ordered by address.
    functions: Vec<Function>,
    sites: Vec<Site<A>>,
    /// Numbers of the functions that arming and disarming must visit.
    enabled: Vec<u32>,
    /// Working memory for walks over control flow, kept for reuse.
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
    /// The functions, indexed by number; includes those of unloaded modules.
    pub fn functions(&self) -> &[Function] {
        &self.functions
    }

    /// The sites, indexed by number.
    pub fn sites(&self) -> &[Site<A>] {
        &self.sites
    }

    /// Names of a function's module and of the function.
    pub fn names_of(&self, function: &Function) -> [&[u8]; 2] {
        [self.module_of(function), self.names.get(function.name)]
    }

    fn module_of(&self, function: &Function) -> &[u8] {
        let module = self.modules.get(function.module as usize);
        module.map_or(&[], |module| self.names.get(module.name))
    }

    /// The probes that `pattern` matches, of the functions in `numbers`.
    pub fn described<'a>(
        &'a self,
        pattern: &'a Pattern<'_>,
        numbers: Range<usize>,
    ) -> impl Iterator<Item = (usize, Role)> + 'a {
        let named = if_any_role_matches(pattern, numbers)
            .filter(|number| self.matches_names(pattern, *number));
        let probes =
            named.flat_map(|number| matching_roles(pattern).map(move |role| (number, role)));
        probes.filter(|(number, role)| self.has(*number, *role))
    }

    /// Whether the function has this probe and `pattern` matches it.
    pub fn is_described(&self, pattern: &Pattern<'_>, number: usize, role: Role) -> bool {
        let is_described = |(_, described)| described == role;
        self.described(pattern, number..number.saturating_add(1))
            .any(is_described)
    }

    /// Whether `pattern` matches the function's module and name.
    fn matches_names(&self, pattern: &Pattern<'_>, number: usize) -> bool {
        let function = self.functions.get(number);
        // Function names differ more than module names, so they are compared first.
        function.is_some_and(|function| {
            pattern.has_function(self.names.get(function.name))
                && pattern.has_module(self.module_of(function))
        })
    }

    /// Whether the function is loaded and has this probe.
    pub fn has(&self, number: usize, role: Role) -> bool {
        let function = self.functions.get(number);
        function.is_some_and(|function| {
            function.is_loaded
                && match role {
                    Role::Entry => function.entry.is_ok(),
                    Role::Return => matches!(function.returns, Returns::Sites { .. }),
                }
        })
    }

    /// Whether all sites of this probe are armed.
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

    /// Memory taken by functions and sites, in bytes.
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
    /// Many times what a kernel has, built with every option and with all of its modules loaded.
    const PROBES_MAX: usize = 1 << 24;

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
        Ok(self.analyse_matching(platform, pattern, all)?)
    }

    fn numbers(&self) -> usize {
        self.functions.len().wrapping_mul(Role::ALL.len())
    }

    fn names(&self, number: usize) -> Option<[&[u8]; 3]> {
        let (function, role) = Role::of(number);
        let [module, name] = self.names_of(self.functions.get(function)?);
        Some([module, name, role.name()])
    }

    /// Compares each function's name once for both of its probes: there are too many for the
    /// default, which compares every probe.
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
        // `first` may be the return of the first of these functions.
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
