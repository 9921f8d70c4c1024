//! The interface between runs and an instruction set.

use std::ops::Range;

use engine_isa::Row;
use fastrand::Rng;
use zerocopy::{FromBytes, Immutable, IntoBytes, KnownLayout};

use crate::instruction::{Plan, Text, Vector};
use crate::places::{Contents, PAGE, Places};

/// An instruction set.
pub trait Set {
    /// Registers before and after a run.
    type State: FromBytes + IntoBytes + Immutable + KnownLayout + Clone;

    /// Bytes of an address.
    const POINTER: usize;

    /// The bits of a function's address that say how its text is decoded.
    const ENTRY: u64 = 0;

    /// The exit: an instruction that ends a run. The page is filled with it.
    const LEAVE: &'static [u8];

    /// The table's rows, if it is to be said which of them are executed.
    const ROWS: &'static [Row] = &[];

    /// Parses the first column of a vector.
    fn text(column: &str) -> Option<Text>;

    /// The ways in which a process runs a vector.
    fn variants(vector: Vector) -> Vec<Vector> {
        vec![vector]
    }

    /// Where the vector's instruction is in the text. What is before it says how it is executed.
    fn offset(_: &Text) -> usize {
        0
    }

    /// The row of the vector's instruction.
    fn row(_: &Text) -> usize {
        0
    }

    /// Why it must not be run, or `None` if it may.
    fn unfit(text: &Text, plan: Plan) -> Option<&'static str>;

    /// The instruction with its PC-relative and large offsets changed to reach into the lent
    /// memory.
    fn fit(text: &Text, places: &Places) -> Text;

    /// Adds to the page what the instruction needs there.
    fn prepare(text: &Text, page: &mut [u8; PAGE], places: &Places);

    /// A random state of the registers that can take part in addressing.
    fn random_state(prng: &mut Rng, places: &Places) -> Self::State;

    /// Randomizes the rest of the state: floating point and vectors.
    fn complete(state: &mut Self::State, prng: &mut Rng);

    /// Whether the instruction is executed in this state, and not skipped by what is before it.
    fn is_executed(_: &Text, _: &Self::State) -> bool {
        true
    }

    /// Whether the instruction accesses only memory it may, and ends at an exit.
    fn is_confined(text: &Text, state: &Self::State, around: &Around<'_>) -> bool;

    /// The first difference between two final states.
    fn difference(native: &Self::State, probed: &Self::State) -> Option<String>;

    /// The state as text.
    fn describe(state: &Self::State) -> String;
}

/// A set that the kernel executes, with the layout of its state in the set's file in
/// `engine/kmod/arch`.
pub trait InKernel: Set {
    /// The instruction with a few bits changed.
    fn neighbour(text: &Text, prng: &mut Rng) -> Text;

    /// The engine's plan for it.
    fn plan(text: &Text) -> Plan;

    /// What ended a run, unless it was the exit.
    fn unexpected_end(state: &Self::State) -> Option<String>;

    /// The stack pointer.
    fn sp(state: &Self::State) -> u64;

    /// Bytes below the stack pointer that no exception overwrites: neither the traps of a run, nor
    /// one that the instruction itself takes and the kernel fixes up.
    fn untouched_below_sp(_: &Text, _: &Self::State) -> u64 {
        0
    }

    /// What the instruction stores, as far as that is known beforehand.
    fn stored(text: &Text, state: &Self::State) -> Option<Range<u64>>;
}

/// The context of an instruction that is to be run.
pub struct Around<'a> {
    /// Contents of its page.
    pub page: &'a [u8; PAGE],
    /// Contents of stack and data.
    pub contents: Contents,
    /// Their addresses.
    pub places: &'a Places,
}
