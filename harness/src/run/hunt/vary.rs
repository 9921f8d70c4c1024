//! The variation of a run, as a pure function of the hunt's seed and the run's number: a hunt can
//! be continued, and its runs can execute in any order.

use crate::run::variation::Variation;

/// What may vary in a guest.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Axes {
    /// Whether it supports several CPUs and the scenario does not fix their number.
    pub cpus: bool,
    /// Whether the scenario leaves the clock open.
    pub clock: bool,
    /// Its alternative memory sizes, in MiB.
    pub memory: &'static [u32],
}

/// Numbers of CPUs; `None` is the image's.
const CPUS: [Option<u8>; 5] = [None, Some(1), Some(2), Some(3), Some(4)];
/// `-icount` shifts. Half are `None`, real time: some failures need it, others need `-icount`.
const SHIFTS: [Option<u8>; 8] = [None, None, None, None, Some(1), Some(3), Some(5), Some(7)];

/// The variation of run `number`.
pub fn variation(seed: u64, number: u32, axes: Axes) -> Variation {
    let mut prng = SplitMix64::new(seed, number);
    // All values are drawn whatever `axes` is, so that what one guest lacks does not shift the
    // others.
    let (random, cpus, shift, memory) = (prng.next(), prng.next(), prng.next(), prng.next());
    Variation {
        cpus: choose(&CPUS, cpus).filter(|_| axes.cpus),
        memory: match memory % 2 {
            0 => None,
            _ => pick(axes.memory, memory / 2),
        },
        shift: choose(&SHIFTS, shift).filter(|_| axes.clock),
        seed: Some(random >> 32),
    }
}

fn choose(values: &[Option<u8>], drawn: u64) -> Option<u8> {
    pick(values, drawn).flatten()
}

fn pick<T: Copy>(values: &[T], drawn: u64) -> Option<T> {
    let count = u64::try_from(values.len()).ok()?;
    let row = usize::try_from(drawn.checked_rem(count)?).ok()?;
    values.get(row).copied()
}

/// SplitMix64, written out: a library's generator may change between versions.
struct SplitMix64(u64);

impl SplitMix64 {
    fn new(seed: u64, number: u32) -> Self {
        let mut seeded = Self(seed);
        Self(seeded.next() ^ u64::from(number))
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    const WIDE: Axes = Axes {
        cpus: true,
        clock: true,
        memory: &[256, 1024],
    };

    /// Published outputs of SplitMix64 for the seed 1234567.
    #[test]
    fn prng_is_splitmix64() {
        let mut prng = SplitMix64(1_234_567);
        let drawn = [prng.next(), prng.next(), prng.next()];
        let published = [
            6_457_827_717_110_365_317,
            3_203_168_211_198_807_973,
            9_817_491_932_198_370_423,
        ];
        assert_eq!(drawn, published);
    }

    #[test]
    fn variation_is_deterministic() {
        insta::assert_snapshot!(variation(1, 1, WIDE), @"2 CPUs, 256 MiB, shift 5, seed 3925696585");
        assert_ne!(variation(1, 1, WIDE), variation(1, 2, WIDE));
        assert_ne!(variation(1, 1, WIDE), variation(2, 1, WIDE));
    }

    #[test]
    fn all_values_occur_and_seeds_are_unique() {
        let all: Vec<_> = (1..=200).map(|run| variation(7, run, WIDE)).collect();
        let of = |value: fn(&Variation) -> Option<u64>| {
            all.iter().map(value).collect::<HashSet<_>>().len()
        };
        assert_eq!(of(|s| s.cpus.map(u64::from)), 5);
        assert_eq!(of(|s| s.shift.map(u64::from)), 5);
        assert_eq!(of(|s| s.memory.map(u64::from)), 3);
        assert_eq!(of(|s| s.seed), 200);
    }

    #[test]
    fn fixed_axes_do_not_shift_the_others() {
        for run in 1..=50 {
            let (wide, narrow) = (variation(7, run, WIDE), variation(7, run, Axes::default()));
            let wide = Variation {
                cpus: None,
                memory: None,
                shift: None,
                ..wide
            };
            assert_eq!(narrow, wide);
        }
    }
}
