//! The fire path: what happens inside a trap.
//!
//! No allocation, no sleep, no lock, no panic, and before the guard is taken nothing is called
//! that could itself be probed: the live table is plain memory, and the platform promises as much
//! for `cpu` and for reading a value under [`Rcu`].

use core::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering, compiler_fence};

use engine_isa::Memory;

use crate::isa::Isa;
use crate::live::LiveEcb;
use crate::platform::{Platform, Rcu};
use crate::tracer::Tracer;

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

/// What a CPU counts. Only traps of that CPU write it, and only while they hold its guard, but
/// for `recursions`.
#[derive(Debug, Default)]
pub(crate) struct Cpu {
    firing: AtomicBool,
    fired: AtomicU64,
    recursions: AtomicUsize,
}

impl Cpu {
    /// Traps that fired.
    pub(crate) fn fired(&self) -> u64 {
        self.fired.load(Ordering::Relaxed)
    }

    /// Traps that did not, because they came while the CPU was firing.
    pub(crate) fn recursions(&self) -> u64 {
        self.recursions.load(Ordering::Relaxed) as u64
    }

    /// Runs `work`, unless this CPU is in such work already: then that is counted.
    fn guarded(&self, work: impl FnOnce()) {
        if self.firing.load(Ordering::Relaxed) {
            // Such traps can interrupt one another.
            self.recursions.fetch_add(1, Ordering::Relaxed);
            return;
        }
        self.firing.store(true, Ordering::Relaxed);
        // Who looks at the guard is this CPU, in a trap within the work: only the compiler could
        // put the two out of order.
        compiler_fence(Ordering::SeqCst);
        bump(&self.fired);
        work();
        compiler_fence(Ordering::SeqCst);
        self.firing.store(false, Ordering::Relaxed);
    }
}

/// Counts one up. There is one writer, so this needs no atomic addition.
fn bump(counter: &AtomicU64) {
    counter.store(
        counter.load(Ordering::Relaxed).wrapping_add(1),
        Ordering::Relaxed,
    );
}

impl<I: Isa, P: Platform> Tracer<I, P> {
    /// Handles a trap: fires the site's ECBs and does its instruction.
    pub fn trap(&self, regs: &mut I::Regs, memory: &mut impl Memory) -> Trap {
        let pc = I::pc(regs);
        self.live.read(|live| {
            let Some((site, ecbs)) = live.and_then(|live| live.site(pc)) else {
                if self.is_not_ours(pc) {
                    I::set_pc(regs, pc);
                    return Trap::Retry;
                }
                return Trap::Stray;
            };
            if let Some(cpu) = self.cpus.get(self.platform.cpu()) {
                cpu.guarded(|| self.fire(ecbs));
            }
            I::set_pc(regs, pc);
            match I::emulate(site.emulation, regs, memory) {
                Ok(()) => Trap::Resumed,
                Err(_) => Trap::Failed,
            }
        })
    }

    fn fire(&self, ecbs: &[LiveEcb]) {
        let cpu = self.platform.cpu();
        let now = self.platform.now();
        for ecb in ecbs {
            let Some(rings) = self.rings.get(ecb.consumer) else {
                continue;
            };
            rings.read(|rings| {
                if let Some(ring) = rings.and_then(|rings| rings.of(cpu)) {
                    ring.record(ecb.epid, now);
                }
            });
        }
    }
}
