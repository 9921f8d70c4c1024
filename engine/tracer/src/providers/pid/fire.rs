//! Traps in processes: firing of the pid provider.

use core::sync::atomic::Ordering;

use engine_dvm::Clause;
use engine_isa::body::Leaves;
use engine_isa::{Arch, Fault, Memory, Unreadable, Width};

use super::live::{Probe, Site, Use};
use super::usdt;
use crate::fire::firing::Fired as Any;
use crate::fire::live::Live;
use crate::fire::table::LiveEcb;
use crate::platform::{Origin, Platform, Rcu, UserOrigin};
use crate::providers::Fires;
use crate::session::Session;
use crate::session::plan::{At, Plan};
use crate::site::resume::{Resume, Trap, resume};
use crate::tracer::Tracer;

/// Frames to skip where the whole kernel stack belongs to the trap.
const ALL: usize = usize::MAX;

impl<A: Arch, P: Platform<Regs = A::Regs>> Tracer<A, P> {
    /// Handles a trap of the current process: fires the ECBs of its site and executes the displaced
    /// instruction. Called with interrupts disabled. [`Trap::Stray`] says that there is no site: if
    /// the platform knows of one that was removed while the trap was in flight, the instruction is
    /// there again. After [`Trap::Failed`] the registers are as
    /// before the instruction: memory that it needs is not there. Once that is brought in, it is
    /// executed by [`Tracer::user_resume`].
    pub fn user_trap(&self, regs: &mut A::Regs, memory: &mut impl Memory) -> Hit {
        let pc = A::pc(regs);
        let mut ticket = 0;
        let trap = self.handle_user(pc, regs, memory, |live, site, regs| {
            ticket = self.fire_site(live, site, regs);
        });
        Hit { trap, ticket }
    }

    /// Fires the ECBs of the site at `pc` of the current process, whose instruction is executed by
    /// other means. Returns a ticket like that of [`Hit`]. Called with interrupts disabled.
    pub fn user_hit(&self, pc: usize, regs: &A::Regs) -> u32 {
        let space = self.platform.current_space();
        self.live.read(|live| {
            let found = live.and_then(|live| Some((live, live.pid.sites.find((space, pc))?)));
            found.map_or(0, |(live, site)| self.fire_site(live, site, regs))
        })
    }

    /// Fires the ECBs of the site at `pc` of the current process for many hits that were only counted, as
    /// [`Tracer::is_tally`] allows. Called with interrupts disabled.
    pub fn user_hits(&self, pc: usize, regs: &A::Regs, times: u64) {
        let space = self.platform.current_space();
        self.live.read(|live| {
            let found = live.and_then(|live| Some((live, live.pid.sites.find((space, pc))?)));
            let Some((live, site)) = found else { return };
            site.hits.fetch_add(times as usize, Ordering::Relaxed);
            for (one, probe) in live.pid.uses(site) {
                let fired = Any::Pid(Fired {
                    live,
                    site,
                    probe,
                    one,
                    regs,
                });
                self.fire_times(live, probe.probe, &fired, times);
            }
        });
    }

    /// Whether a probe of a process may end tracing: then no hit may be fired later than it is. A probe that
    /// is created later can still end it; hits that were put off until then count.
    pub fn may_user_exit(&self) -> bool {
        self.live.read(|live| {
            let probes = live.into_iter().flat_map(|live| {
                let probes = live.pid.probes();
                probes.filter_map(|probe| live.table.probe(probe))
            });
            let mut ecbs = probes.flat_map(|(_, ecbs)| ecbs);
            ecbs.any(|ecb| {
                let may_exit = |session: &Session<P>| session.may_exit(ecb.enabling);
                self.with_session(ecb.consumer, may_exit) == Some(true)
            })
        })
    }

    /// Whether the hits of the site at `pc` of the current process may be counted instead of fired one by
    /// one, and fired later by [`Tracer::user_hits`]. If its instruction returns under a condition,
    /// only those hits may be counted in which it does.
    pub fn is_tally(&self, pc: usize) -> bool {
        let space = self.platform.current_space();
        let is_so = self.live.read(|live| {
            let live = live?;
            let site = live.pid.sites.find((space, pc))?;
            let mut uses = live.pid.uses(site);
            Some(!site.is_hook && uses.all(|(one, probe)| self.is_tally_at(live, one, probe)))
        });
        is_so.unwrap_or_default()
    }

    fn is_tally_at(&self, live: &Live<A>, one: &Use, probe: &Probe) -> bool {
        let ecbs = live.table.probe(probe.probe).map(|(_, ecbs)| ecbs);
        let mut ecbs = ecbs.unwrap_or_default().iter();
        one.leaves != Some(Leaves::Tail)
            && ecbs.all(|ecb| self.is_clause(ecb, |clause| clause.is_tally()))
    }

    /// What the hits of the site at `pc` of the current process record, if they do nothing else: then they
    /// may be recorded by [`Tracer::record`] instead. If its instruction returns under a condition, only
    /// those hits may in which it does.
    pub fn plan(&self, pc: usize) -> Option<Plan> {
        let space = self.platform.current_space();
        self.live.read(|live| {
            let live = live?;
            let site = live.pid.sites.find((space, pc))?;
            let mut uses = live.pid.uses(site);
            let (one, probe) = uses.next()?;
            // Each probe of a site has a time of its own.
            if site.is_hook || one.leaves == Some(Leaves::Tail) || uses.next().is_some() {
                return None;
            }
            let (fired, ecbs) = live.table.probe(probe.probe)?;
            let at = At {
                probe: fired.id,
                offset: pc.wrapping_sub(probe.function) as u64,
                leaves: one.leaves,
            };
            let mut plan = Plan::default();
            for ecb in ecbs {
                self.with_session(ecb.consumer, |session| {
                    let clause = session.clause(ecb.enabling.clause)?;
                    plan.add(&self.platform, &at, ecb, clause)
                })??;
            }
            Some(plan)
        })
    }

    /// Whether this holds of the clause of an ECB.
    fn is_clause(&self, ecb: &LiveEcb, holds: impl FnOnce(Clause<'_>) -> bool) -> bool {
        let found = self.with_session(ecb.consumer, |session| {
            session.clause(ecb.enabling.clause).is_some_and(holds)
        });
        found.unwrap_or_default()
    }

    /// Fires the ECBs of a site; returns the ticket of a thread that has to wait, or 0.
    fn fire_site(&self, live: &Live<A>, site: &Site<A>, regs: &A::Regs) -> u32 {
        site.hits.fetch_add(1, Ordering::Relaxed);
        for (one, probe) in live.pid.uses(site) {
            let leaves = one.leaves;
            if leaves.is_some_and(|leaves| !self.leaves_now(site, probe, leaves, regs)) {
                continue;
            }
            let fired = Any::Pid(Fired {
                live,
                site,
                probe,
                one,
                regs,
            });
            self.fire(live, probe.probe, &fired);
        }
        match site.is_hook {
            true => self.held.take_ticket(self.platform.current_space()),
            false => 0,
        }
    }

    /// Whether an instruction that may leave the function leaves it this time: a conditional one may
    /// not, nor one that jumps through a table of the function's own, as a switch does.
    fn leaves_now(&self, site: &Site<A>, probe: &Probe, leaves: Leaves, regs: &A::Regs) -> bool {
        let Resume::Emulate(emulation) = site.resume else {
            return true;
        };
        if leaves == Leaves::Return || !A::goes(emulation, regs) {
            return A::goes(emulation, regs);
        }
        self.jumps_out(site, probe, emulation, regs)
    }

    /// Whether a jump leads out of the function this time. Not inlined: every hit would pay for the
    /// registers that it needs.
    #[inline(never)]
    fn jumps_out(&self, site: &Site<A>, probe: &Probe, jump: A::Emulation, regs: &A::Regs) -> bool {
        let mut next = *regs;
        let (_, address) = site.place;
        // The set's own view of the pc is that of a trap, which may be behind its instruction.
        let behind = A::pc(regs).wrapping_sub(address);
        match A::emulate(jump, &mut next, &mut ReadOnly(&self.platform)) {
            Ok(()) => !probe.has(A::pc(&next).wrapping_sub(behind)),
            Err(_) => true,
        }
    }

    /// Executes the displaced instruction of a trap at `pc` that has fired. Called with interrupts
    /// disabled.
    pub fn user_resume(&self, pc: usize, regs: &mut A::Regs, memory: &mut impl Memory) -> Trap {
        self.handle_user(pc, regs, memory, |_, _, _| ())
    }

    fn handle_user(
        &self,
        pc: usize,
        regs: &mut A::Regs,
        memory: &mut impl Memory,
        hit: impl FnOnce(&Live<A>, &Site<A>, &A::Regs),
    ) -> Trap {
        let space = self.platform.current_space();
        self.live.read(|live| {
            let found = live.and_then(|live| Some((live, live.pid.sites.find((space, pc))?)));
            let Some((live, site)) = found else {
                return Trap::Stray;
            };
            // What clauses read of the registers is as if there were no trap.
            A::set_pc(regs, pc);
            hit(live, site, regs);
            resume::<A>(site.resume, pc, regs, memory)
        })
    }
}

/// What came of a trap of a process.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Hit {
    /// Of its instruction.
    pub trap: Trap,
    /// If not 0, the thread waits before it continues: until [`Tracer::is_released`], which holds
    /// soon after the platform was woken, or it gives up.
    pub ticket: u32,
}

/// A firing.
pub struct Fired<'a, A: Arch> {
    /// The live table that it was found in.
    live: &'a Live<A>,
    site: &'a Site<A>,
    probe: &'a Probe,
    /// The probe's place at the site.
    one: &'a Use,
    regs: &'a A::Regs,
}

impl<A: Arch> Fires<A> for Fired<'_, A> {
    fn provider(&self) -> Option<&[u8]> {
        let [provider, ..] = self.probe.names;
        Some(self.live.table.names().get(provider))
    }

    fn names(&self) -> [&[u8]; 3] {
        let [_, module, function, name] = self.probe.names;
        [module, function, name].map(|name| self.live.table.names().get(name))
    }

    /// The return value at a tail call is not known yet, so it reads as 0.
    fn argument<P: Platform<Regs = A::Regs>>(&self, platform: &P, number: u64) -> u64 {
        let mut load = |address, bytes: &mut [u8]| -> Result<(), Unreadable> {
            platform.load_user(address, bytes)
        };
        if let Some(operands) = self.live.pid.operands(self.one) {
            let operand = usize::try_from(number)
                .ok()
                .and_then(|number| operands.get(number));
            return operand.map_or(0, |operand| usdt::value(operand, platform));
        }
        let (_, address) = self.site.place;
        match (self.one.leaves, number) {
            (None, _) => A::argument(self.regs, self.site.mode, number, &mut load),
            (Some(_), 0) => address.wrapping_sub(self.probe.function) as u64,
            (Some(Leaves::Return), 1) => A::returned(self.regs),
            _ => 0,
        }
    }

    /// A function's frame exists neither at its first instruction nor where it returns.
    fn user_origin<P: Platform<Regs = A::Regs>>(&self, platform: &P) -> UserOrigin<'_, A::Regs> {
        let (_, address) = self.site.place;
        match (self.one.leaves, self.site.resume) {
            (Some(leaves), Resume::Emulate(emulation)) => {
                match A::after(emulation, leaves, self.regs, &mut ReadOnly(platform)) {
                    Some(caller) => UserOrigin::Leaving(address, caller),
                    None => UserOrigin::Bare(self.regs),
                }
            }
            (Some(_), _) => UserOrigin::Bare(self.regs),
            (None, _) if address == self.probe.function && !self.one.is_named() => {
                UserOrigin::Bare(self.regs)
            }
            (None, _) => UserOrigin::Body(self.regs),
        }
    }

    /// The kernel stack is the trap handler's own.
    fn origin(&self) -> (Origin<'_, A::Regs>, usize) {
        (Origin::Interrupted, ALL)
    }
}

/// The process's memory, read-only: for emulating an instruction just to find where it leads.
struct ReadOnly<'a, P>(&'a P);

impl<P: Platform> Memory for ReadOnly<'_, P> {
    fn load(&mut self, address: u64, width: Width) -> Result<u64, Fault> {
        let mut word = [0; 8];
        let bytes = word.get_mut(..width.bytes() as usize).unwrap_or_default();
        match self.0.load_user(address, bytes) {
            Ok(()) => Ok(u64::from_le_bytes(word)),
            Err(Unreadable) => Err(Fault { address }),
        }
    }

    fn store(&mut self, address: u64, _: Width, _: u64) -> Result<(), Fault> {
        Err(Fault { address })
    }
}
