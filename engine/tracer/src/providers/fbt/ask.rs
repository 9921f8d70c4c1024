//! What is made out of a function only when somebody first asks for a probe of it.

use core::ops::Range;

use engine_isa::Arch;

use super::{Fbt, if_meant, meant};
use crate::grow::OutOfMemory;
use crate::platform::Platform;
use crate::probe::Role;
use crate::probe::glob::Pattern;
use crate::site::reason::Reason;

impl<A: Arch> Fbt<A> {
    /// Somebody asks for what `pattern` describes: of those of these functions whose entry or return that is,
    /// what is not known yet is looked for.
    pub fn ask<P: Platform>(
        &mut self,
        platform: &P,
        pattern: &Pattern<'_>,
        numbers: Range<usize>,
    ) -> Result<(), OutOfMemory> {
        for number in if_meant(pattern, numbers) {
            if !self.is_placed(pattern, number) {
                continue;
            }
            for role in meant(pattern) {
                if self.is_unknown(number, role) {
                    self.find_out(platform, number, role)?;
                    platform.cond_resched();
                }
            }
        }
        Ok(())
    }

    /// Whether there is something to be found out about that probe of the function of that number.
    fn is_unknown(&self, number: usize, role: Role) -> bool {
        let function = self.functions.get(number);
        function.is_some_and(|function| {
            let may_be_asked = match role {
                Role::Entry => function.entry.is_ok() && !function.is_entry_known,
                Role::Return => function.returns.may_be_asked(),
            };
            may_be_asked && function.is_there
        })
    }

    fn find_out<P: Platform>(
        &mut self,
        platform: &P,
        number: usize,
        role: Role,
    ) -> Result<(), OutOfMemory> {
        match role {
            Role::Entry => self.look_for_loop(platform, number),
            Role::Return => {
                // As long as no trap of ours but the entry's is in its text.
                self.look_for_loop(platform, number);
                let returns = self.look(platform, number)?;
                if let Some(function) = self.functions.get_mut(number) {
                    function.returns = returns;
                }
            }
        }
        Ok(())
    }

    /// Whether the function comes back to its entry's site without passing the function tracer's call. A trap
    /// would tell of each time, so only that call can tell then, if there is one.
    #[inline(never)]
    fn look_for_loop<P: Platform>(&mut self, platform: &P, number: usize) {
        let comes_back = self.comes_back(platform, number);
        let Some(function) = self.functions.get_mut(number) else {
            return;
        };
        function.is_entry_known = true;
        let site = function.entry.ok().filter(|_| comes_back);
        if let Some(site) = site.and_then(|site| self.sites.get_mut(site as usize)) {
            match platform.call_of(function.address) {
                Some(_) => site.is_called_only = true,
                None => function.entry = Err(Reason::Loop),
            }
        }
    }

    fn comes_back<P: Platform>(&self, platform: &P, number: usize) -> bool {
        let around = self.around(platform, number);
        let found = around.and_then(|around| Some((around.entry?.address, around)));
        found.is_some_and(|(site, around)| {
            let call = platform.call_of(around.function.address);
            let is_passed = call.is_some_and(|call| call.get() >= site);
            !is_passed && around.with_text(|text, extent| A::comes_back(text, extent, site))
        })
    }
}
