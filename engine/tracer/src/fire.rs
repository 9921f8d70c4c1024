//! The fire path: what happens inside a trap, and inside a timer's tick.
//!
//! No allocation, no sleep, no panic, and no lock but those of [`spin`](crate::spin). Before the guard
//! is taken nothing is called that could itself be probed: the live table is plain memory, and the
//! platform promises as much for `cpu` and for reading a value under [`Rcu`].

use core::sync::atomic::{AtomicU64, AtomicUsize, Ordering};

use alloc::vec::Vec;
use engine_isa::Memory;

use crate::consumer::ConsumerId;
use crate::firing::{Arguments, Fired, Firing};
use crate::grow::{OutOfMemory, filled};
use crate::isa::Isa;
use crate::live::{Function, Live, LiveEcb, Resume, Site};
use crate::platform::{Platform, Rcu, TryLock};
use crate::providers::dtrace::Own;
use crate::providers::fbt::Role;
use crate::tracer::Tracer;

/// The most frames of a stack, and one for the function whose entry fires.
const FRAMES: usize = 257;

/// What became of a trap.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Trap {
    /// The registers are as the displaced instruction would have left them.
    Resumed,
    /// The site was disarmed meanwhile: its own instruction is back, and can be run.
    Retry,
    /// Not a trap of ours.
    Stray,
    /// The displaced instruction could not be carried out.
    Failed,
}

/// A CPU's guard, and what it counts. Only firings of that CPU write it, and only while they hold the
/// guard, but for `recursions`.
pub(crate) struct Cpu<P: Platform> {
    /// Held while the CPU fires, with room for a stack.
    guard: P::TryLock<Vec<u64>>,
    fired: AtomicU64,
    recursions: AtomicUsize,
}

impl<P: Platform> Cpu<P> {
    pub(crate) fn new() -> Result<Self, OutOfMemory> {
        Ok(Self {
            guard: P::TryLock::new(filled(FRAMES, || 0)?),
            fired: AtomicU64::new(0),
            recursions: AtomicUsize::new(0),
        })
    }

    /// What fired, and had a clause run.
    pub(crate) fn fired(&self) -> u64 {
        self.fired.load(Ordering::Relaxed)
    }

    /// What did not, because it came while the CPU was firing.
    pub(crate) fn recursions(&self) -> u64 {
        self.recursions.load(Ordering::Relaxed) as u64
    }

    /// Runs `work`, unless this CPU is in such work already: then that is counted. Work that says that
    /// something came of it is counted too.
    fn guarded(&self, work: impl FnOnce(&mut [u64]) -> bool) {
        let worked = self.guard.try_with(|frames| {
            if work(frames) {
                bump(&self.fired);
            }
        });
        if worked.is_none() {
            // Those that are turned away can interrupt one another.
            self.recursions.fetch_add(1, Ordering::Relaxed);
        }
    }
}

/// Counts one up. There is one writer, so this needs no atomic addition.
fn bump(counter: &AtomicU64) {
    counter.store(
        counter.load(Ordering::Relaxed).wrapping_add(1),
        Ordering::Relaxed,
    );
}

impl<I: Isa, P: Platform<Regs = I::Regs>> Tracer<I, P> {
    /// Handles a trap: fires the site's ECBs and does its instruction.
    pub fn trap(&self, regs: &mut I::Regs, memory: &mut impl Memory) -> Trap {
        let pc = I::pc(regs);
        self.live.read(|live| {
            let found = live.and_then(|live| Some((live, live.site(pc)?)));
            let Some((live, site)) = found else {
                if self.is_not_ours(pc) {
                    I::set_pc(regs, pc);
                    return Trap::Retry;
                }
                return Trap::Stray;
            };
            site.hits.fetch_add(1, Ordering::Relaxed);
            if let Some(function) = live.function(site.function) {
                self.enter(live, site, function, regs);
                self.leave(live, site, function, regs);
            }
            resume::<I>(site.resume, pc, regs, memory)
        })
    }

    /// Fires the function's entry, if `site` is that.
    fn enter(
        &self,
        live: &Live<I::Emulation>,
        site: &Site<I::Emulation>,
        function: &Function,
        regs: &I::Regs,
    ) {
        let [probe, _] = function.probes;
        if site.is_entry
            && let Some((probe, ecbs)) = live.probe(probe)
        {
            let fired = Fired::Function(function, live.names(), Role::Entry);
            let arguments = Arguments::Entry(regs);
            self.fire(ecbs, &self.firing(probe.id, fired, arguments));
        }
    }

    /// Fires the function's return, if `site` leaves the function, and does so now: on a condition it may
    /// not.
    fn leave(
        &self,
        live: &Live<I::Emulation>,
        site: &Site<I::Emulation>,
        function: &Function,
        regs: &I::Regs,
    ) {
        let Some(leaves) = site.leaves else {
            return;
        };
        let [_, probe] = function.probes;
        let goes = match site.resume {
            Resume::Emulate(emulation) => I::goes(emulation, regs),
            Resume::Slot(_) => true,
        };
        if goes && let Some((probe, ecbs)) = live.probe(probe) {
            let fired = Fired::Function(function, live.names(), Role::Return);
            let arguments = Arguments::Return(regs, site.offset, leaves);
            self.fire(ecbs, &self.firing(probe.id, fired, arguments));
        }
    }

    /// A timer's tick, on a CPU that it interrupted at that place, in the kernel or in user space; 0 is
    /// the other.
    pub fn tick(&self, number: u32, kernel_pc: u64, user_pc: u64) {
        self.live.read(|live| {
            let found = live.and_then(|live| {
                let timer = live.timer(number)?;
                Some((timer, live.probe(timer.probe)?))
            });
            if let Some((timer, (probe, ecbs))) = found {
                let arguments = Arguments::Numbers([kernel_pc, user_pc, 0, 0, 0, 0]);
                let fired = Fired::Timer(timer.name.bytes());
                self.fire(ecbs, &self.firing(probe.id, fired, arguments));
            }
        });
    }

    /// Fires one of the engine's own probes for a consumer, here and now, if it has enabled it; on which
    /// CPU.
    pub(crate) fn fire_own(&self, id: ConsumerId, own: Own) -> u32 {
        self.platform.undisturbed(|| {
            self.with_session(id.0, |session| {
                let ecbs = session.own(own);
                if ecbs.is_empty() {
                    return;
                }
                let arguments = Arguments::Numbers([0; 6]);
                let firing = self.firing(own.id(), Fired::Own(own), arguments);
                self.guarded(&firing, |frames| {
                    session.fire(&firing, frames, ecbs.iter().copied())
                });
            });
            self.platform.cpu() as u32
        })
    }

    /// Fires these ECBs, which are ordered by their consumers.
    fn fire(&self, ecbs: &[LiveEcb], firing: &Firing<'_, I, P>) {
        self.guarded(firing, |frames| {
            let (mut rest, mut any) = (ecbs, false);
            while let Some(LiveEcb { consumer, .. }) = rest.first() {
                let count = rest
                    .iter()
                    .take_while(|ecb| ecb.consumer == *consumer)
                    .count();
                let (ecbs, behind) = rest.split_at_checked(count).unwrap_or_default();
                let ran = self.with_session(*consumer, |session| {
                    session.fire(firing, frames, ecbs.iter().map(|ecb| ecb.enabling))
                });
                any |= ran.unwrap_or_default();
                rest = behind;
            }
            any
        });
    }

    /// A firing here and now.
    fn firing<'a>(
        &'a self,
        id: u32,
        fired: Fired<'a>,
        arguments: Arguments<'a, I::Regs>,
    ) -> Firing<'a, I, P> {
        Firing::new(&self.platform, id, fired, arguments)
    }

    /// Runs `work` for a firing on this CPU, unless the CPU is in one already.
    fn guarded(&self, firing: &Firing<'_, I, P>, work: impl FnOnce(&mut [u64]) -> bool) {
        if let Some(cpu) = self.cpus.get(firing.cpu) {
            cpu.guarded(work);
        }
    }
}

/// Does the instruction that a trap at `pc` displaced, or has the CPU go on in its slot.
fn resume<I: Isa>(
    resume: Resume<I::Emulation>,
    pc: usize,
    regs: &mut I::Regs,
    memory: &mut impl Memory,
) -> Trap {
    match resume {
        Resume::Slot(slot) => {
            I::enter(regs, slot);
            Trap::Resumed
        }
        Resume::Emulate(emulation) => {
            I::set_pc(regs, pc);
            match I::emulate(emulation, regs, memory) {
                Ok(()) => Trap::Resumed,
                Err(_) => Trap::Failed,
            }
        }
    }
}
