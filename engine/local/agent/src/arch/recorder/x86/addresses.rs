//! The addresses of routines, as [`entry`](super::entry) has set them.

use core::sync::atomic::{AtomicUsize, Ordering};

use super::state::{CALL, ROUTINES};

/// Number of addresses.
pub const ALL: usize = ROUTINES + 6;

static ADDRESSES: [AtomicUsize; ALL] = [const { AtomicUsize::new(0) }; ALL];

/// Sets them: those that translations jump to, and then those that follow here. Called once, before
/// anything else.
pub fn set(all: [usize; ALL]) {
    for (to, from) in ADDRESSES.iter().zip(all) {
        to.store(from, Ordering::Relaxed);
    }
}

fn get(number: usize) -> usize {
    let address = ADDRESSES.get(number);
    address.map_or(0, |address| address.load(Ordering::Relaxed))
}

/// The routines that translations jump to.
pub fn routines() -> [u64; ROUTINES] {
    core::array::from_fn(|number| get(number) as u64)
}

/// Where a translation comes to make a system call.
pub fn call() -> u64 {
    get(CALL) as u64
}

/// Where a system call is made for the program.
pub fn pass() -> u64 {
    get(ROUTINES) as u64
}

/// The same for one that waits with another mask of signals.
pub fn wait() -> u64 {
    get(ROUTINES + 1) as u64
}

/// Where a process or a thread is made.
pub fn clone() -> u64 {
    get(ROUTINES + 2) as u64
}

/// Where control goes to the address in rcx.
pub fn jump() -> u64 {
    get(ROUTINES + 3) as u64
}

/// The handler of signals, and what handlers of our own signal return to.
pub fn handler() -> [usize; 2] {
    [get(ROUTINES + 4), get(ROUTINES + 5)]
}
