//! Calls of a function with all of a processor's registers in use, none of which may be changed.
#![expect(unsafe_code, reason = "calls functions in assembly")]

use std::io;

use crate::arch::{self, Keeper, Registers};
use crate::counts::Counts;
use crate::{Error, check};

/// Makes so many calls with each set of registers that the processor has; says which these are on standard
/// error.
pub fn call(calls: usize) -> Result<Counts, Error> {
    let mut made = 0;
    for keeper in arch::KEEPERS.iter().filter(|it| is_there(it)) {
        for number in 0..calls as u64 {
            let before = registers(number, keeper)?;
            let mut after = before.clone();
            // SAFETY: both are there, and the processor has all that is used.
            unsafe { (keeper.call)(&raw const before, &raw mut after) };
            check("general registers", after.general, before.general)?;
            check("flags and floating point", after.status, before.status)?;
            let is_kept = after == before;
            check(keeper.name, is_kept, true)?;
        }
        eprintln!("{}: kept", keeper.name);
        made += calls;
    }
    Ok(Counts::default().with("frames_still", made, made))
}

fn is_there(keeper: &Keeper) -> bool {
    keeper.needs.is_none_or(|(vector, bit)| {
        // SAFETY: reads what the kernel told the process.
        let has = unsafe { libc::getauxval(vector) };
        has >> bit & 1 == 1
    })
}

/// Pseudo-random ones.
fn registers(seed: u64, keeper: &Keeper) -> Result<Registers, Error> {
    /// The bits of flags; of rounding, flushing to zero and one NaN; and of floating point's exceptions.
    const STATUS: [u64; 4] = [0xf000_0000, 0x03c0_0000, 0x0800_009f, 0];
    let mut state = seed.wrapping_mul(2) | 1;
    let mut next = || {
        // Knuth's MMIX.
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        state >> 24
    };
    let mut registers = Registers {
        general: [0; 28],
        status: STATUS.map(|bits| bits & next().wrapping_mul(0x1_0001)),
        vectors: [0; 32 * 256],
        predicates: [0; 17 * 32],
    };
    registers.general.fill_with(&mut next);
    registers.vectors.fill_with(|| next() as u8);
    registers.predicates.fill_with(|| next() as u8);
    if let Some(option) = keeper.vector {
        // SAFETY: asks for a number.
        let length = unsafe { libc::prctl(option) };
        let length = usize::try_from(length).map_err(|_| io::Error::last_os_error())? & 0xffff;
        // That of faults has all its bits set.
        registers.predicates[2 * length..][..length / 8].fill(0xff);
    }
    Ok(registers)
}
