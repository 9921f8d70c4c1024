//! Areas: each thread that is recorded has one.

#![expect(unsafe_code, reason = "the first page of an area is mapped anew")]

use core::sync::atomic::Ordering;
use core::time::Duration;

use engine_abi::path::{AREAS, ENDED, FIRST, FREE, PAGE, RUNS};

use super::addresses;
use super::events;
use super::kernel;
use super::lock::Lock;
use super::shared;
use super::state::{self, State};
use crate::sys;

/// Bytes of a stack.
pub const STACK: usize = 128 << 10;

/// How many areas have been used.
static USED: Lock<usize> = Lock::new(0);

/// Takes an area for a new thread; `None` if all threads that have one run, or there is no memory.
pub fn take() -> Option<&'static State> {
    /// A thread's ID may be another one's by now, which runs.
    const TRIES: u32 = 100;
    let mut tries = TRIES;
    loop {
        match take_free() {
            None => wait(&mut tries)?,
            state => return state,
        }
    }
}

fn take_free() -> Option<&'static State> {
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
    state.share().stage.load(Ordering::Acquire) == FREE && is_gone(state)
}

fn is_gone(state: &State) -> bool {
    match state.share().thread.load(Ordering::Acquire) {
        0 => true,
        thread => kernel::is_gone(state.process.load(Ordering::Relaxed), thread),
    }
}

/// Waits for an area that will soon be free, if there is one. It waits so many times at most for a
/// thread that has only to end.
fn wait(tries: &mut u32) -> Option<()> {
    const MOMENT: Duration = Duration::from_millis(1);
    let used = USED.with(|used| *used);
    (0..used).find_map(|number| {
        let state = State::at(state::area(number))?;
        let share = state.share();
        match share.stage.load(Ordering::Acquire) {
            // Without a command nobody takes what there is.
            ENDED if !shared::is_claimed() => share.stage.store(FREE, Ordering::Release),
            ENDED => {
                events::ring();
                kernel::wait_shared(&share.stage, ENDED, MOMENT);
            }
            FREE => {
                *tries = tries.checked_sub(1)?;
                kernel::wait_shared(&share.stage, FREE, MOMENT);
            }
            // It has ended without telling.
            RUNS if share.thread.load(Ordering::Relaxed) != 0 && is_gone(state) => {
                share.stage.store(ENDED, Ordering::Release);
            }
            _ => return None,
        }
        Some(())
    })
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
