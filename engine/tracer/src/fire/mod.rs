//! The fire path: what runs in a trap, a timer's tick, an ftrace callback or a tracepoint.
//!
//! A provider's entry point (`trap`, `called`, `tick`, or one of those in `events`) looks up the
//! probe in the live table and passes it to [`Tracer::fire`], which takes the CPU's guard and runs
//! the clause of each ECB in its consumer's session. ECBs are ordered by consumer.
//!
//! Rules: no allocation, no sleeping, no panic, and no lock but those of [`spin`](crate::spin). The
//! guard is held with interrupts disabled. Nothing that could itself be probed is called before the
//! guard is held, or the probe would recurse without end: the live table is plain memory, and the
//! platform guarantees it for `cpu`, `has_stack`, `ticks` and for reading under [`Rcu`]. A probe
//! hit while its CPU holds the guard does not fire; it is counted as a recursion.

pub mod chill;
mod events;
pub mod firing;
pub mod guard;
pub mod live;
mod pulse;
pub mod table;
pub mod user_stack;

use core::sync::atomic::Ordering;

use engine_isa::Arch;

use crate::fire::firing::{Fired, Firing};
use crate::fire::guard::Held;
use crate::fire::live::Live;
use crate::fire::table::LiveEcb;
use crate::platform::{Platform, Rcu};
use crate::probe::ecb::Enabling;
use crate::providers::dtrace::{self, DtraceProbe};
use crate::providers::profile;
use crate::session::consumer::ConsumerId;
use crate::tracer::Tracer;

impl<A: Arch, P: Platform<Regs = A::Regs>> Tracer<A, P> {
    /// A timer fired, and interrupted this CPU at `kernel_pc` or `user_pc`; the other is 0. Called
    /// with interrupts disabled.
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

    /// Fires a probe of the `dtrace` provider for one consumer, if it has enabled it; returns the
    /// CPU.
    pub(crate) fn fire_dtrace_probe(&self, id: ConsumerId, probe: DtraceProbe) -> u32 {
        self.platform.with_irqs_off(|| {
            self.with_session(id.0, |session| {
                let ecbs = session.dtrace_ecbs(probe);
                if ecbs.is_empty() {
                    return;
                }
                let fired = Fired::Dtrace(dtrace::Fired {
                    probe,
                    arguments: [0; 6],
                });
                let firing = Firing::new(&self.platform, probe.id(), &fired);
                self.guarded(&firing, |held| {
                    let fire = |any, ecb: &Enabling| any | session.fire(&firing, held, *ecb);
                    ecbs.iter().fold(false, fire)
                });
            });
            self.platform.cpu() as u32
        })
    }

    /// Fires the probe at this index in the live table, if it has ECBs. Called with interrupts
    /// disabled.
    #[inline(never)]
    pub(crate) fn fire(&self, live: &Live<A>, probe: u32, fired: &Fired<'_, A>) {
        let Some((probe, ecbs)) = live.table.probe(probe) else {
            return;
        };
        if !self.platform.has_stack() {
            return self.drop_for_stack(ecbs, fired.dtrace_probe());
        }
        let firing = &Firing::new(&self.platform, probe.id, fired);
        self.guarded(firing, |held| {
            if held.is_check_due() && self.is_stalled(firing.cpu) {
                // This probe may not be the one that stalls the CPU, so every firing checks until
                // the heartbeat comes.
                held.until_check = 1;
                return self.kill(ecbs);
            }
            let fire = |ecb: &LiveEcb| {
                self.with_session(ecb.consumer, |session| {
                    session.fire(firing, held, ecb.enabling)
                })
            };
            ecbs.iter()
                .map(fire)
                .fold(false, |any, ran| any | ran.unwrap_or_default())
        });
    }

    /// Fires the probe at this index for many hits, whose clauses all
    /// [are tallies](engine_dvm::Clause::is_tally).
    pub(crate) fn fire_times(&self, live: &Live<A>, probe: u32, fired: &Fired<'_, A>, times: u64) {
        let Some((probe, ecbs)) = live.table.probe(probe) else {
            return;
        };
        let mut firing = Firing::new(&self.platform, probe.id, fired);
        firing.times = times;
        self.guarded(&firing, |held| {
            let fire = |ecb: &LiveEcb| {
                self.with_session(ecb.consumer, |session| {
                    session.fire_times(&firing, held, ecb.enabling)
                })
            };
            ecbs.iter()
                .map(fire)
                .fold(false, |any, ran| any | ran.unwrap_or_default())
        });
    }

    /// Counts a firing dropped for lack of stack. The guard is taken here too: a probe in what this
    /// calls must not fire.
    #[cold]
    #[inline(never)]
    fn drop_for_stack(&self, ecbs: &[LiveEcb], probe: Option<DtraceProbe>) {
        let Some(cpu) = self.cpus.get(self.platform.cpu()) else {
            return;
        };
        cpu.guarded(|_| {
            let drop = |ecb: &LiveEcb| {
                self.with_session(ecb.consumer, |session| session.drop_for_stack(probe))
            };
            // No short-circuit: every ECB's session must count the drop.
            let drops = ecbs.iter().filter_map(drop);
            if drops.fold(false, |any, is_lost| any | is_lost) {
                cpu.drop_for_stack();
            }
            false
        });
    }

    /// Whether this CPU has been firing for so long that its threads did not get to run.
    #[cold]
    #[inline(never)]
    fn is_stalled(&self, cpu: usize) -> bool {
        let limit = self.stall_limit.load(Ordering::Relaxed);
        let ticks = self.platform.ticks();
        self.cpus
            .get(cpu)
            .is_some_and(|cpu| cpu.is_stalled(ticks, limit))
    }

    /// Kills the consumers of these ECBs. Control disarms them once it gets to run.
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

    /// Runs `work` under this CPU's guard.
    fn guarded(&self, firing: &Firing<'_, A, P>, work: impl FnOnce(&mut Held) -> bool) {
        if let Some(cpu) = self.cpus.get(firing.cpu) {
            cpu.guarded(work);
        }
    }
}
