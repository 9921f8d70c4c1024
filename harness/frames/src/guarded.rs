//! Calls of functions where the processor checks what indirect branches lead to.
#![expect(unsafe_code, reason = "calls functions in assembly")]

use std::ffi::c_int;
use std::hint::black_box;

use crate::counts::Counts;
use crate::{Error, arch, check, pages};

/// Has the processor check their page, and makes so many calls of each.
pub fn call(calls: usize) -> Result<Counts, Error> {
    const PROT_BTI: c_int = 0x10;
    let mut counts = Counts::default();
    for (name, function) in arch::GUARDED {
        let page = (*function as *const ()).addr() & !(pages::PAGE - 1);
        pages::protect(page, pages::EXECUTE | PROT_BTI)?;
        for number in 0..calls {
            // By a branch to a register: a direct one may lead anywhere.
            let function = black_box(*function);
            // SAFETY: it computes with registers alone.
            check(name, unsafe { function(number, 3) }, number + 3)?;
        }
        counts = counts.with(name, calls, calls);
    }
    Ok(counts)
}
