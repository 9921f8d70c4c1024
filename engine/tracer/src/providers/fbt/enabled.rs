//! The list of functions that arming and disarming must visit.
//!
//! Of some fifty thousand functions only a few are usually enabled. The list holds those, and those
//! that were enabled when their sites were last updated: every function that has an armed site or a
//! slot, or is in the live table, is on it.

use core::convert::Infallible;

use engine_isa::Arch;

use super::Fbt;
use super::function::Function;
use crate::grow::{OutOfMemory, push};
use crate::probe::Role;
use crate::site::Site;

impl<A: Arch> Fbt<A> {
    /// Reserves list capacity for all functions and `more`, so that enabling and disabling never
    /// allocate.
    pub(super) fn reserve_enabled(&mut self, more: usize) -> Result<(), OutOfMemory> {
        let all = self.functions.len().saturating_add(more);
        let missing = all.saturating_sub(self.enabled.len());
        let reserved = self.enabled.try_reserve(missing);
        reserved.map_err(|_| OutOfMemory)
    }

    /// Applies `change` to a probe's count of active ECBs; `by_call` says that they belong to a
    /// consumer that prefers ftrace calls to traps.
    pub(super) fn count_role(
        &mut self,
        number: usize,
        role: Role,
        by_call: bool,
        change: &dyn Fn(u32) -> u32,
    ) {
        let Some(function) = self.functions.get_mut(number) else {
            return;
        };
        if by_call && role == Role::Entry {
            function.call_ecbs = change(function.call_ecbs);
        }
        if let Some(ecbs) = function.ecbs.get_mut(role as usize) {
            *ecbs = change(*ecbs);
        }
        // Within the reserved capacity.
        function.is_listed = function.is_listed || push(&mut self.enabled, number as u32).is_ok();
    }

    /// The listed functions' numbers.
    pub fn listed(&self) -> &[u32] {
        &self.enabled
    }

    /// Sets the function's index in the live table under construction; none if it is not in it.
    pub fn set_live(&mut self, number: usize, place: Option<u32>) {
        if let Some(function) = self.functions.get_mut(number) {
            function.live = place;
        }
    }

    /// Borrows the list, the functions and the sites at once.
    pub fn parts(&mut self) -> (&[u32], &mut [Function], &mut [Site<A>]) {
        (&self.enabled, &mut self.functions, &mut self.sites)
    }

    /// The sites of the listed functions.
    pub fn enabled(&self) -> impl Iterator<Item = (&Function, &Site<A>)> {
        let functions = self.enabled.iter();
        let functions = functions.filter_map(|number| self.functions.get(*number as usize));
        functions.flat_map(move |function| {
            let sites = function.sites();
            sites.filter_map(move |site| Some((function, self.sites.get(site)?)))
        })
    }

    /// Calls `visit` for each site of the listed functions.
    pub fn each_enabled(&mut self, mut visit: impl FnMut(&Function, &mut Site<A>)) {
        let Ok(()) = self.try_each_enabled(|function, site| {
            visit(function, site);
            Ok::<(), Infallible>(())
        });
    }

    /// Like [`Fbt::each_enabled`], but stops at the first error.
    pub fn try_each_enabled<E>(
        &mut self,
        mut visit: impl FnMut(&Function, &mut Site<A>) -> Result<(), E>,
    ) -> Result<(), E> {
        for number in &self.enabled {
            let Some(function) = self.functions.get(*number as usize) else {
                continue;
            };
            for site in function.sites() {
                if let Some(site) = self.sites.get_mut(site) {
                    visit(function, site)?;
                }
            }
        }
        Ok(())
    }

    /// Number of probes of loaded functions that have active ECBs and are not armed.
    pub fn unarmed(&self) -> usize {
        let numbers = self.enabled.iter().map(|number| *number as usize);
        let probes = numbers.flat_map(|number| Role::ALL.map(|role| (number, role)));
        let is_unarmed = |(number, role): &(usize, Role)| {
            let function = self.functions.get(*number);
            let is_wanted = function.is_some_and(|function| function.wanted(*role) > 0);
            is_wanted && !self.has_armed(*number, *role)
        };
        probes.filter(is_unarmed).count()
    }

    /// Removes functions that are not enabled and have no armed site or slot left.
    pub fn prune_enabled(&mut self) {
        let Self {
            enabled,
            functions,
            sites,
            ..
        } = self;
        let is_left = |site: usize| {
            let site = sites.get(site);
            site.is_some_and(|site| site.armed || site.slot.is_some())
        };
        enabled.retain(|number| {
            let Some(function) = functions.get_mut(*number as usize) else {
                return false;
            };
            function.is_listed = function.is_enabled() || function.sites().any(is_left);
            if !function.is_listed {
                function.live = None;
            }
            function.is_listed
        });
    }
}

#[cfg(test)]
mod tests {
    use std::vec::Vec;

    use engine_isa::arm::Arm;

    use super::*;
    use crate::probe::names::Names;
    use crate::providers::fbt::function::Returns;

    /// Functions with a single site each, their entry's.
    fn functions(count: u32) -> Fbt<Arm> {
        let mut fbt = Fbt::default();
        let name = Names::default().add(b"f").unwrap();
        fbt.reserve_enabled(count as usize).unwrap();
        for number in 0..count {
            let address = 0x1000 * (number as usize + 1);
            fbt.functions.push(Function {
                address,
                end: address + 8,
                name,
                module: 0,
                is_loaded: true,
                entry: Ok(number),
                is_entry_known: true,
                returns: Returns::Unknown { before: None },
                ecbs: [0; 2],
                call_ecbs: 0,
                is_listed: false,
                live: None,
            });
            fbt.sites.push(Site {
                is_entry: true,
                ..Site::new(address, number, [0; 4])
            });
        }
        fbt
    }

    fn listed_sites(fbt: &Fbt<Arm>) -> Vec<u32> {
        fbt.enabled().map(|(_, site)| site.function).collect()
    }

    #[test]
    fn functions_stay_listed_while_armed() {
        let mut fbt = functions(1000);
        for number in [7, 3, 7] {
            fbt.count_role(number, Role::Entry, false, &|ecbs| ecbs + 1);
        }
        fbt.prune_enabled();
        assert_eq!(listed_sites(&fbt), [7, 3]);

        fbt.each_enabled(|_, site| site.armed = true);
        fbt.count_role(3, Role::Entry, false, &|ecbs| ecbs - 1);
        fbt.prune_enabled();
        assert_eq!(listed_sites(&fbt), [7, 3], "it is still armed");
        fbt.each_enabled(|function, site| site.armed = function.wants(site));
        fbt.prune_enabled();
        assert_eq!(listed_sites(&fbt), [7]);

        fbt.count_role(3, Role::Entry, false, &|ecbs| ecbs + 1);
        assert_eq!(listed_sites(&fbt), [7, 3]);
    }

    #[test]
    fn enabled_functions_stay_listed_while_unloaded() {
        let mut fbt = functions(10);
        fbt.count_role(4, Role::Entry, false, &|ecbs| ecbs + 1);
        fbt.functions[4].is_loaded = false;
        fbt.prune_enabled();
        assert_eq!(listed_sites(&fbt), [4]);
        let wanted = |fbt: &Fbt<_>| fbt.enabled().any(|(function, site)| function.wants(site));
        assert!(!wanted(&fbt));
        fbt.functions[4].is_loaded = true;
        assert!(wanted(&fbt));
    }

    #[test]
    fn capacity_covers_all_functions() {
        let mut fbt = functions(10);
        (0..10).for_each(|number| fbt.count_role(number, Role::Return, false, &|_| 1));
        fbt.reserve_enabled(5).unwrap();
        assert_eq!(fbt.listed().len(), 10);
        assert!(fbt.enabled.capacity() >= 15);
    }
}
