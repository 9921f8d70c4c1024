//! The states that an instruction is run on: by chance, but so that it stays in the memory lent to it and
//! is seen when it leaves.

use fastrand::Rng;

use crate::device::{Memory, Run};
use crate::image;
use crate::instruction::{Plan, Text};
use crate::places::Contents;
use crate::places::{DATA, PAGE, Places};
use crate::set::{Around, Set};
use crate::vectors::Vector;

/// How many states there are for each.
const CASES: usize = 8;

/// How many states are tried for them.
const TRIES: usize = 6000;

/// Where in the stack the stack pointer is, most of the time.
const SP_OFFSET: u64 = 1024;

/// What an instruction is run with.
pub struct Cases<S: Set> {
    /// The instruction.
    pub text: Text,
    /// The page that it is in.
    pub page: [u8; PAGE],
    /// The states.
    pub runs: Vec<Run<S>>,
}

impl<S: Set> Cases<S> {
    /// Those of a vector in a run with this seed, or why it is not run.
    pub fn of(vector: &Vector, places: &Places, seed: u64) -> Result<Self, &'static str> {
        if vector.plan == Plan::Refuse {
            return Err("it is refused");
        }
        if let Some(why) = S::unfit(&vector.text, vector.plan) {
            return Err(why);
        }
        let text = S::fit(&vector.text, places);
        let page = image::page::<S>(&text, places);
        let mut chance = Rng::with_seed(vector.seed(seed));
        let mut runs = Vec::new();
        for _ in 0..TRIES {
            let mut state = S::by_chance(&mut chance, places);
            let contents = match chance.bool() {
                true => Contents::Numbers,
                false => Contents::Exits(S::POINTER),
            };
            let around = Around {
                page: &page,
                contents,
                places,
            };
            if S::keeps_inside(&text, &state, &around) {
                S::complete(&mut state, &mut chance);
                let memory = filled(contents, places);
                runs.push(Run { state, memory });
            }
            if runs.len() == CASES {
                break;
            }
        }
        match runs.is_empty() {
            true => Err("no state was found that keeps it inside"),
            false => Ok(Self { text, page, runs }),
        }
    }
}

fn filled(contents: Contents, places: &Places) -> Memory {
    let mut memory = Memory::new();
    contents.fill(&mut memory.stack, places);
    contents.fill(&mut memory.data, places);
    memory
}

/// A stack pointer.
pub fn stack_pointer(chance: &mut Rng, places: &Places) -> u64 {
    places.stack + SP_OFFSET + 16 * chance.u64(..8)
}

/// A register's value: one that tells something, or that leads somewhere.
pub fn value(chance: &mut Rng, places: &Places) -> u64 {
    match chance.u32(..16) {
        0..=5 => places.data + DATA as u64 / 2 + 8 * chance.u64(..64) + chance.u64(..2) * 4,
        6 | 7 => places.page + 4 * chance.u64(..256),
        8 => places.stack + SP_OFFSET + 8 * chance.u64(..32),
        9 | 10 => 4 * chance.u64(..16),
        11 => chance.u64(..40),
        12 => *chance
            .choice(&[0, 1, i64::MAX as u64, 1 << 63, !0, 0x7fff_ffff, 0x8000_0000])
            .unwrap_or(&0),
        13 => chance.u32(..).into(),
        _ => chance.u64(..),
    }
}

/// A number of single precision, two of which are one of double precision: neither very large nor very small.
pub fn number(chance: &mut Rng) -> u32 {
    let number = chance.f32() * 100.0 + 1.0;
    if chance.bool() { number } else { -number }.to_bits()
}
