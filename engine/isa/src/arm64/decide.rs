//! Constraints that an A64 bit pattern cannot express: that two fields must differ. Each function
//! here takes the word and the fields concerned, and returns the whole plan.

use super::emulate::Emulation;
use super::relocate::{Relocation, same};
use crate::mutant::{self, Mutant};
use crate::{Plan, Why};

type Answer = Plan<Emulation, Relocation>;

/// Relocates `word` if the manual's constraint holds.
fn if_so(holds: bool, word: u32) -> Answer {
    if holds {
        return Plan::Relocate(same(word));
    }
    Plan::Refuse(Why::Unpredictable)
}

/// Whether a pair is loaded into two different registers.
fn are_apart(one: u32, other: u32) -> bool {
    one != other || mutant::is_chosen(Mutant::PairOnce)
}

/// Whether a base that is written back is none of the transferred registers. Number 31 is the stack
/// pointer as a base, and the zero register as an operand.
fn is_apart(base: u32, one: u32, other: u32) -> bool {
    let same = base == one || base == other;
    base == 31 || !same || mutant::is_chosen(Mutant::MovedBase)
}

/// Two registers must differ.
pub(super) fn apart(word: u32, one: u32, other: u32) -> Answer {
    if_so(are_apart(one, other), word)
}

/// Loads or stores one register, with writeback.
pub(super) fn moves_base(word: u32, base: u32, one: u32) -> Answer {
    if_so(is_apart(base, one, one), word)
}

/// `stp` and its like with writeback.
pub(super) fn store_pair(word: u32, other: u32, base: u32, one: u32) -> Answer {
    if_so(is_apart(base, one, other), word)
}

/// `ldp` and its like with writeback.
pub(super) fn load_pair(word: u32, other: u32, base: u32, one: u32) -> Answer {
    if_so(are_apart(one, other) && is_apart(base, one, other), word)
}

/// `stxr` and its like: a trap clears the exclusive monitor that they depend on.
pub(super) fn exclusive_store(word: u32) -> Answer {
    if mutant::is_chosen(Mutant::StoreExclusive) {
        return Plan::Relocate(same(word));
    }
    Plan::Refuse(Why::Exclusive)
}
