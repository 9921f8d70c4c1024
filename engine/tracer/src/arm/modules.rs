//! Modules that are loaded and unloaded while consumers trace.
//!
//! As in DTrace, an enabling is retained for as long as its consumer traces: matching probes of
//! modules that are loaded later are enabled at once.

use alloc::vec::Vec;

use engine_isa::Arch;

use crate::control::Control;
use crate::error::Error;
use crate::platform::{Lock, Platform};
use crate::probe::Role;
use crate::probe::glob::Pattern;
use crate::providers::fbt::Loaded;
use crate::registry::{Id, Probe, Registry};
use crate::session::consumer::Consumer;
use crate::session::consumer::Ecb;
use crate::tracer::Tracer;

impl<A: Arch, P: Platform<Regs = A::Regs>> Tracer<A, P> {
    /// A module is being loaded, which the platform identifies by `number`. May sleep.
    ///
    /// If memory runs out, some of its probes are missing, and the module is counted as incomplete.
    pub fn module_coming(&self, number: usize, name: &[u8]) {
        self.control.with(|control| {
            let fbt = &mut control.registry.fbt;
            let loaded = fbt.load(&self.platform, number, name);
            let enabled = loaded
                .map_err(Error::from)
                .and_then(|loaded| control.enable_in(&self.platform, &loaded));
            let armed = enabled.and_then(|any| if any { self.rearm(control) } else { Ok(()) });
            if armed.is_err() {
                control.incomplete = control.incomplete.wrapping_add(1);
            }
        });
    }

    /// A module is being unloaded. When this returns, nothing in it is armed. May sleep.
    pub fn module_going(&self, number: usize) {
        self.control.with(|control| {
            control.registry.fbt.unload(number);
            // Without memory for a smaller live table, the module's text has still been restored.
            if self.rearm(control).is_err() {
                self.platform.synchronize();
            }
        });
    }
}

impl<A: Arch> Control<A> {
    /// Applies the consumers' retained enablings to these functions; returns whether any matched.
    #[inline(never)]
    fn enable_in<P: Platform>(&mut self, platform: &P, loaded: &Loaded) -> Result<bool, Error> {
        let mut any = false;
        for consumer in self.consumers.iter_mut().flatten() {
            for number in 0..consumer.retained().len() {
                let Some(enabling) = consumer.retained().get(number).copied() else {
                    continue;
                };
                let numbers = loaded.numbers.clone();
                let pattern = Pattern::new(&enabling.0);
                self.registry
                    .fbt
                    .analyse_matching(platform, &pattern, numbers)?;
                let enabling = (&pattern, enabling.1);
                any |= enable_matching(&mut self.registry, platform, consumer, enabling, loaded)?;
            }
        }
        Ok(any)
    }
}

/// Applies one retained enabling, a pattern and a clause, to these functions; returns whether any
/// matched.
#[inline(never)]
fn enable_matching<A: Arch, P: Platform>(
    registry: &mut Registry<A>,
    platform: &P,
    consumer: &mut Consumer,
    (pattern, clause): (&Pattern<'_>, u32),
    loaded: &Loaded,
) -> Result<bool, Error> {
    let (mut any, mut before) = (false, None);
    let first = Role::Entry.probe_of(loaded.numbers.start);
    let numbers = first..Role::Entry.probe_of(loaded.numbers.end);
    for number in numbers.clone() {
        let (function, role) = Role::of(number);
        if role == Role::Entry {
            platform.cond_resched();
        }
        if !registry.fbt.is_described(pattern, function, role) {
            continue;
        }
        any = true;
        // Computed once, as a consumer may have as many ECBs as there are functions, and only if
        // something matches.
        let before = match &before {
            Some(before) => before,
            None if loaded.is_new => before.insert(Vec::new()),
            None => before.insert(consumer.enabled_at(clause, Id::Fbt, &numbers)?),
        };
        let is_enabled = before.get(number.wrapping_sub(first));
        if is_enabled.copied().unwrap_or_default() {
            continue;
        }
        let probe = Probe::new(Id::Fbt, number);
        consumer.enable(Ecb { probe, clause })?;
        if consumer.is_active() {
            registry.count(probe, consumer.by_call, &|ecbs| ecbs.wrapping_add(1));
        }
    }
    Ok(any)
}
