//! Threads that call the same function.

use std::{process, thread};

use crate::calls::frames_call;
use crate::counts::Counts;
use crate::{Error, check};

/// Each of the threads makes so many calls. The first that returns something else ends the program.
pub fn call(threads: usize, calls: usize) -> Result<Counts, Error> {
    let work = || {
        for number in 0..calls {
            if let Err(why) = check("frames_call", frames_call(number), number + 1) {
                eprintln!("trapline-frames: {why}");
                process::exit(1);
            }
        }
    };
    thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(work);
        }
    });
    Ok(Counts::default().with("frames_call", threads * calls, threads * calls))
}
