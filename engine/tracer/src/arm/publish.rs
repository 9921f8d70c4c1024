//! Builds the live table.

use engine_isa::Arch;

use crate::control::Control;
use crate::fire::live::Live;
use crate::fire::table::LiveEcb;
use crate::grow::OutOfMemory;
use crate::probe::ecb::Enabling;
use crate::session::consumer::Consumer;

/// Builds the live table for the active ECBs. It also keeps the sites that are armed without any.
pub(crate) fn publish<A: Arch>(control: &mut Control<A>) -> Result<Live<A>, OutOfMemory> {
    let mut live = Live::publish(&mut control.registry)?;
    for (number, consumer) in control.consumers.iter().enumerate() {
        let active = consumer.iter().filter(|consumer| consumer.is_active());
        for (epid, ecb) in active.flat_map(Consumer::ecbs) {
            let enabling = Enabling {
                epid,
                clause: ecb.clause,
            };
            let live_ecb = LiveEcb {
                consumer: number,
                enabling,
            };
            if let Some(probe) = live.place(&control.registry, ecb.probe) {
                live.table.put(probe, live_ecb);
            }
        }
    }
    Ok(live)
}
