//! Calls of a function of special instructions.
#![expect(unsafe_code, reason = "calls a function in assembly")]

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
