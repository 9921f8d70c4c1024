//! The fire path: what happens inside a trap, and inside a timer's tick.
//!
//! No allocation, no sleep, no panic, and no lock but those of [`spin`](crate::spin). Before the guard
//! is taken nothing is called that could itself be probed: the live table is plain memory, and the
//! platform promises as much for `cpu` and for reading a value under [`Rcu`].

mod events;
pub mod firing;
pub mod guard;
pub mod live;
mod pulse;
pub mod table;

use core::sync::atomic::Ordering;

use engine_isa::Arch;

use crate::fire::firing::{Fired, Firing};
use crate::fire::guard::Held;
use crate::fire::live::Live;
use crate::fire::table::LiveEcb;
use crate::platform::{Platform, Rcu};
use crate::probe::ecb::Enabling;
use crate::providers::dtrace::{self, Own};
use crate::providers::profile;
use crate::session::consumer::ConsumerId;
use crate::tracer::Tracer;

impl<A: Arch, P: Platform<Regs = A::Regs>> Tracer<A, P> {
    /// A timer's tick, on a CPU that it interrupted at that place, in the kernel or in user space; 0 is
    /// the other.
    pub fn tick(&self, number: u32, kernel_pc: u64, user_pc: u64) {
        self.live.read(|live| {
            let found = live.and_then(|live| Some((live, live.profile.find(number)?)));
            if let Some((live, timer)) = found {
                let fired = Fired::Profile(profile::Fired {
                    name: timer.name.bytes(),
                    pcs: [kernel_pc, user_pc],
                });
                self.fire(live, timer.probe, &fired);
            }
        });
    }

    /// Fires one of the engine's own probes for a consumer, here and now, if it has enabled it; on which
    /// CPU.
    pub(crate) fn fire_own(&self, id: ConsumerId, own: Own) -> u32 {
        self.platform.with_irqs_off(|| {
            self.with_session(id.0, |session| {
                let ecbs = session.own(own);
                if ecbs.is_empty() {
                    return;
                }
                let fired = Fired::Dtrace(dtrace::Fired {
                    probe: own,
                    arguments: [0; 6],
                });
                let firing = Firing::new(&self.platform, own.id(), &fired);
                self.guarded(&firing, |held| {
                    let frames = &mut *held.frames;
                    let fire = |any, ecb: &Enabling| any | session.fire(&firing, frames, *ecb);
                    ecbs.iter().fold(false, fire)
                });
            });
            self.platform.cpu() as u32
        })
    }

    /// Fires the probe of this number, if it has ECBs. They are ordered by their consumers.
    #[inline(never)]
    pub(crate) fn fire(&self, live: &Live<A>, probe: u32, fired: &Fired<'_, A>) {
        let Some((probe, ecbs)) = live.table.probe(probe) else {
            return;
        };
        if !self.platform.has_stack() {
            return self.drop_for_stack(ecbs, fired.own());
        }
        let firing = &Firing::new(&self.platform, probe.id, fired);
        self.guarded(firing, |held| {
            if held.is_to_look() && self.is_stalled(firing.cpu) {
                // This one may not be what stalls the CPU: each looks until the beat comes.
                held.until_look = 1;
                return self.kill(ecbs);
            }
            let frames = &mut *held.frames;
            let fire = |ecb: &LiveEcb| {
                self.with_session(ecb.consumer, |session| {
                    session.fire(firing, frames, ecb.enabling)
                })
            };
            ecbs.iter()
                .map(fire)
                .fold(false, |any, ran| any | ran.unwrap_or_default())
        });
    }

    /// Counts what is not fired as too little stack is left; what a firing calls comes upon its guard anyway.
    #[cold]
    #[inline(never)]
    fn drop_for_stack(&self, ecbs: &[LiveEcb], own: Option<Own>) {
        let Some(cpu) = self.cpus.get(self.platform.cpu()) else {
            return;
        };
        cpu.guarded(|_| {
            let drop = |ecb: &LiveEcb| {
                self.with_session(ecb.consumer, |session| session.drop_for_stack(own))
            };
            // Each ECB's session counts, so all are asked.
            let drops = ecbs.iter().filter_map(drop);
            if drops.fold(false, |any, is_lost| any | is_lost) {
                cpu.drop_for_stack();
            }
            false
        });
    }

    /// Whether this CPU has fired for so long that none of its threads got to run meanwhile.
    #[cold]
    #[inline(never)]
    fn is_stalled(&self, cpu: usize) -> bool {
        let limit = self.stall_limit.load(Ordering::Relaxed);
        let ticks = self.platform.ticks();
        self.cpus
            .get(cpu)
            .is_some_and(|cpu| cpu.is_stalled(ticks, limit))
    }

    /// Ends the tracing of those who have these ECBs. The control side disarms them once it gets to run.
    #[cold]
    #[inline(never)]
    fn kill(&self, ecbs: &[LiveEcb]) -> bool {
        let kill = |ecb: &LiveEcb| {
            self.with_session(ecb.consumer, |session| session.activity.kill_active())
        };
        let killed = ecbs.iter().filter_map(kill).filter(|is_new| *is_new);
        self.stalled.fetch_add(killed.count(), Ordering::Relaxed);
        false
    }

    /// Runs `work` for a firing on this CPU, unless the CPU is in one already.
    fn guarded(&self, firing: &Firing<'_, A, P>, work: impl FnOnce(&mut Held) -> bool) {
        if let Some(cpu) = self.cpus.get(firing.cpu) {
            cpu.guarded(work);
        }
    }
}
