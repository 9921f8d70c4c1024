//! Many calls of one function, one within the other, and the ways to leave them all.
#![expect(
    unsafe_code,
    reason = "calls functions in assembly that leave others without returning"
)]

use std::ffi::{c_int, c_void};
use std::ptr::null_mut;

use crate::arch::{self, Bottom, Exception, Held};
use crate::calls::frames_nest;
use crate::counts::Counts;
use crate::{Error, check};

unsafe extern "C" fn nothing(_: *mut c_void) -> c_int {
    0
}

/// Calls that all return.
pub fn recurse(depth: usize) -> Result<Counts, Error> {
    // SAFETY: `nothing` takes any argument, and the stack is the caller's to choose the depth for.
    unsafe { arch::frames_dive(depth, nothing, null_mut()) };
    check("frames_nest", frames_nest(depth), depth)?;
    let counts = Counts::default().with("frames_dive", depth + 1, depth + 1);
    Ok(counts.with("frames_nest", depth + 1, depth + 1))
}

/// Calls that an exception leaves.
pub fn unwind(depth: usize, rounds: usize) -> Result<Counts, Error> {
    for _ in 0..rounds {
        let mut exception = Exception::default();
        let thrown = &raw mut exception;
        // SAFETY: a place in a value that lives.
        let held = unsafe { &raw mut (*thrown).held };
        hold(depth, arch::_Unwind_RaiseException, thrown.cast(), held)?;
    }
    // The unwinder asks for each exception whether there is a handler, and again when it is there.
    Ok(left(depth, rounds).with("frames_catch", 2 * rounds, 2 * rounds))
}

/// Calls that a jump leaves.
pub fn longjmp(depth: usize, rounds: usize) -> Result<Counts, Error> {
    for _ in 0..rounds {
        let mut held = Held::default();
        let held = &raw mut held;
        hold(depth, arch::frames_leap, held.cast(), held)?;
    }
    Ok(left(depth, rounds).with("frames_leap", rounds, rounds))
}

fn hold(depth: usize, bottom: Bottom, argument: *mut c_void, held: *mut Held) -> Result<(), Error> {
    // SAFETY: what is left are only calls of `frames_dive`, which hold nothing. The argument is
    // what `bottom` takes, and it and `held` outlive the call.
    let is_left = unsafe { arch::frames_hold(depth, bottom, argument, held) };
    check("frames_hold", is_left, 1)
}

fn left(depth: usize, rounds: usize) -> Counts {
    let counts = Counts::default().with("frames_dive", (depth + 1) * rounds, 0);
    counts.with("frames_hold", rounds, rounds)
}
