//! The functions that a compiler makes. A `black_box` keeps each call a call.
#![expect(unsafe_code, reason = "their names are kept, for probes to name them")]

use std::hint::black_box;

/// Returns its argument plus 1.
#[unsafe(no_mangle)]
#[inline(never)]
pub extern "C" fn frames_call(number: usize) -> usize {
    black_box(number) + 1
}

/// Returns its argument plus 2: for those that run in another's memory. The same code would become
/// the same function.
#[unsafe(no_mangle)]
#[inline(never)]
pub extern "C" fn frames_lent(number: usize) -> usize {
    black_box(number) + 2
}

/// Calls itself so many times, and returns how many.
#[unsafe(no_mangle)]
#[inline(never)]
pub extern "C" fn frames_nest(depth: usize) -> usize {
    if black_box(depth) == 0 {
        return 0;
    }
    black_box(frames_nest(depth - 1)) + 1
}

/// Takes a while, and returns what depends on each instruction of it.
#[unsafe(no_mangle)]
#[inline(never)]
pub extern "C" fn frames_loop(seed: usize) -> usize {
    let (mut words, mut sum) = ([seed; 8], seed);
    for round in 0..40_usize {
        let word = &mut black_box(&mut words)[round % 8];
        *word = word.wrapping_mul(31).rotate_left(7) ^ round;
        sum = if *word & 2 == 0 {
            sum ^ *word
        } else {
            sum.wrapping_sub(*word)
        };
    }
    sum
}
