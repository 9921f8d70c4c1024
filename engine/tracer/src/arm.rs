//! Arming and disarming: how a set of enablings becomes patched text, and text again.
//!
//! The order is what makes it safe at any moment. Text is restored before the live table forgets
//! a site, and the live table knows a site before its text is patched; so a trap always finds its
//! site, or text that no longer traps.

use engine_isa::Plan;

use crate::consumer::{Consumer, ConsumerId, State};
use crate::fbt::{self, Probe};
use crate::grow::OutOfMemory;
use crate::isa::Isa;
use crate::live::{Live, LiveEcb};
use crate::platform::{Platform, Rcu};
use crate::tracer::{Control, Error, Tracer};

/// How many probes stayed unarmed, because their text is not what was planned for any more.
pub type Unarmed = u32;

impl<I: Isa, P: Platform> Tracer<I, P> {
    /// Makes text and live table agree with the active ECBs.
    pub(crate) fn rearm(&self, control: &mut Control<I::Text>) -> Result<(), Error> {
        for probe in control.fbt.probes_mut() {
            match (probe.ecbs > 0, probe.armed) {
                (false, true) => self.restore(probe),
                (true, false) => self.review(probe),
                _ => {}
            }
        }
        self.live.replace(Some(survey::<I>(control)?))?;
        let wanted = control.fbt.probes_mut().iter_mut();
        for probe in wanted.filter(|probe| probe.ecbs > 0 && !probe.armed) {
            self.displace(probe);
        }
        Ok(())
    }

    /// Takes the consumer's ECBs out, and with them whatever only it had armed.
    ///
    /// Where there is no memory for a smaller live table the larger one stays: what is disarmed
    /// does not trap, so its entries there do no harm.
    pub(crate) fn disarm(&self, control: &mut Control<I::Text>, id: ConsumerId) {
        control.deactivate(id);
        let _ = self.rearm(control);
    }

    /// Plans anew: others patch text too, and may have since the probe was provided. Where no
    /// probe can be now, the text planned for is one that is not there.
    fn review(&self, probe: &mut Probe<I::Text>) {
        probe.text = fbt::probeable::<I, P>(&self.platform, probe.address).unwrap_or_default();
    }

    /// Puts the trap in place, if the instruction is still the one that was planned for.
    fn displace(&self, probe: &mut Probe<I::Text>) {
        let Plan::Emulate(emulation) = I::plan(&probe.text) else {
            return;
        };
        let planned = probe.text.as_ref().get(..I::length(emulation));
        if planned.is_some_and(|planned| self.is_there(probe.address, planned)) {
            probe.armed = self.platform.patch(probe.address, I::TRAP).is_ok();
        }
    }

    /// Puts back what was displaced; leaves alone what someone else has written there since. What
    /// cannot be put back stays armed, and its site known.
    fn restore(&self, probe: &mut Probe<I::Text>) {
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
    let probes = control.fbt.probes().iter();
    for probe in probes.filter(|probe| probe.ecbs > 0 || probe.armed) {
        if let Plan::Emulate(emulation) = I::plan(&probe.text) {
            live.add_site(probe.address, emulation, probe.ecbs)?;
        }
    }
    for (number, consumer) in (0..).zip(&control.consumers) {
        let active = consumer
            .iter()
            .filter(|consumer| consumer.state == State::Active);
        for (epid, probe) in active.flat_map(Consumer::ecbs) {
            if let Some(probe) = control.fbt.probes().get(probe) {
                live.add_ecb(
                    probe.address,
                    LiveEcb {
                        consumer: number,
                        epid,
                    },
                );
            }
        }
    }
    Ok(live)
}
