//! Which setting a run of a hunt has: a pure function of the hunt's seed and the run's number, so that a
//! hunt can be gone on with, and its runs can be done in any order.

use crate::run::variation::Setting;

/// In what a guest can be varied.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Room {
    /// Whether it can have several CPUs, and nobody has said how many.
    pub cpus: bool,
    /// Whether nobody has said what its clock counts.
    pub clock: bool,
    /// The sizes of memory that it can have, in MiB.
    pub memory: &'static [u32],
}

/// As many CPUs as are tried.
const CPUS: [Option<u8>; 5] = [None, Some(1), Some(2), Some(3), Some(4)];
/// Real time as often as not: what shows only in it is as likely as what shows only without.
const SHIFTS: [Option<u8>; 8] = [None, None, None, None, Some(1), Some(3), Some(5), Some(7)];

/// The setting of the run of this number.
pub fn setting(seed: u64, number: u32, room: Room) -> Setting {
    let mut dice = Dice::new(seed, number);
    // All are thrown whatever the room is, so that a guest's room does not change the others.
    let (random, cpus, shift, memory) = (dice.throw(), dice.throw(), dice.throw(), dice.throw());
    Setting {
        cpus: chosen(&CPUS, cpus).filter(|_| room.cpus),
        memory: match memory % 2 {
            0 => None,
            _ => pick(room.memory, memory / 2),
        },
        shift: chosen(&SHIFTS, shift).filter(|_| room.clock),
        seed: Some(random >> 32),
    }
}

fn chosen(faces: &[Option<u8>], thrown: u64) -> Option<u8> {
    pick(faces, thrown).flatten()
}

fn pick<T: Copy>(faces: &[T], thrown: u64) -> Option<T> {
    let count = u64::try_from(faces.len()).ok()?;
    let row = usize::try_from(thrown.checked_rem(count)?).ok()?;
    faces.get(row).copied()
}

/// SplitMix64, which is what it is for ever; a library may change what its numbers are.
struct Dice(u64);

impl Dice {
    fn new(seed: u64, number: u32) -> Self {
        let mut of_seed = Self(seed);
        Self(of_seed.throw() ^ u64::from(number))
    }

    fn throw(&mut self) -> u64 {
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

    const WIDE: Room = Room {
        cpus: true,
        clock: true,
        memory: &[256, 1024],
    };

    /// The numbers that the published SplitMix64 gives for the seed 1234567.
    #[test]
    fn the_dice_are_splitmix64() {
        let mut dice = Dice(1_234_567);
        let thrown = [dice.throw(), dice.throw(), dice.throw()];
        let published = [
            6_457_827_717_110_365_317,
            3_203_168_211_198_807_973,
            9_817_491_932_198_370_423,
        ];
        assert_eq!(thrown, published);
    }

    #[test]
    fn a_run_always_has_the_same_setting() {
        insta::assert_snapshot!(setting(1, 1, WIDE), @"2 CPUs, 256 MiB, shift 5, seed 3925696585");
        assert_ne!(setting(1, 1, WIDE), setting(1, 2, WIDE));
        assert_ne!(setting(1, 1, WIDE), setting(2, 1, WIDE));
    }

    #[test]
    fn every_value_comes_up_and_each_seed_but_once() {
        let all: Vec<_> = (1..=200).map(|run| setting(7, run, WIDE)).collect();
        let of = |value: fn(&Setting) -> Option<u64>| {
            all.iter().map(value).collect::<HashSet<_>>().len()
        };
        assert_eq!(of(|s| s.cpus.map(u64::from)), 5);
        assert_eq!(of(|s| s.shift.map(u64::from)), 5);
        assert_eq!(of(|s| s.memory.map(u64::from)), 3);
        assert_eq!(of(|s| s.seed), 200);
    }

    #[test]
    fn a_guest_without_room_keeps_what_it_has_and_nothing_else_changes() {
        for run in 1..=50 {
            let (wide, narrow) = (setting(7, run, WIDE), setting(7, run, Room::default()));
            let wide = Setting {
                cpus: None,
                memory: None,
                shift: None,
                ..wide
            };
            assert_eq!(narrow, wide);
        }
    }
}
