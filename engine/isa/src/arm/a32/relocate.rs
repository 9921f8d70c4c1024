//! A32 instructions that have the same effect at any address: a slot holds a copy and a jump back.

use crate::arm::relocation::Relocation;

/// `ldr pc, [pc, #-4]` (A8.8.64): jumps to the address in the next word.
const GO_ON: u32 = 0xe51f_f004;

/// An unmodified copy.
pub(super) const fn same(word: u32) -> Relocation {
    let [a, b, c, d] = word.to_le_bytes();
    let [e, f, g, h] = GO_ON.to_le_bytes();
    Relocation::of(word, 4, [a, b, c, d, e, f, g, h], 0)
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
