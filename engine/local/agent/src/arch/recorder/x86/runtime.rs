//! What routines call, with the program's registers saved: on the thread's own stack, with signals blocked.

use engine_abi::path::Left;

use super::addresses;
use super::cache::{self, Translation};
use super::events;
use super::kernel;
use super::state::State;

/// Blocks signals, until the routine has the program's stack again: a signal that has a stack of its own must
/// find the thread on that if it is.
pub fn block(state: &State) {
    let mask = kernel::block();
    state.mask.set(mask);
    state.exit_mask.set(mask);
}

/// An indirect branch goes to a target that the table does not have, or the buffer is full.
pub extern "C" fn look_up(state: &State) {
    block(state);
    events::make_room(state);
    let target = state.target.get();
    go_on(state, target, cache::translation_of(state, target));
}

/// A direct branch goes to a target through a literal that is not linked.
pub extern "C" fn link(state: &State, target: u64) {
    block(state);
    let literal = state.resume.get();
    let translation = cache::translation_of(state, target);
    if let Translation::Lasting(address) = translation {
        cache::link(literal, address);
    }
    go_on(state, target, translation);
}

/// The buffer is full.
pub extern "C" fn full(state: &State) {
    block(state);
    events::flush(state);
    state.exit.set(state.resume.get());
}

/// The recorder has no translation of an instruction.
pub extern "C" fn leave(state: &State, at: u64) {
    block(state);
    leave_at(state, at, Left::Instruction);
}

/// Has the thread go on with the program's own text from `at` on, for good.
pub fn leave_at(state: &State, at: u64, why: Left) {
    events::left(state, at, why);
    state.is_native.set(true);
    state.exit.set(at);
}

/// Has the thread go on at an address of the program.
pub fn go_on(state: &State, at: u64, translation: Translation) {
    match translation.address() {
        Some(address) => state.exit.set(address),
        None => leave_at(state, at, Left::Memory),
    }
}

/// Has the thread make a system call, and go on behind it in its translation.
pub fn pass(state: &State) {
    state.exit.set(addresses::pass());
}
