//! Arming by the kernel's function tracer instead of by traps. It has a call at the entry of most functions,
//! which it can switch on, and what it calls is shown the registers.
//!
//! The order is that of traps: a call is switched off before the live table forgets it, and the table knows it
//! before it is switched on. Nothing is displaced, so an entry that its own instruction may leave from is
//! no case for this: its return has to be told of as well.

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
    /// Whether that mechanism means the function tracer's calls.
    pub(crate) fn uses_ftrace(&self, mechanism: Mechanism) -> Result<bool, Error> {
        match mechanism {
            Mechanism::Trap => Ok(false),
            Mechanism::Auto => Ok(self.platform.has_calls()),
            Mechanism::Ftrace if self.platform.has_calls() => Ok(true),
            Mechanism::Ftrace => Err(Error::Unsupported),
        }
    }

    /// The call that is to stand for the trap at `site`, if one is wanted there and can.
    pub(crate) fn ftrace_call_for(
        &self,
        calls: &Calls,
        function: &Function,
        site: &Site<A>,
    ) -> Option<NonZeroUsize> {
        let is_known = site.text != A::Text::default();
        let is_free = function.called > 0 || site.is_taken && is_known;
        let is_free = is_free && !A::control(&site.text, A::KERNEL, site.address).branches();
        if !(is_free || site.is_called_only) || !site.is_entry || calls.refused {
            return None;
        }
        self.platform.call_of(function.address)
    }

    /// Switches off the calls that nobody wants any more. Where that cannot be, they stay armed, and
    /// their sites known.
    pub(crate) fn remove_ftrace_calls(&self, control: &mut Control<A>) {
        let mut sites = control.registry.fbt.enabled();
        if sites.any(|(function, site)| is_called(site) && !function.wants(site)) {
            drop(sites);
            let _ =
                self.set_ftrace_calls(control, |function, site| site.armed && function.wants(site));
        }
    }

    /// Switches on those that are wanted. Where the function tracer will not, traps are to be put in
    /// place instead: nothing of what was not armed before is.
    pub(crate) fn add_ftrace_calls(&self, control: &mut Control<A>) -> Result<(), Refused> {
        let mut sites = control.registry.fbt.enabled();
        if !sites.any(|(function, site)| site.call.is_some() && !site.armed && function.wants(site))
        {
            return Ok(());
        }
        drop(sites);
        let told = self.set_ftrace_calls(control, |function, site| function.wants(site));
        control.calls.refused = told.is_err();
        told
    }

    /// Has the function tracer tell of those calls, and of no others, if it will.
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
