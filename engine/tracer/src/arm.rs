//! Arming and disarming: how a set of enablings becomes patched text, and text again.
//!
//! The order is what makes it safe at any moment. Text is restored before the live table forgets
//! a site, and the live table knows a site before its text is patched; so a trap always finds its
//! site, or text that no longer traps. A site's slot is there before the live table knows the site,
//! and is given back after the table has forgotten it.

use engine_isa::Plan;

use crate::consumer::{Consumer, ConsumerId};
use crate::grow::OutOfMemory;
use crate::isa::{Isa, Planned};
use crate::live::{Live, LiveEcb, Resume, Site, Timer};
use crate::platform::{Platform, Rcu};
use crate::providers::fbt::{self, Probe as Function};
use crate::registry::{Probe, Registry};
use crate::slots::Slots;
use crate::tracer::{Control, Error, Tracer};

/// How many ECBs have a probe that is not armed: its text is not what was planned for any more, or its
/// timer could not be started.
pub type Unarmed = u32;

impl<I: Isa, P: Platform<Regs = I::Regs>> Tracer<I, P> {
    /// Makes text, timers and live table agree with the active ECBs.
    pub(crate) fn rearm(&self, control: &mut Control<I::Text>) -> Result<(), Error> {
        self.stop_timers(&mut control.registry);
        // All of it, before anything that there may be no memory for.
        let armed = control.registry.fbt.probes_mut().iter_mut();
        for probe in armed.filter(|probe| probe.ecbs == 0 && probe.armed) {
            self.restore(probe);
        }
        let wanted = control.registry.fbt.probes_mut().iter_mut();
        for probe in wanted.filter(|probe| probe.ecbs > 0 && !probe.armed) {
            self.review(probe, &mut control.slots)?;
        }
        self.live.replace(Some(survey::<I>(control)?))?;
        let wanted = control.registry.fbt.probes_mut().iter_mut();
        for probe in wanted.filter(|probe| probe.ecbs > 0 && !probe.armed) {
            self.displace(probe);
        }
        self.take_slots_back(control);
        self.start_timers(&mut control.registry);
        Ok(())
    }

    /// Takes the consumer's ECBs out, and with them whatever only it had armed. When it returns, no
    /// firing is left that began before.
    ///
    /// Where there is no memory for a smaller live table the larger one stays: what is disarmed does not
    /// fire, so its entries there do no harm.
    pub(crate) fn disarm(&self, control: &mut Control<I::Text>, id: ConsumerId) {
        control.deactivate(id);
        if self.rearm(control).is_err() {
            self.platform.synchronize();
        }
    }

    fn stop_timers(&self, registry: &mut Registry<I::Text>) {
        for (number, timer) in (0..).zip(registry.profile.timers_mut()) {
            if timer.ecbs == 0 && timer.armed {
                self.platform.timer_stop(number);
                timer.armed = false;
            }
        }
    }

    fn start_timers(&self, registry: &mut Registry<I::Text>) {
        for (number, timer) in (0..).zip(registry.profile.timers_mut()) {
            if timer.ecbs > 0 && !timer.armed {
                let started = self
                    .platform
                    .timer_start(number, timer.nanoseconds, timer.every_cpu);
                timer.armed = started.is_ok();
            }
        }
    }

    /// Plans anew: others patch text too, and may have since the probe was provided. Where no
    /// probe can be now, the text planned for is one that is not there, and there is no slot.
    fn review(&self, probe: &mut Function<I::Text>, slots: &mut Slots) -> Result<(), OutOfMemory> {
        let text = fbt::probeable::<I, P>(&self.platform, probe.address);
        if text != Ok(probe.text)
            && let Some(slot) = probe.slot.take()
        {
            slots.give_back(slot);
        }
        probe.text = text.unwrap_or_default();
        let Ok(text) = text else {
            return Ok(());
        };
        let plan = I::plan(&text);
        if let (Plan::Relocate(relocation), None) = (plan, probe.slot) {
            let next = probe.address.wrapping_add(I::length(&plan));
            let code = |slot| I::slot(relocation, slot, probe.address, next);
            probe.slot = slots.take(&self.platform, code)?;
        }
        Ok(())
    }

    /// Takes back the slots of what is not armed any more, now that the live table does not know it.
    fn take_slots_back(&self, control: &mut Control<I::Text>) {
        let probes = control.registry.fbt.probes_mut().iter_mut();
        for probe in probes.filter(|probe| probe.ecbs == 0 && !probe.armed) {
            if let Some(slot) = probe.slot.take() {
                control.slots.give_back(slot);
            }
        }
        control.slots.tidy(&self.platform);
    }

    /// Puts the trap in place, if the instruction is still the one that was planned for.
    fn displace(&self, probe: &mut Function<I::Text>) {
        let plan = I::plan(&probe.text);
        if resume::<I>(plan, probe.slot).is_none() {
            return;
        }
        let planned = probe.text.as_ref().get(..I::length(&plan));
        if planned.is_some_and(|planned| self.is_there(probe.address, planned)) {
            probe.armed = self.platform.patch(probe.address, I::TRAP).is_ok();
        }
    }

    /// Puts back what was displaced; leaves alone what someone else has written there since. What
    /// cannot be put back stays armed, and its site known.
    fn restore(&self, probe: &mut Function<I::Text>) {
        probe.armed = self.is_there(probe.address, I::TRAP)
            && probe
                .text
                .as_ref()
                .get(..I::TRAP.len())
                .is_some_and(|displaced| self.platform.patch(probe.address, displaced).is_err());
    }

    /// Whether the text at `address` is not our trap, as far as it can be read.
    pub(crate) fn is_not_ours(&self, address: usize) -> bool {
        let mut text = I::Text::default();
        let read = text.as_mut().get_mut(..I::TRAP.len());
        read.is_some_and(|read| self.platform.peek(address, read).is_ok() && read != I::TRAP)
    }

    /// Whether `text` is what is at `address`.
    fn is_there(&self, address: usize, text: &[u8]) -> bool {
        let mut there = I::Text::default();
        let read = there.as_mut().get_mut(..text.len());
        read.is_some_and(|read| self.platform.peek(address, read).is_ok() && read == text)
    }
}

/// The live table for the active ECBs, and for what is armed without any.
fn survey<I: Isa>(control: &Control<I::Text>) -> Result<Live<I::Emulation>, OutOfMemory> {
    let mut live = Live::new();
    add_hooks::<I>(&control.registry, &mut live)?;
    for (number, consumer) in (0..).zip(&control.consumers) {
        let active = consumer.iter().filter(|consumer| consumer.is_active());
        for (epid, ecb) in active.flat_map(Consumer::ecbs) {
            let live_ecb = LiveEcb {
                consumer: number,
                epid,
            };
            match ecb.probe {
                Probe::Own(_) => {}
                Probe::Timer(number) => live.timers.add_ecb(number as u32, live_ecb),
                Probe::Function(number) => {
                    if let Some(probe) = control.registry.fbt.probes().get(number) {
                        live.sites.add_ecb(probe.address, live_ecb);
                    }
                }
            }
        }
    }
    Ok(live)
}

/// What is done in place of an instruction, if it can be: one that is relocated needs a slot.
fn resume<I: Isa>(plan: Planned<I>, slot: Option<usize>) -> Option<Resume<I::Emulation>> {
    match plan {
        Plan::Emulate(emulation) => Some(Resume::Emulate(emulation)),
        Plan::Relocate(_) => slot.map(Resume::Slot),
        Plan::Refuse(_) => None,
    }
}

fn add_hooks<I: Isa>(
    registry: &Registry<I::Text>,
    live: &mut Live<I::Emulation>,
) -> Result<(), OutOfMemory> {
    let probes = registry.fbt.probes().iter().enumerate();
    for (number, probe) in probes.filter(|(_, probe)| probe.ecbs > 0 || probe.armed) {
        if let Some(resume) = resume::<I>(I::plan(&probe.text), probe.slot) {
            let site = Site {
                id: registry.id(Probe::Function(number)),
                resume,
                function: probe.function,
            };
            live.sites.add(probe.address, site, probe.ecbs)?;
        }
    }
    let timers = registry.profile.timers().iter().enumerate();
    for (number, timer) in timers.filter(|(_, timer)| timer.ecbs > 0) {
        let hook = Timer {
            id: registry.id(Probe::Timer(number)),
            name: timer.name,
        };
        live.timers.add(number as u32, hook, timer.ecbs)?;
    }
    Ok(())
}
