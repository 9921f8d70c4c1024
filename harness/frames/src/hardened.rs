//! Calls by a process that forbids itself to make its text writable.
#![expect(unsafe_code, reason = "rustix has neither PR_SET_MDWE nor mseal(2)")]

use std::{fs, io};

use crate::calls::frames_call;
use crate::counts::Counts;
use crate::{Error, check};

/// `PR_SET_MDWE` and `PR_MDWE_REFUSE_EXEC_GAIN` of `linux/prctl.h`, since Linux 6.3.
const SET: libc::c_int = 65;
const REFUSE_EXEC_GAIN: libc::c_ulong = 1;

/// mseal(2), since Linux 6.10, on all processors.
const MSEAL: libc::c_long = 462;

/// Twice reads a line and makes so many calls. In between it forbids all changes of its text and of the module's
/// slots, which an older kernel does not know.
pub fn call(calls: usize) -> Result<Counts, Error> {
    calls_after_line(calls)?;
    // SAFETY: affects later mappings only.
    unsafe { libc::prctl(SET, REFUSE_EXEC_GAIN, 0, 0, 0) };
    seal_slots()?;
    calls_after_line(calls)?;
    Ok(Counts::default().with("frames_call", 2 * calls, 2 * calls))
}

fn calls_after_line(calls: usize) -> Result<(), Error> {
    io::stdin().read_line(&mut String::new())?;
    let sum = (0..calls).fold(0, |sum, _| frames_call(sum));
    check("frames_call", sum, calls)
}

fn seal_slots() -> Result<(), Error> {
    let maps = fs::read_to_string("/proc/self/maps")?;
    for line in maps.lines().filter(|line| line.ends_with("[trapline]")) {
        let range = line
            .split_once(' ')
            .and_then(|(range, _)| range.split_once('-'));
        let [start, end] = range.map_or([0; 2], |(start, end)| {
            [start, end].map(|it| usize::from_str_radix(it, 16).unwrap_or_default())
        });
        // SAFETY: nothing of this program is in those pages.
        unsafe { libc::syscall(MSEAL, start, end - start, 0) };
    }
    Ok(())
}
