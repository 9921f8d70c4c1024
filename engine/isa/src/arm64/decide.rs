//! What no drawing can say of an A64 encoding: that two of its fields must
//! differ. Each function here is given the word and those of its fields that
//! matter, and makes the whole plan.

use super::emulate::Emulation;
use super::relocate::{Relocation, same};
use crate::mutant::{self, Mutant};
use crate::{Plan, Why};

type Answer = Plan<Emulation, Relocation>;

/// Relocates `word`, if what the manual wants of it holds.
fn if_so(holds: bool, word: u32) -> Answer {
    if holds {
        return Plan::Relocate(same(word));
    }
    Plan::Refuse(Why::Unpredictable)
}

/// Whether the two that are loaded are loaded into two.
fn are_apart(one: u32, other: u32) -> bool {
    one != other || mutant::is_chosen(Mutant::PairOnce)
}

/// Whether a base that is written back is none of the registers that are loaded
/// or stored. Number 31 is the stack pointer as a base, and none of these.
fn is_apart(base: u32, one: u32, other: u32) -> bool {
    let same = base == one || base == other;
    base == 31 || !same || mutant::is_chosen(Mutant::MovedBase)
}

/// Two registers must differ.
pub(super) fn apart(word: u32, one: u32, other: u32) -> Answer {
    if_so(are_apart(one, other), word)
}

/// Loads or stores one register, and writes to its base.
pub(super) fn moves_base(word: u32, base: u32, one: u32) -> Answer {
    if_so(is_apart(base, one, one), word)
}

/// `stp` and its like that write to their base.
pub(super) fn store_pair(word: u32, other: u32, base: u32, one: u32) -> Answer {
    if_so(is_apart(base, one, other), word)
}

/// `ldp` and its like that write to their base.
pub(super) fn load_pair(word: u32, other: u32, base: u32, one: u32) -> Answer {
    if_so(are_apart(one, other) && is_apart(base, one, other), word)
}

/// `stxr` and its like: a trap ends the access that it needs.
pub(super) fn exclusive_store(word: u32) -> Answer {
    if mutant::is_chosen(Mutant::StoreExclusive) {
        return Plan::Relocate(same(word));
    }
    Plan::Refuse(Why::Exclusive)
}
