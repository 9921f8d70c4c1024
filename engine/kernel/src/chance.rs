//! Numbers for `rand()`: from a trap the kernel cannot be asked for one, since it may have been
//! interrupted while it made one.

use alloc::vec::Vec;
use core::sync::atomic::{AtomicU64, Ordering};

use engine_tracer::{OutOfMemory, filled};

/// A stream of numbers for each CPU, which begins where the kernel's own chance had it begin.
pub struct Chance(Vec<AtomicU64>);

impl Chance {
    /// Streams for so many CPUs.
    pub fn new(cpus: usize, seed: impl Fn() -> u64) -> Result<Self, OutOfMemory> {
        Ok(Self(filled(cpus, || AtomicU64::new(seed()))?))
    }

    /// The next of this CPU's, which alone asks for it.
    pub fn next(&self, cpu: usize) -> u64 {
        /// 2 to the power of 64, divided by the golden ratio: all 64-bit numbers come, each once.
        const STEP: u64 = 0x9e37_79b9_7f4a_7c15;
        let Some(state) = self.0.get(cpu) else {
            return 0;
        };
        let next = state.load(Ordering::Relaxed).wrapping_add(STEP);
        state.store(next, Ordering::Relaxed);
        mixed(next)
    }
}

/// The finish of SplitMix64 (Steele, Lea, Flood: Fast Splittable Pseudorandom Number Generators), in which
/// every bit depends on every bit of `state`.
fn mixed(state: u64) -> u64 {
    let state = (state ^ state >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let state = (state ^ state >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    state ^ state >> 31
}
