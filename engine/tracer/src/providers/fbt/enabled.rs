//! The functions that somebody has enabled.
//!
//! There are fifty thousand, of which mostly a few are enabled. So there is a list of those, and of those that
//! were when their sites were last dealt with: whatever is armed, has a slot, or is in the live table is of one
//! of them.

use core::convert::Infallible;

use engine_isa::Arch;

use super::Fbt;
use super::function::Function;
use crate::grow::{OutOfMemory, push};
use crate::probe::Role;
use crate::site::Site;

impl<A: Arch> Fbt<A> {
    /// Room in the list for so many functions more than there are: what is enabled is listed also where there
    /// is no memory.
    pub(super) fn make_room(&mut self, more: usize) -> Result<(), OutOfMemory> {
        let all = self.functions.len().saturating_add(more);
        let missing = all.saturating_sub(self.enabled.len());
        let reserved = self.enabled.try_reserve(missing);
        reserved.map_err(|_| OutOfMemory)
    }

    /// Changes how many active ECBs a function's probe has; `by_call` says that they are of a consumer that would
    /// have the function tracer call.
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
            function.called = change(function.called);
        }
        if let Some(ecbs) = function.ecbs.get_mut(role as usize) {
            *ecbs = change(*ecbs);
        }
        // There is room.
        function.is_listed = function.is_listed || push(&mut self.enabled, number as u32).is_ok();
    }

    /// The list.
    pub fn listed(&self) -> &[u32] {
        &self.enabled
    }

    /// The live table that is being made has the function by that number, or not at all.
    pub fn set_live(&mut self, number: usize, place: Option<u32>) {
        if let Some(function) = self.functions.get_mut(number) {
            function.live = place;
        }
    }

    /// The list, the functions, and the sites to be dealt with.
    pub fn parts(&mut self) -> (&[u32], &mut [Function], &mut [Site<A>]) {
        (&self.enabled, &mut self.functions, &mut self.sites)
    }

    /// The sites of those functions.
    pub fn enabled(&self) -> impl Iterator<Item = (&Function, &Site<A>)> {
        let functions = self.enabled.iter();
        let functions = functions.filter_map(|number| self.functions.get(*number as usize));
        functions.flat_map(move |function| {
            let sites = function.sites();
            sites.filter_map(move |site| Some((function, self.sites.get(site)?)))
        })
    }

    /// Shows each of them to `visit`.
    pub fn each_enabled(&mut self, mut visit: impl FnMut(&Function, &mut Site<A>)) {
        let Ok(()) = self.try_each_enabled(|function, site| {
            visit(function, site);
            Ok::<(), Infallible>(())
        });
    }

    /// Shows each of them to `visit`, until something is wrong.
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

    /// How many probes somebody has enabled, of functions that are there, which are not armed.
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

    /// Takes from the list who is not enabled any more, and of whose sites nothing is left to be dealt with.
    pub fn tidy(&mut self) {
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

    /// Functions of which each has one site, its entry's.
    fn functions(count: u32) -> Fbt<Arm> {
        let mut fbt = Fbt::default();
        let name = Names::default().add(b"f").unwrap();
        fbt.make_room(count as usize).unwrap();
        for number in 0..count {
            let address = 0x1000 * (number as usize + 1);
            fbt.functions.push(Function {
                address,
                end: address + 8,
                name,
                module: 0,
                is_there: true,
                entry: Ok(number),
                is_entry_known: true,
                returns: Returns::Unasked { before: None },
                ecbs: [0; 2],
                called: 0,
                is_listed: false,
                live: None,
            });
            fbt.sites.push(Site {
                address,
                function: number,
                is_entry: true,
                leaves: None,
                text: [0; 4],
                call: None,
                is_called_only: false,
                is_taken: false,
                armed: false,
                slot: None,
                hits: 0,
            });
        }
        fbt
    }

    fn dealt_with(fbt: &Fbt<Arm>) -> Vec<u32> {
        fbt.enabled().map(|(_, site)| site.function).collect()
    }

    #[test]
    fn who_is_enabled_is_listed_until_nothing_is_left_of_it() {
        let mut fbt = functions(1000);
        for number in [7, 3, 7] {
            fbt.count_role(number, Role::Entry, false, &|ecbs| ecbs + 1);
        }
        fbt.tidy();
        assert_eq!(dealt_with(&fbt), [7, 3]);

        fbt.each_enabled(|_, site| site.armed = true);
        fbt.count_role(3, Role::Entry, false, &|ecbs| ecbs - 1);
        fbt.tidy();
        assert_eq!(dealt_with(&fbt), [7, 3], "it is still armed");
        fbt.each_enabled(|function, site| site.armed = function.wants(site));
        fbt.tidy();
        assert_eq!(dealt_with(&fbt), [7]);

        fbt.count_role(3, Role::Entry, false, &|ecbs| ecbs + 1);
        assert_eq!(dealt_with(&fbt), [7, 3]);
    }

    #[test]
    fn who_is_enabled_stays_listed_while_its_module_is_gone() {
        let mut fbt = functions(10);
        fbt.count_role(4, Role::Entry, false, &|ecbs| ecbs + 1);
        fbt.functions[4].is_there = false;
        fbt.tidy();
        assert_eq!(dealt_with(&fbt), [4]);
        let wanted = |fbt: &Fbt<_>| fbt.enabled().any(|(function, site)| function.wants(site));
        assert!(!wanted(&fbt));
        fbt.functions[4].is_there = true;
        assert!(wanted(&fbt));
    }

    #[test]
    fn there_is_room_for_all_functions_and_those_that_come() {
        let mut fbt = functions(10);
        (0..10).for_each(|number| fbt.count_role(number, Role::Return, false, &|_| 1));
        fbt.make_room(5).unwrap();
        assert_eq!(fbt.listed().len(), 10);
        assert!(fbt.enabled.capacity() >= 15);
    }
}
