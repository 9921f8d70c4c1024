//! Arming and disarming: how a set of enablings becomes patched text, and text again.
//!
//! The order is what makes it safe at any moment. Text is restored before the live table forgets
//! a site, and the live table knows a site before its text is patched; so a trap always finds its
//! site, or text that no longer traps. A site's slot is there before the live table knows the site,
//! and is given back after the table has forgotten it. Traps lead straight here before there is the first
//! of them, until after the last.

use alloc::vec::Vec;
use core::sync::atomic::Ordering;

use engine_isa::{Arch, Plan};

use crate::consumer::ConsumerId;
use crate::grow::{OutOfMemory, push};
use crate::live::{Live, Resume};
use crate::platform::{Patch, Platform, Rcu, Untold};
use crate::providers::fbt::{self, Fbt, Function, Site};
use crate::registry::Registry;
use crate::slots::Slots;
use crate::survey::survey;
use crate::tracer::{Control, Error, Tracer};

/// How many ECBs have a probe that is not armed: its text is not what was planned for any more, or its
/// timer could not be started.
pub type Unarmed = u32;

impl<A: Arch, P: Platform<Regs = A::Regs>> Tracer<A, P> {
    /// Makes text, timers and live table agree with the active ECBs.
    pub(crate) fn rearm(&self, control: &mut Control<A::Text>) -> Result<(), Error> {
        let agreed = self.agree(control);
        // As long as there is a trap, whatever has gone wrong.
        let mut enabled = control.registry.fbt.enabled();
        let is_any = enabled.any(|(_, site)| site.is_trapped());
        self.platform.lead_here(is_any);
        agreed
    }

    fn agree(&self, control: &mut Control<A::Text>) -> Result<(), Error> {
        self.stop_timers(&mut control.registry);
        self.ignore(control);
        // All of it, before anything that there may be no memory for.
        self.restore(control);
        self.silence(control);
        // A kprobe that is not there when the instruction is reviewed is not there when it is displaced; one that
        // comes behind finds our trap, and is refused.
        let told = self.platform.hold_kprobes(|| self.arm(control))?;
        if told.is_err() {
            // Once: it is not asked again.
            return self.agree(control);
        }
        self.take_slots_back(control);
        control.registry.fbt.tidy();
        self.start_timers(&mut control.registry);
        self.attend(control);
        Ok(())
    }

    /// Arms what is wanted and not armed yet; or the function tracer would not tell of its calls.
    fn arm(&self, control: &mut Control<A::Text>) -> Result<Result<(), Untold>, OutOfMemory> {
        self.prepare(control)?;
        let live = survey::<A>(control)?;
        let old = self.live.replace(Some(live))?;
        if let Some(old) = old {
            remember_hits(&mut control.registry.fbt, &old);
        }
        let told = self.listen(control);
        if told.is_ok() {
            self.displace(control);
        }
        Ok(told)
    }

    /// Takes the consumer's ECBs out, and with them whatever only it had armed. When it returns, no
    /// firing is left that began before.
    ///
    /// Where there is no memory for a smaller live table the larger one stays: what is disarmed does not
    /// fire, so its entries there do no harm.
    pub(crate) fn disarm(&self, control: &mut Control<A::Text>, id: ConsumerId) {
        control.deactivate(id);
        if self.rearm(control).is_err() {
            self.platform.synchronize();
        }
    }

    fn stop_timers(&self, registry: &mut Registry<A::Text>) {
        for (number, timer) in (0..).zip(registry.profile.timers_mut()) {
            if timer.ecbs == 0 && timer.armed {
                self.platform.timer_stop(number);
                timer.armed = false;
            }
        }
    }

    fn start_timers(&self, registry: &mut Registry<A::Text>) {
        for (number, timer) in (0..).zip(registry.profile.timers_mut()) {
            if timer.ecbs > 0 && !timer.armed {
                let started = self
                    .platform
                    .timer_start(number, timer.nanoseconds, timer.every_cpu);
                timer.armed = started.is_ok();
            }
        }
    }

    /// Makes ready what is wanted and not armed yet.
    fn prepare(&self, control: &mut Control<A::Text>) -> Result<(), OutOfMemory> {
        let Control {
            registry,
            slots,
            calls,
            ..
        } = control;
        registry.fbt.try_each_enabled(|function, site| {
            if site.armed || !site.is_wanted(function) {
                return Ok(());
            }
            site.call = None;
            let is_trappable = !site.is_called_only && self.is_left_to_us(site);
            if is_trappable && !self.review(site, slots) {
                return Ok(());
            }
            site.call = self.call_for(calls, function, site);
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
    fn is_left_to_us(&self, site: &mut Site<A::Text>) -> bool {
        site.is_taken = self.platform.has_kprobe(site.address);
        !site.is_taken
    }

    /// Plans anew: others patch text too, and may have since the probe was provided. False where no
    /// probe can be now; the text planned for is one that is not there then, and there is no slot.
    fn review(&self, site: &mut Site<A::Text>, slots: &mut Slots) -> bool {
        if self.is_as_planned(site) {
            return true;
        }
        if let Some(slot) = site.slot.take() {
            slots.give_back(slot);
        }
        let text = fbt::probeable::<A, P>(&self.platform, site.address);
        site.text = text.unwrap_or_default();
        text.is_ok()
    }

    /// Gives it a slot, if its instruction needs one.
    fn give_slot(&self, site: &mut Site<A::Text>, slots: &mut Slots) -> Result<(), OutOfMemory> {
        let plan = A::plan(&site.text, A::KERNEL);
        if let (Plan::Relocate(relocation), None) = (plan, site.slot) {
            let next = site.address.wrapping_add(A::length(&plan));
            let code = |slot| A::slot(relocation, slot, site.address, next);
            site.slot = slots.take(&self.platform, code)?;
        }
        Ok(())
    }

    /// Takes back the slots of what is not armed any more, now that the live table does not know it.
    fn take_slots_back(&self, control: &mut Control<A::Text>) {
        let slots = &mut control.slots;
        control.registry.fbt.each_enabled(|function, site| {
            if !site.armed
                && !site.is_wanted(function)
                && let Some(slot) = site.slot.take()
            {
                slots.give_back(slot);
            }
        });
        control.slots.tidy(&self.platform);
    }

    /// Puts traps in place, where the instruction is still the one that was planned for.
    fn displace(&self, control: &mut Control<A::Text>) {
        if control.registry.fbt.enabled().next().is_some() {
            self.platform.lead_here(true);
        }
        control.batch.write(
            &self.platform,
            &mut control.registry.fbt,
            |function, site| {
                let is_due = !site.armed && site.call.is_none() && !site.is_called_only;
                (is_due && site.is_wanted(function) && self.can_displace(site))
                    .then(|| word(A::TRAP))
            },
            |site| site.armed = true,
        );
    }

    fn can_displace(&self, site: &Site<A::Text>) -> bool {
        resume::<A>(site).is_some() && self.is_as_planned(site)
    }

    /// Whether the instruction is the one that was planned for. What stands behind it may be another
    /// site's trap.
    fn is_as_planned(&self, site: &Site<A::Text>) -> bool {
        let plan = A::plan(&site.text, A::KERNEL);
        let planned = site.text.as_ref().get(..A::length(&plan));
        !matches!(plan, Plan::Refuse(_))
            && planned.is_some_and(|planned| self.is_there(site.address, planned))
    }

    /// Puts back what was displaced; leaves alone what someone else has written there since, and that is not armed
    /// any more. What cannot be put back stays armed, and its site known.
    fn restore(&self, control: &mut Control<A::Text>) {
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
                (site.is_trapped() && !site.is_wanted(function)).then(|| word(displaced))
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

/// What is done when the site is hit, if anything can be: an instruction that is relocated needs a slot.
pub(crate) fn resume<A: Arch>(site: &Site<A::Text>) -> Option<Resume<A::Emulation>> {
    if site.call.is_some() {
        return Some(Resume::On);
    }
    if site.is_taken {
        return None;
    }
    match A::plan(&site.text, A::KERNEL) {
        Plan::Emulate(emulation) => Some(Resume::Emulate(emulation)),
        Plan::Relocate(_) => site.slot.map(Resume::Slot),
        Plan::Refuse(_) => None,
    }
}

/// Nobody counts hits in a table that was replaced any more.
fn remember_hits<T, E>(fbt: &mut Fbt<T>, old: &Live<E>) {
    fbt.each_enabled(|_, site| {
        if let Some(hit) = old.site(site.told_at()) {
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

/// The most places that are patched at once.
const BATCH: usize = 2048;

/// Places to be patched at once. Its memory is there before anything is armed, since what is armed must
/// be restored also where there is none.
#[derive(Debug)]
pub(crate) struct Batch {
    patches: Vec<Patch>,
    /// The numbers of their sites.
    sites: Vec<u32>,
}

impl Batch {
    /// An empty one.
    pub fn new() -> Result<Self, OutOfMemory> {
        let (mut patches, mut sites) = (Vec::new(), Vec::new());
        patches.try_reserve_exact(BATCH).map_err(|_| OutOfMemory)?;
        sites.try_reserve_exact(BATCH).map_err(|_| OutOfMemory)?;
        Ok(Self { patches, sites })
    }

    /// Writes to each site of what is enabled the word that `wanted` has for it, and tells `written` of those
    /// where that went well.
    fn write<P: Platform, T>(
        &mut self,
        platform: &P,
        fbt: &mut Fbt<T>,
        wanted: impl Fn(&Function, &Site<T>) -> Option<u32>,
        written: impl Fn(&mut Site<T>),
    ) {
        let (enabled, functions, sites) = fbt.parts();
        let enabled = enabled.iter();
        let functions = enabled.filter_map(|number| functions.get(*number as usize));
        for (function, number) in functions.flat_map(|f| f.sites().map(move |site| (f, site))) {
            let site = sites.get(number);
            let Some((site, word)) = site.and_then(|site| Some((site, wanted(function, site)?)))
            else {
                continue;
            };
            let patch = Patch {
                address: site.address,
                word,
                failed: 0,
            };
            // There is room.
            let _ = push(&mut self.patches, patch);
            let _ = push(&mut self.sites, number as u32);
            if self.patches.len() == BATCH {
                self.flush(platform, sites, &written);
            }
        }
        self.flush(platform, sites, &written);
    }

    /// Writes what there is.
    fn flush<P: Platform, T>(
        &mut self,
        platform: &P,
        sites: &mut [Site<T>],
        written: &impl Fn(&mut Site<T>),
    ) {
        if !self.patches.is_empty() {
            platform.patch(&mut self.patches);
        }
        for (patch, number) in self.patches.iter().zip(&self.sites) {
            if let (0, Some(site)) = (patch.failed, sites.get_mut(*number as usize)) {
                written(site);
            }
        }
        self.patches.clear();
        self.sites.clear();
    }
}
