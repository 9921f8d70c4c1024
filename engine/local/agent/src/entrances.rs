//! The addresses at which control comes from outside, as [`entry`](crate::arch::entry) has set them.

use core::sync::atomic::{AtomicUsize, Ordering};

/// The number of them.
pub const COUNT: usize = 5;

static ALL: [AtomicUsize; COUNT] = [const { AtomicUsize::new(0) }; COUNT];

/// Sets them. Called once, before anything else.
pub fn set(all: [usize; COUNT]) {
    for (to, from) in ALL.iter().zip(all) {
        to.store(from, Ordering::Relaxed);
    }
}

fn all() -> [usize; COUNT] {
    ALL.each_ref().map(|it| it.load(Ordering::Relaxed))
}

/// The handler of traps, and what it returns to.
pub fn of_traps() -> [usize; 2] {
    let [handler, restorer, ..] = all();
    [handler, restorer]
}

/// What detours call: to fire, to make a system call, and to record.
pub fn of_detours() -> [usize; 3] {
    let [_, _, detours @ ..] = all();
    detours
}
