//! Panics that are caught, through frames with something to drop: an optimizing compiler puts the code
//! for those behind the returns of a function, where only the unwinder leads.

use std::hint::black_box;
use std::panic::{catch_unwind, set_hook};

struct Counted<'a>(&'a std::cell::Cell<u64>);

impl Drop for Counted<'_> {
    fn drop(&mut self) {
        self.0.set(self.0.get() + 1);
    }
}

#[inline(never)]
fn deep(left: u64, drops: &std::cell::Cell<u64>) -> u64 {
    let _counted = Counted(drops);
    if black_box(left) == 0 {
        panic!("at the end");
    }
    deep(left - 1, drops) + 1
}

#[inline(never)]
fn either(value: u64, drops: &std::cell::Cell<u64>) -> Box<u64> {
    let boxed = Box::new(value);
    match black_box(value % 3) {
        0 => Box::new(deep(value % 7, drops)),
        1 => boxed,
        _ => {
            let _counted = Counted(drops);
            black_box(Box::new(*boxed + 1))
        }
    }
}

fn main() {
    set_hook(Box::new(|_| ()));
    let mut sum = 0;
    for value in 0..300 {
        let caught = catch_unwind(|| {
            let drops = std::cell::Cell::new(0);
            *either(value, &drops) + drops.get()
        });
        sum += caught.unwrap_or(1000);
    }
    println!("{sum}");
}
