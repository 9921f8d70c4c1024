//! A32 instructions that have the same effect at any address: a slot holds a copy and a jump back.

use core::fmt;

/// `ldr pc, [pc, #-4]` (A8.8.64): jumps to the address in the next word.
const GO_ON: u32 = 0xe51f_f004;

/// An instruction that [`plan`](super::plan) found to be position-independent: a copy of it has the
/// same effect, its condition included.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Relocation {
    word: u32,
}

/// An unmodified copy.
pub(super) const fn same(word: u32) -> Relocation {
    Relocation { word }
}

impl Relocation {
    /// Size of a slot in bytes.
    pub const SIZE: usize = 12;

    /// The contents of a slot: the copy, a jump, and its target. `next` is the address of the
    /// instruction after the displaced one.
    ///
    /// The jump changes nothing but the pc. It loads from the slot, which does not clear the
    /// exclusive monitor (A3.4.1), in the interrupted code's data endianness. That is
    /// little-endian: instructions that could change it are refused.
    #[must_use]
    pub const fn slot(self, next: u32) -> [u8; Self::SIZE] {
        let [a, b, c, d] = self.word.to_le_bytes();
        let [e, f, g, h] = GO_ON.to_le_bytes();
        let [i, j, k, l] = next.to_le_bytes();
        [a, b, c, d, e, f, g, h, i, j, k, l]
    }
}

/// The word in the slot.
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
