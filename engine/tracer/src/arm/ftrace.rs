//! Arming by ftrace instead of by traps. Most functions have a patchable call at their entry, and
//! its callback is passed the registers.
//!
//! The order is that of traps: a call is disabled before the live table forgets it, and is in the
//! table before it is enabled. No instruction is displaced. So an entry whose own instruction may
//! leave the function is armed by a trap: its return must fire too, and at that instruction only a
//! trap reports it.

use core::num::NonZeroUsize;

use engine_abi::Mechanism;
use engine_isa::Arch;

use crate::control::Control;
use crate::error::Error;
use crate::platform::{Platform, Refused};
use crate::providers::fbt::Function;
use crate::providers::fbt::calls::Calls;
use crate::site::Site;
use crate::tracer::Tracer;

impl<A: Arch, P: Platform<Regs = A::Regs>> Tracer<A, P> {
    /// Whether this mechanism uses ftrace's calls.
    pub(crate) fn uses_ftrace(&self, mechanism: Mechanism) -> Result<bool, Error> {
        match mechanism {
            Mechanism::Trap => Ok(false),
            Mechanism::Auto => Ok(self.platform.has_calls()),
            Mechanism::Ftrace if self.platform.has_calls() => Ok(true),
            Mechanism::Ftrace => Err(Error::Unsupported),
        }
    }

    /// The ftrace call to enable in place of the trap at `site`; none if a trap is wanted, or the
    /// site has no call.
    pub(crate) fn ftrace_call_for(
        &self,
        calls: &Calls,
        function: &Function,
        site: &Site<A>,
    ) -> Option<NonZeroUsize> {
        let is_known = site.text != A::Text::default();
        let is_free = function.call_ecbs > 0 || site.owned_by_kprobe && is_known;
        let is_free = is_free && !A::control(&site.text, A::KERNEL, site.address).branches();
        if !(is_free || site.ftrace_only) || !site.is_entry || calls.refused {
            return None;
        }
        self.platform.call_of(function.address)
    }

    /// Disables the calls that are no longer wanted. If ftrace refuses, they stay armed and their
    /// sites known.
    pub(crate) fn remove_ftrace_calls(&self, control: &mut Control<A>) {
        let mut sites = control.registry.fbt.enabled();
        if sites.any(|(function, site)| is_called(site) && !function.wants(site)) {
            drop(sites);
            let _ =
                self.set_ftrace_calls(control, |function, site| site.armed && function.wants(site));
        }
    }

    /// Enables the calls that are wanted. If ftrace refuses, none that was not armed before is, and
    /// traps are to be used instead.
    pub(crate) fn add_ftrace_calls(&self, control: &mut Control<A>) -> Result<(), Refused> {
        let mut sites = control.registry.fbt.enabled();
        if !sites.any(|(function, site)| site.call.is_some() && !site.armed && function.wants(site))
        {
            return Ok(());
        }
        drop(sites);
        let accepted = self.set_ftrace_calls(control, |function, site| function.wants(site));
        control.calls.refused = accepted.is_err();
        accepted
    }

    /// Sets ftrace's filter to exactly the chosen calls.
    fn set_ftrace_calls(
        &self,
        control: &mut Control<A>,
        is_chosen: impl Fn(&Function, &Site<A>) -> bool,
    ) -> Result<(), Refused> {
        let Control {
            registry, calls, ..
        } = control;
        calls.addresses.clear();
        for (function, site) in registry.fbt.enabled() {
            if let Some(call) = site.call.filter(|_| is_chosen(function, site)) {
                calls.push(call.get());
            }
        }
        self.platform.trace_calls(&calls.addresses)?;
        registry.fbt.each_enabled(|function, site| {
            if site.call.is_some() {
                site.armed = is_chosen(function, site);
            }
        });
        Ok(())
    }
}

fn is_called<A: Arch>(site: &Site<A>) -> bool {
    site.armed && site.call.is_some()
}
