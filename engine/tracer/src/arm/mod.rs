//! Arming and disarming: how a set of enablings becomes patched text, and text again.
//!
//! The order is what makes it safe at any moment. Text is restored before the live table forgets
//! a site, and the live table knows a site before its text is patched; so a trap always finds its
//! site, or text that no longer traps. A site's slot is there before the live table knows the site,
//! and is given back after the table has forgotten it. Traps lead straight here before there is the first
//! of them, until after the last.

mod events;
mod ftrace;
mod modules;
mod publish;

use core::sync::atomic::Ordering;

use engine_isa::{Arch, Plan};

use crate::arm::publish::publish;
use crate::control::Control;
use crate::error::Error;
use crate::fire::live::Live;
use crate::grow::OutOfMemory;
use crate::platform::{Platform, Rcu, Refused};
use crate::providers::fbt::Fbt;
use crate::session::consumer::ConsumerId;
use crate::site::Site;
use crate::site::eligible;
use crate::site::resume;
use crate::site::slots::Slots;
use crate::tracer::Tracer;

impl<A: Arch, P: Platform<Regs = A::Regs>> Tracer<A, P> {
    /// Makes text, timers and live table agree with the active ECBs.
    pub(crate) fn rearm(&self, control: &mut Control<A>) -> Result<(), Error> {
        let agreed = self.reconcile(control);
        // As long as there is a trap, whatever has gone wrong.
        let mut enabled = control.registry.fbt.enabled();
        let is_any = enabled.any(|(_, site)| site.is_trapped());
        self.platform.direct_dispatch(is_any);
        agreed
    }

    fn reconcile(&self, control: &mut Control<A>) -> Result<(), Error> {
        control.registry.disarm(&self.platform);
        self.unsubscribe_events(control);
        // All of it, before anything that there may be no memory for.
        self.restore(control);
        self.remove_ftrace_calls(control);
        // A kprobe that is not there when the instruction is reviewed is not there when it is displaced; one that
        // comes behind finds our trap, and is refused.
        let told = self.platform.hold_kprobes(|| self.arm(control))?;
        if told.is_err() {
            // Once: it is not asked again.
            return self.reconcile(control);
        }
        self.take_slots_back(control);
        control.registry.fbt.tidy();
        control.registry.arm(&self.platform);
        self.subscribe_events(control);
        Ok(())
    }

    /// Arms what is wanted and not armed yet; or the function tracer would not tell of its calls.
    fn arm(&self, control: &mut Control<A>) -> Result<Result<(), Refused>, OutOfMemory> {
        self.prepare(control)?;
        let live = publish(control)?;
        let old = self.live.replace(Some(live))?;
        if let Some(old) = old {
            remember_hits(&mut control.registry.fbt, &old);
        }
        let told = self.add_ftrace_calls(control);
        if told.is_ok() {
            self.write_traps(control);
        }
        Ok(told)
    }

    /// Takes the consumer's ECBs out, and with them whatever only it had armed. When it returns, no
    /// firing is left that began before.
    ///
    /// Where there is no memory for a smaller live table the larger one stays: what is disarmed does not
    /// fire, so its entries there do no harm.
    pub(crate) fn disarm(&self, control: &mut Control<A>, id: ConsumerId) {
        control.deactivate(id);
        if self.rearm(control).is_err() {
            self.platform.synchronize();
        }
    }

    /// Makes ready what is wanted and not armed yet.
    fn prepare(&self, control: &mut Control<A>) -> Result<(), OutOfMemory> {
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
            let is_trappable = !site.is_called_only && self.is_left_to_us(site);
            if is_trappable && !self.review(site, slots) {
                return Ok(());
            }
            site.call = self.ftrace_call_for(calls, function, site);
            if is_trappable && site.call.is_none() {
                self.give_slot(site, slots)?;
            }
            Ok(())
        })?;
        let called = registry
            .fbt
            .enabled()
            .filter(|(_, site)| site.call.is_some());
        calls.reserve(called.count())
    }

    /// Whether no kprobe of the kernel's owns the instruction. Such a one writes its trap or its jump over whatever
    /// is there when it is enabled, and what it had copied before when it is disabled.
    fn is_left_to_us(&self, site: &mut Site<A>) -> bool {
        site.is_taken = self.platform.has_kprobe(site.address);
        !site.is_taken
    }

    /// Plans anew: others patch text too, and may have since the probe was provided. False where no
    /// probe can be now; the text planned for is one that is not there then, and there is no slot.
    fn review(&self, site: &mut Site<A>, slots: &mut Slots) -> bool {
        if self.is_as_planned(site) {
            return true;
        }
        if let Some(slot) = site.slot.take() {
            slots.give_back(slot);
        }
        let text = eligible::probeable::<A, P>(&self.platform, site.address);
        site.text = text.unwrap_or_default();
        text.is_ok()
    }

    /// Gives it a slot, if its instruction needs one.
    fn give_slot(&self, site: &mut Site<A>, slots: &mut Slots) -> Result<(), OutOfMemory> {
        let plan = A::plan(&site.text, A::KERNEL);
        if let (Plan::Relocate(relocation), None) = (plan, site.slot) {
            let next = site.address.wrapping_add(A::length(&plan));
            let code = |slot| A::slot(relocation, slot, site.address, next);
            site.slot = slots.take(&self.platform, code)?;
        }
        Ok(())
    }

    /// Takes back the slots of what is not armed any more, now that the live table does not know it.
    fn take_slots_back(&self, control: &mut Control<A>) {
        let slots = &mut control.slots;
        control.registry.fbt.each_enabled(|function, site| {
            if !site.armed
                && !function.wants(site)
                && let Some(slot) = site.slot.take()
            {
                slots.give_back(slot);
            }
        });
        control.slots.tidy(&self.platform);
    }

    /// Puts traps in place, where the instruction is still the one that was planned for.
    fn write_traps(&self, control: &mut Control<A>) {
        if control.registry.fbt.enabled().next().is_some() {
            self.platform.direct_dispatch(true);
        }
        control.batch.write(
            &self.platform,
            &mut control.registry.fbt,
            |function, site| {
                let is_due = !site.armed && site.call.is_none() && !site.is_called_only;
                (is_due && function.wants(site) && self.can_displace(site)).then(|| word(A::TRAP))
            },
            |site| site.armed = true,
        );
    }

    fn can_displace(&self, site: &Site<A>) -> bool {
        resume::of::<A>(site).is_some() && self.is_as_planned(site)
    }

    /// Whether the instruction is the one that was planned for. What stands behind it may be another
    /// site's trap.
    fn is_as_planned(&self, site: &Site<A>) -> bool {
        let plan = A::plan(&site.text, A::KERNEL);
        let planned = site.text.as_ref().get(..A::length(&plan));
        !matches!(plan, Plan::Refuse(_))
            && planned.is_some_and(|planned| self.is_there(site.address, planned))
    }

    /// Puts back what was displaced; leaves alone what someone else has written there since, and that is not armed
    /// any more. What cannot be put back stays armed, and its site known.
    fn restore(&self, control: &mut Control<A>) {
        let fbt = &mut control.registry.fbt;
        fbt.each_enabled(|_, site| {
            if site.is_trapped() {
                site.armed = self.is_there(site.address, A::TRAP);
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

    /// Whether the text at `address` is not our trap, as far as it can be read.
    pub(crate) fn is_not_ours(&self, address: usize) -> bool {
        let mut text = A::Text::default();
        let read = text.as_mut().get_mut(..A::TRAP.len());
        read.is_some_and(|read| self.platform.peek(address, read).is_ok() && read != A::TRAP)
    }

    /// Whether `text` is what is at `address`.
    fn is_there(&self, address: usize, text: &[u8]) -> bool {
        let mut there = A::Text::default();
        let read = there.as_mut().get_mut(..text.len());
        read.is_some_and(|read| self.platform.peek(address, read).is_ok() && read == text)
    }
}

/// Nobody counts hits in a table that was replaced any more.
fn remember_hits<A: Arch>(fbt: &mut Fbt<A>, old: &Live<A>) {
    fbt.each_enabled(|_, site| {
        if let Some(hit) = old.fbt.sites.find(site.hit_address()) {
            let hits = hit.hits.load(Ordering::Relaxed);
            site.hits = site.hits.wrapping_add(hits as u64);
        }
    });
}

/// A few bytes as a number, the first the lowest.
fn word(bytes: &[u8]) -> u32 {
    let upwards = bytes.iter().rev();
    upwards.fold(0, |word, byte| word << 8 | u32::from(*byte))
}
