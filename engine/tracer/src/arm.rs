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

    /// Puts the trap in place, if the text is still what was planned for.
    fn displace(&self, probe: &mut Probe<I::Text>) {
        let mut text = I::Text::default();
        let read = self.platform.peek(probe.address, text.as_mut());
        let planned = matches!(I::plan(&probe.text), Plan::Emulate(_));
        if read.is_ok() && planned && text == probe.text {
            self.platform.patch(probe.address, I::TRAP);
            probe.armed = true;
        }
    }

    /// Puts back what was displaced; leaves alone what someone else has written there since.
    fn restore(&self, probe: &mut Probe<I::Text>) {
        probe.armed = false;
        if self.traps(probe.address)
            && let Some(displaced) = probe.text.as_ref().get(..I::TRAP.len())
        {
            self.platform.patch(probe.address, displaced);
        }
    }

    /// Whether the text at `address` is our trap.
    pub(crate) fn traps(&self, address: usize) -> bool {
        let mut text = I::Text::default();
        self.platform.peek(address, text.as_mut()).is_ok() && text.as_ref().starts_with(I::TRAP)
    }
}

/// The live table for the active ECBs.
fn survey<I: Isa>(control: &Control<I::Text>) -> Result<Live<I::Emulation>, OutOfMemory> {
    let mut live = Live::new();
    for probe in control.fbt.probes().iter().filter(|probe| probe.ecbs > 0) {
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
