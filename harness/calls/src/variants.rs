//! The argument lists that a call is made with: the row's own, then those with one argument made
//! invalid, then pseudo-random ones.

use std::collections::HashSet;

use fastrand::Rng;

use crate::rows::Scope;
use crate::words::{Class, PAGE};

/// Most arguments of a call.
pub const ARGUMENTS: usize = 6;
/// The arguments of a call, padded with zeros.
pub type Arguments = [usize; ARGUMENTS];
/// Most lists per row.
pub const MAX_VARIANTS: usize = 64;
/// Number of lines, from the first, that invalid lists are derived from.
const INVALIDATED: usize = 2;
/// Number of pseudo-random lists.
const RANDOM: usize = 4;

/// An argument, ready for a register.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Argument {
    /// The register's value.
    pub value: usize,
    /// Which values may replace it.
    pub class: Class,
}

/// Addresses for pointers, each with another effect.
#[derive(Debug, Clone, Copy)]
pub struct Places {
    /// A page of zeros.
    pub zeros: usize,
    /// A page of ones.
    pub ones: usize,
    /// End of the last page; what follows is inaccessible.
    pub end: usize,
}

/// An address in the kernel's half.
pub const KERNEL: usize = usize::MAX - PAGE + 1;

/// All argument lists of a row, without duplicates, in the order in which they are used.
pub fn of(lines: &[Vec<Argument>], scope: Scope, places: &Places, rng: &mut Rng) -> Vec<Arguments> {
    let mut made: Vec<_> = lines.iter().map(|line| arguments(line)).collect();
    if !matches!(scope, Scope::Exactly(_)) {
        made.extend(
            lines
                .iter()
                .take(INVALIDATED)
                .flat_map(|line| invalidated(line, places)),
        );
    }
    if scope == Scope::All {
        made.extend((0..RANDOM).map(|_| random_line(lines, places, rng)));
    }
    let mut seen = HashSet::new();
    made.retain(|arguments| seen.insert(*arguments));
    made.truncate(MAX_VARIANTS);
    made
}

fn arguments(line: &[Argument]) -> Arguments {
    let mut all = [0; ARGUMENTS];
    for (to, from) in all.iter_mut().zip(line) {
        *to = from.value;
    }
    all
}

/// For each argument, two lists with that argument invalid.
fn invalidated(line: &[Argument], places: &Places) -> Vec<Arguments> {
    let places = *places;
    let each = line.iter().enumerate().flat_map(move |(index, argument)| {
        let invalid = invalid(argument.class, &places);
        let turn = index % 2;
        let chosen = invalid.into_iter().skip(turn).step_by(2).take(2);
        chosen.map(move |value| (index, value))
    });
    let replace = |(index, value): (usize, usize)| {
        let mut all = arguments(line);
        all[index] = value;
        all
    };
    each.map(replace).collect()
}

/// Invalid values of a class. Successive arguments use the even and the odd ones in turn.
fn invalid(class: Class, places: &Places) -> Vec<usize> {
    match class {
        Class::Pinned => vec![],
        Class::Number => vec![usize::MAX, isize::MAX as usize, 1 << 31, 0x7fff],
        Class::Pointer => vec![KERNEL, 0, places.end - 1, places.zeros + 1],
        Class::Handle => vec![usize::MAX, 999, isize::MAX as usize, 1 << 31],
    }
}

/// One of the lines, with three in four arguments random.
fn random_line(lines: &[Vec<Argument>], places: &Places, rng: &mut Rng) -> Arguments {
    let Some(line) = rng.choice(lines) else {
        return [0; ARGUMENTS];
    };
    let mut all = arguments(line);
    for (to, from) in all.iter_mut().zip(line) {
        if rng.u8(..4) > 0 {
            *to = random(*from, places, rng);
        }
    }
    all
}

fn random(argument: Argument, places: &Places, rng: &mut Rng) -> usize {
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

/// A pointer that is invalid or into the arena, never into other memory of ours.
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
    fn variants_depend_on_the_seed_only() {
        assert_eq!(made(Scope::All, 7), made(Scope::All, 7));
        assert_ne!(made(Scope::All, 7), made(Scope::All, 8));
    }

    #[test]
    fn pinned_arguments_are_never_replaced() {
        assert!(made(Scope::All, 7).iter().all(|all| all[0] == 5));
    }

    #[test]
    fn a_restricted_row_has_fewer_variants() {
        let count = |scope| made(scope, 7).len();
        assert_eq!(count(Scope::Exactly("so")), 1);
        assert_eq!(count(Scope::NoRandom("so")), 5);
        assert!(count(Scope::All) > 5);
    }
}
