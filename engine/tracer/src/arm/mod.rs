//! Arming and disarming: makes kernel text, timers, subscriptions and the live table match the
//! active ECBs.
//!
//! Everything here runs under the control lock and may sleep. The ordering keeps every intermediate
//! state safe:
//!
//! - Text is restored before the live table forgets a site, and the table has a site before its
//!   text is patched. So a trap finds its site, or text that no longer traps.
//! - A site's slot is written before the live table names it, and is given back after the table has
//!   forgotten it.
//! - Traps are dispatched directly to this engine from before the first is written until after the
//!   last is removed.
//!
//! Disarming comes first and needs no memory. A failed allocation after that leaves probes unarmed,
//! never half armed. What the kernel does not let be disarmed stays known, pins the engine, and is
//! disarmed at a later occasion.

mod events;
mod ftrace;
mod modules;
mod opened;
mod publish;

use core::sync::atomic::Ordering;

use engine_isa::{Arch, Plan};

use crate::arm::publish::publish;
use crate::control::Control;
use crate::error::Error;
use crate::fire::live::Live;
use crate::grow::OutOfMemory;
use crate::platform::{Platform, Rcu, Refused};
use crate::providers::fbt::{Fbt, Function};
use crate::session::consumer::ConsumerId;
use crate::site::eligible;
use crate::site::resume;
use crate::site::slots::Slots;
use crate::site::{Site, word};
use crate::tracer::Tracer;

impl<A: Arch, P: Platform<Regs = A::Regs>> Tracer<A, P> {
    /// Makes text, timers and the live table match the active ECBs.
    pub(crate) fn rearm(&self, control: &mut Control<A>) -> Result<(), Error> {
        let agreed = self.reconcile(control);
        let (fbt, pid) = (&control.registry.fbt, &control.registry.pid);
        // Even after an error, for as long as a trap is in place.
        let is_any = fbt.enabled().any(|(_, site)| site.is_trapped()) || pid.is_any_armed();
        let is_switched = self.platform.direct_dispatch(is_any).is_ok();
        // Consumers keep the engine loaded while they want a site. One that could not be disarmed
        // stays without them, and so does the dispatch.
        let is_stuck =
            |(function, site): (&Function, &Site<A>)| site.armed && !function.wants(site);
        let is_pinned = !is_switched || fbt.enabled().any(is_stuck) || pid.is_any_stuck();
        self.platform.pin(is_pinned);
        agreed
    }

    fn reconcile(&self, control: &mut Control<A>) -> Result<(), Error> {
        control.registry.disarm(&self.platform);
        self.unsubscribe_events(control);
        // Text is restored before anything that may fail for lack of memory.
        self.restore(control);
        self.remove_ftrace_calls(control);
        // No kprobe can be added between the review of an instruction and its patching; one that
        // comes later finds our trap and is refused.
        let accepted = self.platform.hold_kprobes(|| self.arm(control))?;
        if accepted.is_err() {
            // At most once: `calls.refused` is set now.
            return self.reconcile(control);
        }
        self.retire_slots(control);
        control.registry.fbt.prune_enabled();
        control.registry.arm(&self.platform);
        self.subscribe_events(control);
        Ok(())
    }

    /// Arms what is wanted and not armed yet. The inner error says that ftrace refused its calls.
    fn arm(&self, control: &mut Control<A>) -> Result<Result<(), Refused>, Error> {
        self.prepare(control)?;
        let live = publish(control)?;
        let old = self.live.replace(Some(live))?;
        control.forget_gone();
        if let Some(old) = old {
            save_hits(&mut control.registry.fbt, &old);
            control.registry.pid.save_hits(&old.pid);
        }
        let accepted = self.add_ftrace_calls(control);
        if accepted.is_ok() {
            self.write_traps(control)?;
        }
        Ok(accepted)
    }

    /// Deactivates the consumer's ECBs and disarms what no other consumer wants. When this returns,
    /// no firing that began before is still running.
    ///
    /// If there is no memory for a smaller live table, the old one stays: what is disarmed does not
    /// fire, so its stale entries are harmless.
    pub(crate) fn disarm(&self, control: &mut Control<A>, id: ConsumerId) {
        control.deactivate(id);
        if self.rearm(control).is_err() {
            self.platform.synchronize();
        }
        self.let_threads_go(id);
        self.let_execs_go(id);
    }

    /// Chooses a mechanism for each site that is wanted and not armed yet, and allocates what it
    /// needs.
    fn prepare(&self, control: &mut Control<A>) -> Result<(), OutOfMemory> {
        control.registry.prepare(&self.platform)?;
        let Control {
            registry,
            slots,
            calls,
            ..
        } = control;
        registry.fbt.try_each_enabled(|function, site| {
            if site.armed || !function.wants(site) {
                return Ok(());
            }
            site.call = None;
            let is_trappable = !site.ftrace_only && self.is_free_of_kprobes(site);
            if is_trappable && !self.review(site, slots) {
                return Ok(());
            }
            site.call = self.ftrace_call_for(calls, function, site);
            if is_trappable && site.call.is_none() {
                self.assign_slot(site, slots)?;
            }
            Ok(())
        })?;
        let called = registry
            .fbt
            .enabled()
            .filter(|(_, site)| site.call.is_some());
        calls.reserve(called.count())
    }

    /// Checks that no kprobe owns the instruction. Enabling one would write its breakpoint or jump
    /// over whatever is there, and disabling it would write back its earlier copy.
    fn is_free_of_kprobes(&self, site: &mut Site<A>) -> bool {
        site.owned_by_kprobe = self.platform.has_kprobe(site.address);
        !site.owned_by_kprobe
    }

    /// Replans a site whose text has changed since it was planned for, as other patchers write text
    /// too. Returns false if no probe is possible there now; its text is then one that cannot
    /// match, and its slot is given back.
    fn review(&self, site: &mut Site<A>, slots: &mut Slots) -> bool {
        if self.is_as_planned(site) {
            return true;
        }
        if let Some(slot) = site.slot.take() {
            slots.retire(slot);
        }
        let text = eligible::probeable::<A, P>(&self.platform, site.address);
        site.text = text.unwrap_or_default();
        text.is_ok()
    }

    /// Allocates a slot, if the instruction must be relocated.
    fn assign_slot(&self, site: &mut Site<A>, slots: &mut Slots) -> Result<(), OutOfMemory> {
        let plan = A::plan(&site.text, A::KERNEL);
        if let (Plan::Relocate(relocation), None) = (plan, site.slot) {
            let next = site.address.wrapping_add(A::length(&plan));
            let code = |slot| A::slot(relocation, slot, site.address, next);
            site.slot = slots.take(&self.platform, A::slot_size(A::KERNEL), code)?;
        }
        Ok(())
    }

    /// Gives back the slots of disarmed sites, now that the live table has forgotten them.
    fn retire_slots(&self, control: &mut Control<A>) {
        let slots = &mut control.slots;
        control.registry.fbt.each_enabled(|function, site| {
            if !site.armed
                && !function.wants(site)
                && let Some(slot) = site.slot.take()
            {
                slots.retire(slot);
            }
        });
        control.slots.release_if_unused(&self.platform);
    }

    /// Writes the traps, where the instruction still is the planned one. Writes none if they would
    /// not be dispatched directly: functions on the kernel's own path may have traps themselves.
    fn write_traps(&self, control: &mut Control<A>) -> Result<(), Error> {
        let is_due = |function: &Function, site: &Site<A>| {
            let is_open = !site.armed && site.call.is_none() && !site.ftrace_only;
            is_open && function.wants(site) && self.can_displace(site)
        };
        let is_due_in_process = control.registry.pid.is_any_due();
        let fbt = &mut control.registry.fbt;
        let is_due_in_kernel = fbt.enabled().any(|(function, site)| is_due(function, site));
        if !is_due_in_process && !is_due_in_kernel {
            return Ok(());
        }
        let switched = self.platform.direct_dispatch(true);
        switched.map_err(|Refused| Error::NoDispatch)?;
        control.batch.write(
            &self.platform,
            fbt,
            |function, site| is_due(function, site).then(|| word(A::TRAP)),
            |site| site.armed = true,
        );
        Ok(())
    }

    fn can_displace(&self, site: &Site<A>) -> bool {
        resume::of::<A>(site).is_some() && self.is_as_planned(site)
    }

    /// Whether the site's text still is the instruction that was planned for. The bytes after it
    /// are not compared: they may be another site's trap.
    fn is_as_planned(&self, site: &Site<A>) -> bool {
        let plan = A::plan(&site.text, A::KERNEL);
        let planned = site.text.as_ref().get(..A::length(&plan));
        !matches!(plan, Plan::Refuse(_))
            && planned.is_some_and(|planned| self.text_is(site.address, planned))
    }

    /// Restores the displaced text. Where someone else has overwritten the trap, their text is left
    /// alone and the site counts as disarmed. A site that cannot be restored stays armed and known.
    fn restore(&self, control: &mut Control<A>) {
        let fbt = &mut control.registry.fbt;
        fbt.each_enabled(|_, site| {
            if site.is_trapped() {
                site.armed = self.text_is(site.address, A::TRAP);
            }
        });
        control.batch.write(
            &self.platform,
            fbt,
            |function, site| {
                let displaced = site.text.as_ref().get(..A::TRAP.len())?;
                (site.is_trapped() && !function.wants(site)).then(|| word(displaced))
            },
            |site| site.armed = false,
        );
    }

    /// Whether the text at `address` can be read and is not our trap.
    pub(crate) fn is_not_ours(&self, address: usize) -> bool {
        let mut text = A::Text::default();
        let read = text.as_mut().get_mut(..A::TRAP.len());
        read.is_some_and(|read| self.platform.peek(address, read).is_ok() && read != A::TRAP)
    }

    /// Whether the text at `address` can be read and equals `text`.
    fn text_is(&self, address: usize, text: &[u8]) -> bool {
        let mut there = A::Text::default();
        let read = there.as_mut().get_mut(..text.len());
        read.is_some_and(|read| self.platform.peek(address, read).is_ok() && read == text)
    }
}

/// Adds up the hits of a replaced table, in which no CPU counts any more.
fn save_hits<A: Arch>(fbt: &mut Fbt<A>, old: &Live<A>) {
    fbt.each_enabled(|_, site| {
        if let Some(hit) = old.fbt.sites.find(site.hit_address()) {
            let hits = hit.hits.load(Ordering::Relaxed);
            site.hits = site.hits.wrapping_add(hits as u64);
        }
    });
}
