//! The addresses at which control comes from outside, as [`entry`](crate::arch::entry) has set them.

use core::sync::atomic::{AtomicUsize, Ordering};

static ALL: [AtomicUsize; 4] = [const { AtomicUsize::new(0) }; 4];

/// Sets them. Called once, before anything else.
pub fn set(all: [usize; 4]) {
    for (to, from) in ALL.iter().zip(all) {
        to.store(from, Ordering::Relaxed);
    }
}

fn all() -> [usize; 4] {
    ALL.each_ref().map(|it| it.load(Ordering::Relaxed))
}

/// The handler of traps, and what it returns to.
pub fn of_traps() -> [usize; 2] {
    let [handler, restorer, _, _] = all();
    [handler, restorer]
}

/// What detours call: to fire, and to make a system call.
pub fn of_detours() -> [usize; 2] {
    let [_, _, detour, call] = all();
    [detour, call]
}
