//! Analysis of functions on demand, when a consumer first asks for one of their probes.

use core::ops::Range;

use engine_isa::Arch;

use super::{Fbt, if_any_role_matches, matching_roles};
use crate::grow::OutOfMemory;
use crate::platform::Platform;
use crate::probe::Role;
use crate::probe::glob::Pattern;
use crate::site::reason::Reason;

impl<A: Arch> Fbt<A> {
    /// Analyses the functions in `numbers` whose probes `pattern` matches, as far as that has not
    /// been done.
    pub fn analyse_matching<P: Platform>(
        &mut self,
        platform: &P,
        pattern: &Pattern<'_>,
        numbers: Range<usize>,
    ) -> Result<(), OutOfMemory> {
        for number in if_any_role_matches(pattern, numbers) {
            if !self.matches_names(pattern, number) {
                continue;
            }
            for role in matching_roles(pattern) {
                if self.needs_analysis(number, role) {
                    self.analyse(platform, number, role)?;
                    platform.cond_resched();
                }
            }
        }
        Ok(())
    }

    /// Whether this probe of a loaded function still needs analysis.
    fn needs_analysis(&self, number: usize, role: Role) -> bool {
        let function = self.functions.get(number);
        function.is_some_and(|function| {
            let is_open = match role {
                Role::Entry => function.entry.is_ok() && !function.is_entry_known,
                Role::Return => function.returns.may_change(),
            };
            is_open && function.is_loaded
        })
    }

    fn analyse<P: Platform>(
        &mut self,
        platform: &P,
        number: usize,
        role: Role,
    ) -> Result<(), OutOfMemory> {
        match role {
            Role::Entry => self.check_entry_loop(platform, number),
            Role::Return => {
                // First, as an exit may be the entry's site.
                self.check_entry_loop(platform, number);
                let returns = self.find_returns(platform, number)?;
                if let Some(function) = self.functions.get_mut(number) {
                    function.returns = returns;
                }
            }
        }
        Ok(())
    }

    /// Checks whether the function loops back to its entry's site without passing its ftrace call.
    /// A trap would then fire at each iteration, so only ftrace can report the entry, if the
    /// function has a call.
    ///
    /// This is done once: an entry that is known may be armed, and its site must then stay the
    /// function's even if someone has changed the text since.
    #[inline(never)]
    fn check_entry_loop<P: Platform>(&mut self, platform: &P, number: usize) {
        let function = self.functions.get(number);
        if function.is_none_or(|function| function.is_entry_known) {
            return;
        }
        let loops_to_entry = self.loops_to_entry(platform, number);
        let Some(function) = self.functions.get_mut(number) else {
            return;
        };
        function.is_entry_known = true;
        let site = function.entry.ok().filter(|_| loops_to_entry);
        if let Some(site) = site.and_then(|site| self.sites.get_mut(site as usize)) {
            match platform.call_of(function.address) {
                Some(_) => site.ftrace_only = true,
                None => function.entry = Err(Reason::Loop),
            }
        }
    }

    fn loops_to_entry<P: Platform>(&self, platform: &P, number: usize) -> bool {
        let context = self.walk_context(platform, number);
        let found = context.and_then(|context| Some((context.entry?.address, context)));
        found.is_some_and(|(site, context)| {
            let call = platform.call_of(context.function.address);
            let is_passed = call.is_some_and(|call| call.get() >= site);
            !is_passed && context.with_text(|text, extent| A::comes_back(text, extent, site))
        })
    }
}
