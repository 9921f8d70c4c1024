//! Areas: each thread that is recorded has one.

#![expect(unsafe_code, reason = "the first page of an area is mapped anew")]

use core::sync::atomic::Ordering;

use engine_abi::path::{AREAS, FIRST, FREE, PAGE, RUNS};

use super::addresses;
use super::kernel;
use super::lock::Lock;
use super::state::{self, State};
use crate::sys;

/// Bytes of a stack.
pub const STACK: usize = 128 << 10;

/// How many areas have been used.
static USED: Lock<usize> = Lock::new(0);

/// Takes an area for a new thread; `None` if there is none or no memory.
pub fn take() -> Option<&'static State> {
    USED.with(|used| {
        let again = (0..*used).find_map(|number| {
            let state = State::at(state::area(number))?;
            is_free(state).then_some(state)
        });
        let state = match again {
            Some(state) => state,
            None => prepare(used)?,
        };
        begin(state);
        Some(state)
    })
}

/// Gives an area back that no thread has begun to use.
pub fn give_back(state: &State) {
    state.share().thread.store(0, Ordering::Relaxed);
    state.share().stage.store(FREE, Ordering::Release);
}

/// Whether the command has taken what there was, and the thread does not execute its last instructions any
/// more.
fn is_free(state: &State) -> bool {
    let share = state.share();
    share.stage.load(Ordering::Acquire) == FREE
        && kernel::is_gone(share.thread.load(Ordering::Relaxed))
}

/// An area that has never been used.
fn prepare(used: &mut usize) -> Option<&'static State> {
    if *used >= AREAS {
        return None;
    }
    let address = state::area(*used);
    // SAFETY: nobody has used the area.
    unsafe { kernel::make_private(address, PAGE) }.ok()?;
    let stacks = sys::map(2 * STACK).ok()?;
    let state = State::at(address)?;
    let [first, second] = [1, 2].map(|count| stacks.wrapping_add(STACK.wrapping_mul(count)) as u64);
    state.stack.set(first);
    state.signal_stack.set(second);
    state.me.set(address as u64);
    state.routines.set(addresses::routines());
    *used = used.wrapping_add(1);
    Some(state)
}

fn begin(state: &State) {
    state.generation.set(0);
    state.is_native.set(false);
    state.is_stepped.set(false);
    let share = state.share();
    share.next.store(FIRST, Ordering::Relaxed);
    share.thread.store(0, Ordering::Relaxed);
    share.stage.store(RUNS, Ordering::Release);
}
