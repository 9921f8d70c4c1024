//! Calls of a function of special instructions.
#![expect(unsafe_code, reason = "calls a function in assembly")]

use std::io;

use crate::counts::Counts;
use crate::{Error, arch, check};

/// Makes so many calls.
pub fn add(calls: usize) -> Result<Counts, Error> {
    let Some((function, offsets)) = arch::SPECIAL else {
        return Err(Error::Wrong(
            "this machine has no special instructions".to_owned(),
        ));
    };
    for number in 0..calls as u32 {
        // SAFETY: it computes with registers alone.
        check("frames_special", unsafe { function(number) }, number + 1)?;
    }
    let counts = Counts::default().with("frames_special", calls, calls);
    let with =
        |counts: Counts, offset: &usize| counts.with_offset("frames_special", *offset, calls);
    Ok(offsets.iter().fold(counts, with))
}

/// The same with the signing of pointers by key A disabled, as arm64's prctl(2) can.
pub fn unsigned(calls: usize) -> Result<Counts, Error> {
    const PR_PAC_SET_ENABLED_KEYS: libc::c_int = 60;
    const PR_PAC_APIAKEY: libc::c_ulong = 1;
    let none: libc::c_ulong = 0;
    // SAFETY: pointers that were signed before are checked no more.
    let done = unsafe { libc::prctl(PR_PAC_SET_ENABLED_KEYS, PR_PAC_APIAKEY, none, none, none) };
    if done < 0 {
        return Err(io::Error::last_os_error().into());
    }
    add(calls)
}
