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
mod function;
mod paths;
mod provide;
mod returns;

use alloc::vec::Vec;
use core::ops::Range;

use engine_isa::Arch;

use crate::probe::Role;
use crate::probe::glob::Pattern;
use crate::probe::names::Names;
use crate::site::Site;

pub use function::{Function, Module, Returns};
pub use provide::Loaded;

/// The provider's name.
pub const PROVIDER: &[u8] = b"fbt";
/// The kernel proper, as a module's name.
pub const KERNEL_NAME: &[u8] = b"vmlinux";

/// Which of a function's probes `pattern` can describe.
fn meant(pattern: &Pattern<'_>) -> impl Iterator<Item = Role> + Clone + use<> {
    let meant = Role::ALL.map(|role| pattern.has_kind(PROVIDER, role.name()).then_some(role));
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
    pub fn is_armed(&self, number: usize, role: Role) -> bool {
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
