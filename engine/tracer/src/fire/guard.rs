//! The per-CPU guard against recursion: a CPU is in at most one firing at a time.

use alloc::vec::Vec;
use core::sync::atomic::{AtomicUsize, Ordering};

use crate::count::Count;
use crate::fire::chill::Chill;
use crate::fire::pulse::Pulse;
use crate::grow::{OutOfMemory, filled};
use crate::platform::{Platform, TryLock};

/// Frames of the deepest stack trace, plus one for the function whose entry fires.
const FRAMES: usize = 257;

/// Firings of a CPU from one heartbeat check to the next. That many, each with the longest clauses
/// allowed, take far less time than the deadman's limit.
const FIRINGS_PER_CHECK: u32 = 8;

/// A CPU's guard and counters. Only firings on that CPU write them, and those under the guard but
/// for `recursions`; `pulse` is also written by the CPU's heartbeat worker and by `start_deadman`.
pub struct Cpu<P: Platform> {
    /// Held throughout a firing.
    guard: P::TryLock<Held>,
    fired: Count,
    recursions: AtomicUsize,
    /// Firings dropped because too little stack was left.
    stack_drops: AtomicUsize,
    pulse: Pulse,
}

/// Per-CPU state that the guard protects.
pub struct Held {
    /// Buffer for a stack trace.
    pub frames: Vec<u64>,
    /// The time that clauses have spun.
    pub chill: Chill,
    /// Firings until the next heartbeat check.
    pub until_check: u32,
}

impl Held {
    fn new() -> Result<Self, OutOfMemory> {
        Ok(Self {
            frames: filled(FRAMES, || 0)?,
            chill: Chill::default(),
            until_check: FIRINGS_PER_CHECK,
        })
    }

    /// Whether this firing must check the heartbeat.
    #[inline]
    pub fn is_check_due(&mut self) -> bool {
        self.until_check = self.until_check.wrapping_sub(1);
        let is_due = self.until_check == 0;
        if is_due {
            self.until_check = FIRINGS_PER_CHECK;
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

    /// Records a heartbeat: a thread has run on this CPU.
    pub fn beat(&self) {
        self.pulse.beat();
    }

    /// Counts a firing dropped for lack of stack.
    pub fn drop_for_stack(&self) {
        self.stack_drops.fetch_add(1, Ordering::Relaxed);
    }

    /// Whether the heartbeat is overdue at tick `now`: see [`Pulse::is_missed`].
    pub fn is_stalled(&self, now: u32, limit: u32) -> bool {
        self.pulse.is_missed(now, limit)
    }

    /// Firings that ran a clause.
    pub fn fired(&self) -> u64 {
        self.fired.get()
    }

    /// Firings dropped because the CPU was already in one.
    pub fn recursions(&self) -> u64 {
        self.recursions.load(Ordering::Relaxed) as u64
    }

    /// Firings dropped because too little stack was left.
    pub fn stack_drops(&self) -> u64 {
        self.stack_drops.load(Ordering::Relaxed) as u64
    }

    /// Runs `work` under the guard, and counts a firing if it returns true. If the CPU already
    /// holds the guard, `work` does not run and a recursion is counted.
    pub fn guarded(&self, work: impl FnOnce(&mut Held) -> bool) {
        let worked = self.guard.try_with(|held| {
            if work(held) {
                self.fired.add_one();
            }
        });
        if worked.is_none() {
            // Recursions can nest, so this needs an atomic increment.
            self.recursions.fetch_add(1, Ordering::Relaxed);
        }
    }
}
