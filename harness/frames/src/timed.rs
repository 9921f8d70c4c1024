//! Calls that are timed, for a guest whose clock counts instructions.

use std::thread;
use std::time::{Duration, Instant};

use crate::calls::frames_call;
use crate::counts::Counts;
use crate::{Error, check};

/// The least of them counts: a tick of the clock falls into some.
const ROUNDS: usize = 5;

/// How long a tracer that has just started it may be at work. On one CPU that work would be timed, too.
const START: Duration = Duration::from_millis(500);

/// Makes so many calls in each round, and prints on standard error how many nanoseconds those of a
/// round took at least.
pub fn time(calls: usize) -> Result<Counts, Error> {
    thread::sleep(START);
    let mut least = Duration::MAX;
    for _ in 0..ROUNDS {
        let before = Instant::now();
        let sum = (0..calls).fold(0, |sum, _| frames_call(sum));
        least = least.min(before.elapsed());
        check("frames_call", sum, calls)?;
    }
    eprintln!("{}", least.as_nanos());
    let calls = ROUNDS * calls;
    Ok(Counts::default().with("frames_call", calls, calls))
}
