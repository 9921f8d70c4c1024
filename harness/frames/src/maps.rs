//! A function whose page is changed, replaced by other code, and mapped again.
#![expect(unsafe_code, reason = "calls a function in assembly")]

use std::fs::{self, File};
use std::io;

use crate::arch::{frames_paged, returning};
use crate::counts::Counts;
use crate::pages::{self, EXECUTE, PAGE, WRITE};
use crate::{Error, check};

/// Calls the function so many times after each change. Its probes are there until its page is again
/// as its file has it.
pub fn map(calls: usize) -> Result<Counts, Error> {
    let at = frames_paged as *const () as usize;
    let program = File::open("/proc/self/exe")?;
    let offset = offset_in_file(at)?;
    call(calls)?;
    pages::protect(at, WRITE)?;
    pages::protect(at, EXECUTE)?;
    call(calls)?;
    pages::forget(at)?;
    call(calls)?;
    for (number, put) in [
        (7, pages::anonymous_code as fn(_, &[u8]) -> _),
        (8, pages::shared_code),
        (9, pages::anonymous_code),
    ] {
        pages::unmap(at)?;
        put(at, &returning(number))?;
        check("other code", pages::call(at), number.into())?;
        let moved = pages::relocate(at)?;
        check("moved code", pages::call(moved), number.into())?;
        pages::relocate_to(moved, at)?;
        check("code moved back", pages::call(at), number.into())?;
    }
    pages::replace(at, &program, offset)?;
    call(calls)?;
    Ok(Counts::default().with("frames_paged", 2 * calls, 2 * calls))
}

fn call(calls: usize) -> Result<(), Error> {
    // SAFETY: it takes any number.
    let sum = (0..calls).fold(0, |sum, _| unsafe { frames_paged(sum) });
    check("frames_paged", sum, calls)
}

/// Where in the program's file an address of its text is.
fn offset_in_file(at: usize) -> Result<i64, Error> {
    let maps = fs::read_to_string("/proc/self/maps")?;
    let found = maps.lines().find_map(|line| {
        let mut words = line.split_whitespace();
        let (start, end) = words.next()?.split_once('-')?;
        let (start, end) = (hexadecimal(start)?, hexadecimal(end)?);
        let offset = hexadecimal(words.nth(1)?)?;
        (start..end).contains(&at).then(|| offset + (at - start))
    });
    let missing = || io::Error::other(format!("no page at {at:#x}"));
    let offset = found
        .filter(|offset| offset % PAGE == 0)
        .ok_or_else(missing)?;
    Ok(i64::try_from(offset).map_err(io::Error::other)?)
}

fn hexadecimal(text: &str) -> Option<usize> {
    usize::from_str_radix(text, 16).ok()
}
