//! A loop that is interrupted by signals, none of which may find it anywhere but in the program.

use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

use crate::calls::frames_loop;
use crate::counts::Counts;
use crate::{Error, check, signals};

/// Microseconds between two alarms.
const PERIOD: i32 = 1000;
const SEED: usize = 7;

/// Alarms so far, and those that found it outside its text.
static ALARMS: AtomicUsize = AtomicUsize::new(0);
static ASTRAY: AtomicUsize = AtomicUsize::new(0);

/// Loops until there were so many alarms.
pub fn ring(count: usize) -> Result<Counts, Error> {
    let right = frames_loop(SEED);
    signals::handle(libc::SIGALRM, |pc| {
        ALARMS.fetch_add(1, Relaxed);
        if !signals::is_text(pc) {
            ASTRAY.fetch_add(1, Relaxed);
        }
    })?;
    signals::every(PERIOD)?;
    let mut calls = 1;
    while ALARMS.load(Relaxed) < count {
        check("frames_loop", frames_loop(SEED), right)?;
        calls += 1;
    }
    signals::every(0)?;
    check("alarms outside the text", ASTRAY.load(Relaxed), 0)?;
    Ok(Counts::default().with("frames_loop", calls, calls))
}
