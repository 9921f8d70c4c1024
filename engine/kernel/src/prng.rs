//! Pseudo-random numbers for `rand()`.
//!
//! Probe context cannot call the kernel's generator: the trap may have interrupted it with its lock
//! held.

use alloc::vec::Vec;
use core::sync::atomic::{AtomicU64, Ordering};

use engine_tracer::{OutOfMemory, filled};

/// One SplitMix64 generator per possible CPU, each with a seed of its own.
pub struct Prng(Vec<AtomicU64>);

impl Prng {
    /// Creates generators for CPUs 0 to `cpus - 1`; `seed` is called once for each.
    pub fn new(cpus: usize, seed: impl Fn() -> u64) -> Result<Self, OutOfMemory> {
        Ok(Self(filled(cpus, || AtomicU64::new(seed()))?))
    }

    /// The next number of `cpu`'s generator; 0 if there is no such CPU. Called on `cpu` with
    /// interrupts disabled, so load and store need not be one atomic operation.
    pub fn next(&self, cpu: usize) -> u64 {
        /// 2^64 divided by the golden ratio. It is odd, so the state takes all 2^64 values before
        /// it repeats.
        const STEP: u64 = 0x9e37_79b9_7f4a_7c15;
        let Some(state) = self.0.get(cpu) else {
            return 0;
        };
        let next = state.load(Ordering::Relaxed).wrapping_add(STEP);
        state.store(next, Ordering::Relaxed);
        mix(next)
    }
}

/// SplitMix64's output function (Steele, Lea, Flood: Fast Splittable Pseudorandom Number
/// Generators): every bit of the result depends on every bit of `state`.
fn mix(state: u64) -> u64 {
    let state = (state ^ state >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let state = (state ^ state >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    state ^ state >> 31
}
