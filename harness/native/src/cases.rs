//! Generates the states that an instruction is run on: pseudo-random, but confined to the memory
//! lent to it, and ending where the end is noticed.

use fastrand::Rng;

use crate::device::{Memory, Run};
use crate::image;
use crate::instruction::{Plan, Text, Vector};
use crate::places::Contents;
use crate::places::{DATA, PAGE, Places};
use crate::set::{Around, Set};

/// Number of states per instruction.
pub const CASES: usize = 8;

/// Why a vector without one is not run.
pub const STATELESS: &str = "no state was found that keeps its accesses in bounds";

/// Why a vector is not run whatever its states.
pub const REFUSED: &str = "the engine refuses it";

/// Number of states generated to find one.
const TRIES: usize = 750;

/// Usual offset of the stack pointer in the stack.
const SP_OFFSET: u64 = 1024;

/// The cases of an instruction.
pub struct Cases<S: Set> {
    /// The instruction, adapted to its site.
    pub text: Text,
    /// The contents of its page.
    pub page: [u8; PAGE],
    /// The initial states.
    pub runs: Vec<Run<S>>,
}

impl<S: Set> Cases<S> {
    /// The cases of a vector for this seed, or why it is not run.
    pub fn of(vector: &Vector, places: &Places, seed: u64) -> Result<Self, &'static str> {
        let (text, page) = fit::<S>(vector, places)?;
        let seed = vector.seed(seed);
        let starts = starts::<S>(&text, &page, places, seed, CASES, |_| true);
        let start = |(state, contents)| Run {
            state,
            memory: filled(contents, places),
        };
        let runs: Vec<_> = starts.into_iter().map(start).collect();
        match runs.is_empty() {
            true => Err(STATELESS),
            false => Ok(Self { text, page, runs }),
        }
    }
}

/// A vector's instruction, adapted to its site, and its page; or why it is not run.
pub fn fit<S: Set>(vector: &Vector, places: &Places) -> Result<(Text, [u8; PAGE]), &'static str> {
    if vector.plan == Plan::Refuse {
        return Err(REFUSED);
    }
    if let Some(why) = S::unfit(&vector.text, vector.plan) {
        return Err(why);
    }
    let text = S::fit(&vector.text, places);
    Ok((text, image::page::<S>(&text, places)))
}

/// At most so many states that an instruction can start in and that are wanted, with what is in its
/// memory.
pub fn starts<S: Set>(
    text: &Text,
    page: &[u8; PAGE],
    places: &Places,
    seed: u64,
    count: usize,
    is_wanted: impl Fn(&S::State) -> bool,
) -> Vec<(S::State, Contents)> {
    let mut prng = Rng::with_seed(seed);
    let mut starts = Vec::new();
    for _ in 0..count * TRIES {
        let mut state = S::random_state(&mut prng, places);
        let contents = match prng.bool() {
            true => Contents::Numbers,
            false => exits::<S>(),
        };
        let around = Around {
            page,
            contents,
            places,
        };
        if is_wanted(&state) && S::is_confined(text, &state, &around) {
            S::complete(&mut state, &mut prng);
            starts.push((state, contents));
        }
        if starts.len() == count {
            break;
        }
    }
    starts
}

/// The addresses of exits, as a set has them.
pub const fn exits<S: Set>() -> Contents {
    Contents::Exits(S::POINTER, S::ENTRY)
}

/// The memory that a run starts with.
pub fn filled(contents: Contents, places: &Places) -> Memory {
    let mut memory = Memory::new();
    contents.fill(&mut memory.stack, places);
    contents.fill(&mut memory.data, places);
    memory
}

/// A random stack pointer, 16-byte aligned.
pub fn stack_pointer(prng: &mut Rng, places: &Places) -> u64 {
    places.stack + SP_OFFSET + 16 * prng.u64(..8)
}

/// A random register: an address in the lent memory, an interesting number, or anything.
pub fn value(prng: &mut Rng, places: &Places) -> u64 {
    match prng.u32(..16) {
        0..=5 => places.data + DATA as u64 / 2 + 8 * prng.u64(..64) + prng.u64(..2) * 4,
        6 | 7 => places.page + 4 * prng.u64(..256),
        8 => places.stack + SP_OFFSET + 8 * prng.u64(..32),
        9 | 10 => 4 * prng.u64(..16),
        11 => prng.u64(..40),
        12 => *prng
            .choice(&[0, 1, i64::MAX as u64, 1 << 63, !0, 0x7fff_ffff, 0x8000_0000])
            .unwrap_or(&0),
        13 => prng.u32(..).into(),
        _ => prng.u64(..),
    }
}

/// A random single-precision number of moderate size; two make a double of moderate size.
pub fn number(prng: &mut Rng) -> u32 {
    let number = prng.f32() * 100.0 + 1.0;
    if prng.bool() { number } else { -number }.to_bits()
}
