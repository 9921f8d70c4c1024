//! The guard of a CPU: one firing at a time.

use alloc::vec::Vec;
use core::sync::atomic::{AtomicUsize, Ordering};

use crate::count::Count;
use crate::fire::pulse::Pulse;
use crate::grow::{OutOfMemory, filled};
use crate::platform::{Platform, TryLock};

/// The most frames of a stack, and one for the function whose entry fires.
const FRAMES: usize = 257;

/// Of so many firings of a CPU, one looks for the CPU's beat. As many, each with clauses as long as any may be, are
/// short against the deadman's limit.
const FIRINGS_OF_A_LOOK: u32 = 8;

/// A CPU's guard, and what it counts. Only firings of that CPU write it, and only while they hold the
/// guard, but for `recursions`.
pub struct Cpu<P: Platform> {
    /// Held while the CPU fires.
    guard: P::TryLock<Held>,
    fired: Count,
    recursions: AtomicUsize,
    /// Firings that found too little stack left.
    stack_drops: AtomicUsize,
    pulse: Pulse,
}

/// What a firing has of its CPU.
pub struct Held {
    /// Room for a stack.
    pub frames: Vec<u64>,
    /// How many firings it is until one looks for the beat.
    pub until_look: u32,
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
    pub fn is_to_look(&mut self) -> bool {
        self.until_look = self.until_look.wrapping_sub(1);
        let is_due = self.until_look == 0;
        if is_due {
            self.until_look = FIRINGS_OF_A_LOOK;
        }
        is_due
    }
}

impl<P: Platform> Cpu<P> {
    pub fn new() -> Result<Self, OutOfMemory> {
        Ok(Self {
            guard: P::TryLock::new(Held::new()?),
            fired: Count::default(),
            recursions: AtomicUsize::new(0),
            stack_drops: AtomicUsize::new(0),
            pulse: Pulse::default(),
        })
    }

    /// A thread of the CPU's has run.
    pub fn beat(&self) {
        self.pulse.beat();
    }

    /// A firing found too little stack left.
    pub fn drop_for_stack(&self) {
        self.stack_drops.fetch_add(1, Ordering::Relaxed);
    }

    /// Whether a firing at `now` finds that the beat is missed: see [`Pulse::is_missed`].
    pub fn is_stalled(&self, now: u32, limit: u32) -> bool {
        self.pulse.is_missed(now, limit)
    }

    /// What fired, and had a clause run.
    pub fn fired(&self) -> u64 {
        self.fired.get()
    }

    /// What did not, because it came while the CPU was firing.
    pub fn recursions(&self) -> u64 {
        self.recursions.load(Ordering::Relaxed) as u64
    }

    /// What did not, because too little stack was left.
    pub fn stack_drops(&self) -> u64 {
        self.stack_drops.load(Ordering::Relaxed) as u64
    }

    /// Runs `work`, unless this CPU is in such work already: then that is counted. Work that says that
    /// something came of it is counted too.
    pub fn guarded(&self, work: impl FnOnce(&mut Held) -> bool) {
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
