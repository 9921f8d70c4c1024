//! What a run needs of an instruction set.

use std::ops::Range;

use fastrand::Rng;
use zerocopy::{FromBytes, Immutable, IntoBytes, KnownLayout};

use crate::instruction::{Plan, Text};
use crate::places::{Contents, PAGE, Places};

/// An instruction set.
pub trait Set {
    /// What a run begins with and ends with, but for memory: as the set's file in `engine/kmod/arch` has it.
    type State: FromBytes + IntoBytes + Immutable + KnownLayout + Clone;

    /// The bytes of an address.
    const POINTER: usize;

    /// What a page is filled with: each such unit ends a run.
    const LEAVE: &'static [u8];

    /// The instruction that a vector has in its first column.
    fn text(column: &str) -> Option<Text>;

    /// An instruction that differs from this one in a few bits.
    fn neighbour(text: &Text, chance: &mut Rng) -> Text;

    /// What the engine does for it.
    fn plan(text: &Text) -> Plan;

    /// Why it is not run, if so.
    fn unfit(text: &Text, plan: Plan) -> Option<&'static str>;

    /// The instruction, made to reach into memory that is there, where it names memory by how far it is away.
    fn fit(text: &Text, places: &Places) -> Text;

    /// Changes what is in the page beside it, if it needs something there.
    fn prepare(text: &Text, page: &mut [u8; PAGE], places: &Places);

    /// A state by chance, which may lead anywhere, without what leads nowhere.
    fn by_chance(chance: &mut Rng, places: &Places) -> Self::State;

    /// Puts what leads nowhere into a state by chance: floating point and vectors.
    fn complete(state: &mut Self::State, chance: &mut Rng);

    /// Whether the instruction reaches nothing but what it may from there, and comes out where it is seen.
    fn keeps_inside(text: &Text, state: &Self::State, around: &Around<'_>) -> bool;

    /// What ended a run, unless it is what should.
    fn cut_short(state: &Self::State) -> Option<String>;

    /// The first difference between what two runs made of a state.
    fn difference(native: &Self::State, probed: &Self::State) -> Option<String>;

    /// The stack pointer.
    fn sp(state: &Self::State) -> u64;

    /// How far below the stack pointer no trap overwrites anything: neither those of a run, nor one that the
    /// instruction by itself takes and that is mended.
    fn kept(_: &Text, _: &Self::State) -> u64 {
        0
    }

    /// What the instruction stores on the stack or elsewhere, as far as that can be told before.
    fn stored(text: &Text, state: &Self::State) -> Option<Range<u64>>;

    /// A state in words.
    fn told(state: &Self::State) -> String;
}

/// What surrounds an instruction that is to be run.
pub struct Around<'a> {
    /// The page that it is in.
    pub page: &'a [u8; PAGE],
    /// What other memory has.
    pub contents: Contents,
    /// Where all that is.
    pub places: &'a Places,
}
