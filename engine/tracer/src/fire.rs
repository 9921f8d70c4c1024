//! The fire path: what happens inside a trap, and inside a timer's tick.
//!
//! No allocation, no sleep, no panic, and no lock but those of [`spin`](crate::spin). Before the guard
//! is taken nothing is called that could itself be probed: the live table is plain memory, and the
//! platform promises as much for `cpu` and for reading a value under [`Rcu`].

use core::sync::atomic::{AtomicUsize, Ordering};

use alloc::vec::Vec;

use engine_isa::{Arch, Memory};

use crate::consumer::{ConsumerId, Enabling};
use crate::count::Count;
use crate::deadman::Pulse;
use crate::firing::{Fired, Firing, Place};
use crate::grow::{OutOfMemory, filled};
use crate::live::{Live, LiveEcb, Resume, Site};
use crate::platform::{Platform, Rcu, TryLock};
use crate::providers::dtrace::Own;
use crate::tracer::Tracer;

/// The most frames of a stack, and one for the function whose entry fires.
const FRAMES: usize = 257;

/// Of so many firings of a CPU, one looks for the CPU's beat. As many, each with clauses as long as any may be, are
/// short against the deadman's limit.
const FIRINGS_OF_A_LOOK: u32 = 8;

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
    /// Held while the CPU fires.
    guard: P::TryLock<Held>,
    fired: Count,
    recursions: AtomicUsize,
    /// Firings that found too little stack left.
    stack_drops: AtomicUsize,
    pulse: Pulse,
}

/// What a firing has of its CPU.
struct Held {
    /// Room for a stack.
    frames: Vec<u64>,
    /// How many firings it is until one looks for the beat.
    until_look: u32,
}

impl Held {
    fn new() -> Result<Self, OutOfMemory> {
        Ok(Self {
            frames: filled(FRAMES, || 0)?,
            until_look: FIRINGS_OF_A_LOOK,
        })
    }

    /// Whether this firing is to look for the beat.
    #[inline]
    fn is_to_look(&mut self) -> bool {
        self.until_look = self.until_look.wrapping_sub(1);
        let is_due = self.until_look == 0;
        if is_due {
            self.until_look = FIRINGS_OF_A_LOOK;
        }
        is_due
    }
}

impl<P: Platform> Cpu<P> {
    pub(crate) fn new() -> Result<Self, OutOfMemory> {
        Ok(Self {
            guard: P::TryLock::new(Held::new()?),
            fired: Count::default(),
            recursions: AtomicUsize::new(0),
            stack_drops: AtomicUsize::new(0),
            pulse: Pulse::default(),
        })
    }

    /// A thread of the CPU's has run.
    pub(crate) fn beat(&self) {
        self.pulse.beat();
    }

    /// What fired, and had a clause run.
    pub(crate) fn fired(&self) -> u64 {
        self.fired.get()
    }

    /// What did not, because it came while the CPU was firing.
    pub(crate) fn recursions(&self) -> u64 {
        self.recursions.load(Ordering::Relaxed) as u64
    }

    /// What did not, because too little stack was left.
    pub(crate) fn stack_drops(&self) -> u64 {
        self.stack_drops.load(Ordering::Relaxed) as u64
    }

    /// Runs `work`, unless this CPU is in such work already: then that is counted. Work that says that
    /// something came of it is counted too.
    fn guarded(&self, work: impl FnOnce(&mut Held) -> bool) {
        let worked = self.guard.try_with(|held| {
            if work(held) {
                self.fired.add_one();
            }
        });
        if worked.is_none() {
            // Those that are turned away can interrupt one another.
            self.recursions.fetch_add(1, Ordering::Relaxed);
        }
    }
}

impl<A: Arch, P: Platform<Regs = A::Regs>> Tracer<A, P> {
    /// Handles a trap: fires the site's ECBs and does its instruction.
    pub fn trap(&self, regs: &mut A::Regs, memory: &mut impl Memory) -> Trap {
        let pc = A::pc(regs);
        self.live.read(|live| {
            let found = live.and_then(|live| Some((live, live.site(pc)?)));
            let Some((live, site)) = found else {
                if self.is_not_ours(pc) {
                    A::set_pc(regs, pc);
                    return Trap::Retry;
                }
                return Trap::Stray;
            };
            self.hit(live, site, regs);
            resume::<A>(site.resume, pc, regs, memory)
        })
    }

    /// Counts a hit of this site, and fires what its function has there.
    fn hit(&self, live: &Live<A::Emulation>, site: &Site<A::Emulation>, regs: &A::Regs) {
        site.hits.fetch_add(1, Ordering::Relaxed);
        if let Some(function) = live.function(site.function) {
            let [entry, exit] = function.probes;
            let place = || Place { live, site, regs };
            if site.is_entry {
                self.fire(live, entry, &Fired::Entry(place()));
            }
            if let Some(leaves) = site.leaves
                && leaves_now::<A>(site.resume, regs)
            {
                self.fire(live, exit, &Fired::Return(place(), leaves));
            }
        }
    }

    /// The function tracer has come by this call of its, with these registers: fires the entry that it tells
    /// of. To be called as if from a trap.
    pub fn called(&self, call: usize, regs: &A::Regs) {
        self.live.read(|live| {
            if let Some(live) = live
                && let Some(site) = live.site(call)
            {
                self.hit(live, site, regs);
            }
        });
    }

    /// A timer's tick, on a CPU that it interrupted at that place, in the kernel or in user space; 0 is
    /// the other.
    pub fn tick(&self, number: u32, kernel_pc: u64, user_pc: u64) {
        self.live.read(|live| {
            let found = live.and_then(|live| Some((live, live.timer(number)?)));
            if let Some((live, timer)) = found {
                let name = timer.name.bytes();
                self.fire(live, timer.probe, &Fired::Timer(name, [kernel_pc, user_pc]));
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
                let fired = Fired::Own(own, [0; 6]);
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
    pub(crate) fn fire(&self, live: &Live<A::Emulation>, probe: u32, fired: &Fired<'_, A>) {
        let Some((probe, ecbs)) = live.probe(probe) else {
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
                cpu.stack_drops.fetch_add(1, Ordering::Relaxed);
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
            .is_some_and(|cpu| cpu.pulse.is_missed(ticks, limit))
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

/// Whether an instruction that leaves a function does so now: on a condition it may not.
fn leaves_now<A: Arch>(resume: Resume<A::Emulation>, regs: &A::Regs) -> bool {
    match resume {
        Resume::Emulate(emulation) => A::goes(emulation, regs),
        Resume::Slot(_) | Resume::On => true,
    }
}

/// Does the instruction that a trap at `pc` displaced, or has the CPU go on in its slot.
fn resume<A: Arch>(
    resume: Resume<A::Emulation>,
    pc: usize,
    regs: &mut A::Regs,
    memory: &mut impl Memory,
) -> Trap {
    match resume {
        Resume::Slot(slot) => {
            A::enter(regs, slot);
            Trap::Resumed
        }
        // Nothing traps there.
        Resume::On => Trap::Failed,
        Resume::Emulate(emulation) => {
            A::set_pc(regs, pc);
            match A::emulate(emulation, regs, memory) {
                Ok(()) => Trap::Resumed,
                Err(_) => Trap::Failed,
            }
        }
    }
}
