//! Thumb instructions that have the same effect at any address: a slot holds a copy and a jump back.
//!
//! In an IT block the copy is executed in a block of its own, with the condition that the
//! instruction has where it was: so it leaves the flags alone as it does there, and what follows it
//! in the slot is unconditional. Nothing but an exception can lead back into the middle of a block,
//! so the slot of an instruction that others follow in its block ends in a breakpoint.

use super::TRAP;
use crate::arm::relocation::Relocation;

/// `ldr.w pc, [pc]` (A8.8.64): jumps to the address in the word at the next multiple of 4.
const GO_ON: u32 = 0xf8df_f000;
/// The same one word further.
const GO_ON_LATER: u32 = 0xf8df_f004;
const NOP: u16 = 0xbf00;

/// The bytes of an instruction of 32 bits in memory: its first half is the upper one.
const fn bytes(word: u32) -> [u8; 4] {
    let [c, d, a, b] = word.to_le_bytes();
    [a, b, c, d]
}

/// An unmodified copy of an instruction of 16 bits.
pub(super) const fn same_short(word: u32) -> Relocation {
    let [a, b, ..] = bytes(word);
    let [c, d, e, f] = bytes(GO_ON_LATER);
    let [g, h] = NOP.to_le_bytes();
    Relocation::of(word, 2, [a, b, c, d, e, f, g, h], 1)
}

/// An unmodified copy of one of 32 bits.
pub(super) const fn same(word: u32) -> Relocation {
    let [a, b, c, d] = bytes(word);
    let [e, f, g, h] = bytes(GO_ON);
    Relocation::of(word, 4, [a, b, c, d, e, f, g, h], 1)
}

/// The same copy of `word`, with a breakpoint after it.
pub(super) const fn trapping(word: u32, length: usize) -> Relocation {
    let [a, b, c, d] = bytes(word);
    let [e, f] = TRAP.to_le_bytes();
    match length {
        2 => Relocation::of(word, 2, [a, b, e, f, e, f, e, f], 1),
        _ => Relocation::of(word, 4, [a, b, c, d, e, f, e, f], 1),
    }
}

#[cfg(test)]
mod tests {
    use super::{same, same_short, trapping};

    /// `adds r0, r0, #1` and `add.w r0, r0, #1`.
    const SHORT: u32 = 0x3001_0000;
    const LONG: u32 = 0xf100_0001;

    #[test]
    fn a_slot_is_the_copy_and_the_way_back() {
        let slot = same(LONG).slot(0x1_0004);
        assert_eq!(slot[..4], [0x00, 0xf1, 0x01, 0x00]);
        assert_eq!(slot[4..8], [0xdf, 0xf8, 0x00, 0xf0]);
        assert_eq!(slot[8..], [0x05, 0x00, 0x01, 0x00]);
    }

    #[test]
    fn a_short_copy_is_followed_by_the_same_way_back() {
        let slot = same_short(SHORT).slot(0x1_0002);
        assert_eq!(slot[..2], [0x01, 0x30]);
        assert_eq!(slot[2..6], [0xdf, 0xf8, 0x04, 0xf0]);
        assert_eq!(slot[6..8], [0x00, 0xbf]);
        assert_eq!(slot[8..], [0x03, 0x00, 0x01, 0x00]);
    }

    #[test]
    fn a_copy_of_what_others_follow_in_a_block_ends_in_a_breakpoint() {
        let trap = super::TRAP.to_le_bytes();
        assert_eq!(trapping(SHORT, 2).slot(0)[2..4], trap);
        assert_eq!(trapping(LONG, 4).slot(0)[4..6], trap);
        assert_eq!(trapping(LONG, 4).slot(0)[..4], same(LONG).slot(0)[..4]);
    }
}
