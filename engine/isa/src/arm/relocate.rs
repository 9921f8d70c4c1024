//! A32 instructions that do the same wherever they stand: a copy of them in a
//! slot, and behind it the way back.

use core::fmt;

/// `b` by no distance (A8.8.18).
const B: u32 = 0xea00_0000;

/// `ldr pc, [pc, #-4]` (A8.8.64): goes on at the address in the next word.
const GO_ON: u32 = 0xe51f_f004;

/// An instruction that [`plan`](super::plan) has found to be the same at any
/// address: a copy of it does what it would have done, its condition included.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Relocation {
    word: u32,
}

/// The instruction as it stands.
pub(super) const fn same(word: u32) -> Relocation {
    Relocation { word }
}

impl Relocation {
    /// How many bytes a slot has.
    pub const SIZE: usize = 12;

    /// What the slot at address `at` holds: the copy, a jump, and where it
    /// leads, which is `next`, the address of the instruction behind the
    /// displaced one.
    ///
    /// The jump changes nothing but the pc. Where it can it does not load
    /// either, so that it may stand within an exclusive access. Where it must, it
    /// loads in the byte order of data that the interrupted code has, which is
    /// little-endian: what could change that is refused.
    #[must_use]
    pub const fn slot(self, at: u32, next: u32) -> [u8; Self::SIZE] {
        let [a, b, c, d] = self.word.to_le_bytes();
        let [e, f, g, h] = jump(at.wrapping_add(4), next).to_le_bytes();
        let [i, j, k, l] = next.to_le_bytes();
        [a, b, c, d, e, f, g, h, i, j, k, l]
    }
}

/// The instruction at address `at` that goes on at `next`, which is the word behind it, too.
const fn jump(at: u32, next: u32) -> u32 {
    const REACH: i32 = 1 << 25;
    let distance = next.wrapping_sub(at.wrapping_add(8)).cast_signed();
    if distance >= -REACH && distance < REACH {
        B | distance.cast_unsigned() << 6 >> 8
    } else {
        GO_ON
    }
}

/// The word that will stand in the slot.
impl fmt::Display for Relocation {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{:08x}", self.word)
    }
}

#[cfg(test)]
mod tests {
    use super::{GO_ON, same};

    #[test]
    fn a_slot_is_the_copy_and_the_way_back() {
        let slot = same(0xe280_3a02).slot(0xbf00_0000, 0xc010_0004);
        assert_eq!(slot[..4], [0x02, 0x3a, 0x80, 0xe2]);
        assert_eq!(slot[4..8], [0xfe, 0xff, 0x43, 0xea]);
        assert_eq!(slot[8..], [0x04, 0x00, 0x10, 0xc0]);
    }

    #[test]
    fn the_way_back_is_a_branch_where_one_reaches() {
        let at = 0x8000_0000;
        for (next, jump) in [
            (at + 8, 0xea00_0000),
            (at, 0xeaff_fffe),
            (at + 8 + 0x01ff_fffc, 0xea7f_ffff),
            (at + 8 + 0x0200_0000, GO_ON),
            (at + 8 - 0x0200_0000, 0xea80_0000),
            (at + 8 - 0x0200_0004, GO_ON),
        ] {
            assert_eq!(super::jump(at, next), jump, "{next:#x}");
        }
    }
}
