//! A32 instructions that do the same wherever they stand: a copy of them in a
//! slot, and behind it the way back.

use core::fmt;

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

    /// What a slot holds: the copy, a jump, and where it leads. `next` is the
    /// address of the instruction behind the displaced one.
    ///
    /// The jump changes nothing but the pc. It loads from the slot, which ends
    /// no exclusive access (A3.4.1), in the byte order of data that the
    /// interrupted code has, which is little-endian: what could change that is
    /// refused.
    #[must_use]
    pub const fn slot(self, next: u32) -> [u8; Self::SIZE] {
        let [a, b, c, d] = self.word.to_le_bytes();
        let [e, f, g, h] = GO_ON.to_le_bytes();
        let [i, j, k, l] = next.to_le_bytes();
        [a, b, c, d, e, f, g, h, i, j, k, l]
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
    use super::same;

    #[test]
    fn a_slot_is_the_copy_and_the_way_back() {
        let slot = same(0xe280_3a02).slot(0xc010_0004);
        assert_eq!(slot[..4], [0x02, 0x3a, 0x80, 0xe2]);
        assert_eq!(slot[4..8], [0x04, 0xf0, 0x1f, 0xe5]);
        assert_eq!(slot[8..], [0x04, 0x00, 0x10, 0xc0]);
    }
}
