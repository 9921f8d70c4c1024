//! Calls by a process that forbids itself to make its text writable.
#![expect(unsafe_code, reason = "rustix has no PR_SET_MDWE")]

use std::io;

use crate::calls::frames_call;
use crate::counts::Counts;
use crate::{Error, check};

/// `PR_SET_MDWE` and `PR_MDWE_REFUSE_EXEC_GAIN` of `linux/prctl.h`, since Linux 6.3.
const SET: libc::c_int = 65;
const REFUSE_EXEC_GAIN: libc::c_ulong = 1;

/// Twice reads a line and makes so many calls. In between it forbids all changes of its text, which an older
/// kernel does not know.
pub fn call(calls: usize) -> Result<Counts, Error> {
    calls_after_line(calls)?;
    // SAFETY: affects later mappings only.
    unsafe { libc::prctl(SET, REFUSE_EXEC_GAIN, 0, 0, 0) };
    calls_after_line(calls)?;
    Ok(Counts::default().with("frames_call", 2 * calls, 2 * calls))
}

fn calls_after_line(calls: usize) -> Result<(), Error> {
    io::stdin().read_line(&mut String::new())?;
    let sum = (0..calls).fold(0, |sum, _| frames_call(sum));
    check("frames_call", sum, calls)
}
