//! Threads that call the same function.

use std::thread;

use crate::calls::frames_call;
use crate::counts::Counts;
use crate::{Error, check};

/// Each of the threads makes so many calls.
pub fn call(threads: usize, calls: usize) -> Result<Counts, Error> {
    let work = || (0..calls).fold(0, |sum, _| frames_call(sum));
    let results: Vec<_> = thread::scope(|scope| {
        let running: Vec<_> = (0..threads).map(|_| scope.spawn(work)).collect();
        running
            .into_iter()
            .map(|thread| thread.join().ok())
            .collect()
    });
    check("frames_call", results, vec![Some(calls); threads])?;
    Ok(Counts::default().with("frames_call", threads * calls, threads * calls))
}
