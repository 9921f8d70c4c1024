//! What kprobes (Linux 6.1) do about A64 instructions, for the census: execute from a slot,
//! simulate in C, or reject.

use crate::counted::Verdict;

use Verdict::{Emulate, Reject, Simulate};

/// Simulated: branches, `adr` and `adrp`, and literal loads of general registers.
const SIMULATED: &[(u32, u32)] = &[
    (0x1f00_0000, 0x1000_0000),
    (0x7c00_0000, 0x1400_0000),
    (0xff00_0010, 0x5400_0000),
    (0x7e00_0000, 0x3400_0000),
    (0x7e00_0000, 0x3600_0000),
    (0xffff_fc1f, 0xd61f_0000),
    (0xffff_fc1f, 0xd63f_0000),
    (0xffff_fc1f, 0xd65f_0000),
    (0xbf00_0000, 0x1800_0000),
    (0xff00_0000, 0x9800_0000),
];

/// Rejected of the rest: exceptions and exception returns, writes to PSTATE and to system
/// registers, literal prefetches, authenticating branches, and exclusives.
const REJECTED: &[(u32, u32)] = &[
    (0xff00_0000, 0xd400_0000),
    (0xfe00_0000, 0xd600_0000),
    (0xfff8_f01f, 0xd500_401f),
    (0xfff0_0000, 0xd510_0000),
    (0x3f80_0000, 0x0800_0000),
    (0xff00_0000, 0xd800_0000),
    (0xff00_0000, 0x5400_0000),
];

/// What kprobes do about `word`.
pub fn verdict(word: u32) -> Verdict {
    let is_of = |rows: &[(u32, u32)]| rows.iter().any(|(mask, value)| word & mask == *value);
    if is_of(SIMULATED) {
        Simulate
    } else if is_of(REJECTED) || !is_steppable_of_system(word) {
        Reject
    } else {
        Emulate
    }
}

/// System register reads other than DAIF; hints that do nothing.
const fn is_steppable_of_system(word: u32) -> bool {
    const MRS_DAIF: u32 = 0xd53b_4220;
    let reads_daif = word & 0xffff_ffe0 == MRS_DAIF;
    let is_hint = word & 0xffff_f01f == 0xd503_201f;
    // `nop`, `xpaclri`, those that sign (those that authenticate may fault), and `bti`.
    let number = word >> 5 & 0x7f;
    let is_steppable_hint = matches!(
        number,
        0 | 0x07 | 0x08 | 0x0a | 0x18..=0x1b | 0x20 | 0x22 | 0x24 | 0x26
    );
    !reads_daif && (!is_hint || is_steppable_hint)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_functions_begin_and_end_with() {
        for (word, wanted) in [
            (0xaa1e_03e9, Emulate),
            (0xd503_233f, Emulate),
            (0xd503_23bf, Reject),
            (0xd503_203f, Reject),
            (0xd503_201f, Emulate),
            (0xa9bf_7bfd, Emulate),
            (0x9000_0000, Simulate),
            (0xb400_0040, Simulate),
            (0xd65f_03c0, Simulate),
            (0xd538_4100, Emulate),
            (0xd53b_4220, Reject),
            (0xd51b_4220, Reject),
            (0xd421_0000, Reject),
            (0x885f_7c41, Reject),
            (0xd69f_03e0, Reject),
        ] {
            assert_eq!(verdict(word), wanted, "{word:08x}");
        }
    }
}
