//! A64 instructions that have the same effect at any address: a slot holds a copy and a branch
//! back.

use core::fmt;

use super::Regs;

/// An instruction that [`plan`](super::plan) found to be position-independent: a copy of it has the
/// same effect.
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
    pub const SIZE: usize = 8;

    /// The contents of a slot at `at`: the copy, and a branch to `next`, the address of the
    /// instruction after the displaced one. `None` if that is out of the branch's range of 128 MiB.
    ///
    /// The branch changes nothing but the pc, and does not clear the exclusive monitor.
    #[must_use]
    pub fn slot(self, at: u64, next: u64) -> Option<[u8; Self::SIZE]> {
        let [a, b, c, d] = self.word.to_le_bytes();
        let [e, f, g, h] = branch(at.wrapping_add(4), next)?.to_le_bytes();
        Some([a, b, c, d, e, f, g, h])
    }

    /// Resumes in the slot at `at`; the trap handler must use this.
    ///
    /// Clears BTYPE: the breakpoint in the instruction's place accepted every branch, and so must
    /// the slot.
    pub fn enter(at: u64, regs: &mut Regs) {
        regs.pc = at;
        regs.forget_branch();
    }
}

/// `b` at the address `from`, to the address `to`.
pub(super) fn branch(from: u64, to: u64) -> Option<u32> {
    const REACH: i64 = 1 << 27;
    let distance = to.wrapping_sub(from).cast_signed();
    let in_reach = (-REACH..REACH).contains(&distance) && distance & 0b11 == 0;
    let words = (distance >> 2) as u32 & 0x03ff_ffff;
    in_reach.then_some(0x1400_0000 | words)
}

/// The word in the slot.
impl fmt::Display for Relocation {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{:08x}", self.word)
    }
}

#[cfg(test)]
mod tests {
    use super::{Regs, Relocation, same};

    const SLOT: u64 = 0xffff_8000_0120_0000;
    const SUB_SP: Relocation = same(0xd100_83ff);

    fn way_back(distance: i64) -> Option<[u8; 4]> {
        let next = SLOT.wrapping_add(4).wrapping_add_signed(distance);
        let slot = SUB_SP.slot(SLOT, next)?;
        assert_eq!(slot[..4], [0xff, 0x83, 0x00, 0xd1]);
        Some([slot[4], slot[5], slot[6], slot[7]])
    }

    #[test]
    fn a_slot_is_the_copy_and_the_way_back() {
        assert_eq!(way_back(8), Some(0x1400_0002_u32.to_le_bytes()));
        assert_eq!(way_back(-4), Some(0x17ff_ffff_u32.to_le_bytes()));
    }

    #[test]
    fn there_is_no_way_back_beyond_a_branch() {
        let reach = 1 << 27;
        assert_eq!(way_back(reach - 4), Some(0x15ff_ffff_u32.to_le_bytes()));
        assert_eq!(way_back(reach), None);
        assert_eq!(way_back(-reach), Some(0x1600_0000_u32.to_le_bytes()));
        assert_eq!(way_back(-reach - 4), None);
        assert_eq!(way_back(2), None);
    }

    #[test]
    fn every_branch_may_have_led_to_a_slot() {
        let mut regs = Regs {
            pstate: 0x6000_0c05,
            ..Regs::default()
        };
        Relocation::enter(SLOT, &mut regs);
        assert_eq!((regs.pc, regs.pstate), (SLOT, 0x6000_0005));
    }
}
