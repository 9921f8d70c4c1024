//! What a call is made with: its lines as they are, then with one argument after the other replaced by one that is
//! invalid, then with any by chance.

use std::collections::HashSet;

use fastrand::Rng;

use crate::rows::Scope;
use crate::words::{Class, PAGE};

/// How many arguments a call can have.
pub const ARGUMENTS: usize = 6;
/// What a call is made with; behind its own there are zeros.
pub type Arguments = [usize; ARGUMENTS];
/// The most that are made of one row.
pub const MOST: usize = 64;
/// Of how many lines each argument is replaced.
const SPOILT: usize = 2;
/// How many are made by chance.
const BY_CHANCE: usize = 4;

/// An argument, ready to be used.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Argument {
    /// What is put in a register.
    pub value: usize,
    /// What may be put there instead.
    pub class: Class,
}

/// Addresses that are told apart by what comes of them.
#[derive(Debug, Clone, Copy)]
pub struct Places {
    /// A page of zeros.
    pub zeros: usize,
    /// A page of ones.
    pub ones: usize,
    /// Where the last page ends, and behind it is nothing.
    pub end: usize,
}

/// An address of the kernel's half.
pub const KERNEL: usize = usize::MAX - PAGE + 1;

/// What the call of this row is made with, one after the other.
pub fn of(lines: &[Vec<Argument>], scope: Scope, places: &Places, rng: &mut Rng) -> Vec<Arguments> {
    let mut made: Vec<_> = lines.iter().map(|line| arguments(line)).collect();
    if !matches!(scope, Scope::Exactly(_)) {
        made.extend(
            lines
                .iter()
                .take(SPOILT)
                .flat_map(|line| spoilt(line, places)),
        );
    }
    if scope == Scope::All {
        made.extend((0..BY_CHANCE).map(|_| by_chance(lines, places, rng)));
    }
    let mut seen = HashSet::new();
    made.retain(|arguments| seen.insert(*arguments));
    made.truncate(MOST);
    made
}

fn arguments(line: &[Argument]) -> Arguments {
    let mut all = [0; ARGUMENTS];
    for (to, from) in all.iter_mut().zip(line) {
        *to = from.value;
    }
    all
}

/// The line with each argument in turn as two that are invalid.
fn spoilt(line: &[Argument], places: &Places) -> Vec<Arguments> {
    let places = *places;
    let each = line.iter().enumerate().flat_map(move |(index, argument)| {
        let invalid = invalid(argument.class, &places);
        let turn = index % 2;
        let chosen = invalid.into_iter().skip(turn).step_by(2).take(2);
        chosen.map(move |value| (index, value))
    });
    let spoil = |(index, value): (usize, usize)| {
        let mut all = arguments(line);
        all[index] = value;
        all
    };
    each.map(spoil).collect()
}

/// What is not valid, by kind: the odd and the even ones take turns from argument to argument.
fn invalid(class: Class, places: &Places) -> Vec<usize> {
    match class {
        Class::Pinned => vec![],
        Class::Number => vec![usize::MAX, isize::MAX as usize, 1 << 31, 0x7fff],
        Class::Pointer => vec![KERNEL, 0, places.end - 1, places.zeros + 1],
        Class::Handle => vec![usize::MAX, 999, isize::MAX as usize, 1 << 31],
    }
}

/// One of the lines, with most of its arguments by chance.
fn by_chance(lines: &[Vec<Argument>], places: &Places, rng: &mut Rng) -> Arguments {
    let Some(line) = rng.choice(lines) else {
        return [0; ARGUMENTS];
    };
    let mut all = arguments(line);
    for (to, from) in all.iter_mut().zip(line) {
        if rng.u8(..4) > 0 {
            *to = chance(*from, places, rng);
        }
    }
    all
}

fn chance(argument: Argument, places: &Places, rng: &mut Rng) -> usize {
    match argument.class {
        Class::Pinned => argument.value,
        Class::Number => number(rng),
        Class::Pointer => address(places, rng),
        Class::Handle => rng.choice([usize::MAX, 0, 3, 999, 1 << 20]).unwrap_or(0),
    }
}

fn number(rng: &mut Rng) -> usize {
    match rng.u8(..5) {
        0 => rng.usize(..PAGE),
        1 => 1_usize << rng.u32(..usize::BITS),
        2 => (1_usize << rng.u32(..usize::BITS)).wrapping_neg(),
        3 => rng.u32(..) as usize,
        _ => rng.usize(..),
    }
}

/// None that is in memory of ours but the pages that are there for it.
fn address(places: &Places, rng: &mut Rng) -> usize {
    match rng.u8(..6) {
        0 => rng.usize(..PAGE),
        1 => KERNEL + rng.usize(..PAGE),
        2 => places.end - rng.usize(1..64),
        3 => places.zeros + rng.usize(..64),
        4 => places.ones,
        _ => places.zeros,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PLACES: Places = Places {
        zeros: 0x10000,
        ones: 0x11000,
        end: 0x20000,
    };
    const LINE: [Argument; 3] = [
        Argument {
            value: 5,
            class: Class::Pinned,
        },
        Argument {
            value: 3,
            class: Class::Handle,
        },
        Argument {
            value: 64,
            class: Class::Number,
        },
    ];

    fn made(scope: Scope, seed: u64) -> Vec<Arguments> {
        of(&[LINE.to_vec()], scope, &PLACES, &mut Rng::with_seed(seed))
    }

    #[test]
    fn a_seed_makes_the_same_again() {
        assert_eq!(made(Scope::All, 7), made(Scope::All, 7));
        assert_ne!(made(Scope::All, 7), made(Scope::All, 8));
    }

    #[test]
    fn what_is_pinned_stays() {
        assert!(made(Scope::All, 7).iter().all(|all| all[0] == 5));
    }

    #[test]
    fn a_row_that_is_held_back_has_less() {
        let count = |scope| made(scope, 7).len();
        assert_eq!(count(Scope::Exactly("so")), 1);
        assert_eq!(count(Scope::NoChance("so")), 5);
        assert!(count(Scope::All) > 5);
    }
}
