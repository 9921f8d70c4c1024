//! What the kernel's own probes (Linux 6.1) accept of A64, to be counted beside our own answers: what
//! is executed from a slot, what is done in C, and what is rejected.

use crate::counted::Verdict;

use Verdict::{Emulate, Reject, Simulate};

/// What they simulate: branches, `adr` and `adrp`, and literals of general registers.
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

/// What they reject of what is not simulated: exceptions and the returns from them, moves to PSTATE and to system
/// registers, preloads of literals, signed branches, and exclusives.
const REJECTED: &[(u32, u32)] = &[
    (0xff00_0000, 0xd400_0000),
    (0xfe00_0000, 0xd600_0000),
    (0xfff8_f01f, 0xd500_401f),
    (0xfff0_0000, 0xd510_0000),
    (0x3f80_0000, 0x0800_0000),
    (0xff00_0000, 0xd800_0000),
    (0xff00_0000, 0x5400_0000),
];

/// What kprobes would do about `word`.
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

/// Of reads of system registers all but that of DAIF; of hints those that do nothing.
const fn is_steppable_of_system(word: u32) -> bool {
    const MRS_DAIF: u32 = 0xd53b_4220;
    let reads_daif = word & 0xffff_ffe0 == MRS_DAIF;
    let is_hint = word & 0xffff_f01f == 0xd503_201f;
    // `nop`, `xpaclri`, what signs (not what authenticates, and may fault), and `bti`.
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
