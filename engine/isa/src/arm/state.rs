//! What the program status says about the instructions that follow: whether they are Thumb, and
//! where in an IT block the next one is.

use core::fmt;

use crate::condition::Condition;

/// CPSR.T: Thumb instructions follow.
pub(super) const THUMB: u32 = 1 << 5;

/// The highest six bits of ITSTATE in the CPSR.
const HIGH: u32 = 0b11_1111 << 10;
/// Its lowest two.
const LOW: u32 = 0b11 << 25;

/// Whether Thumb instructions follow.
pub(super) const fn is_thumb(cpsr: u32) -> bool {
    cpsr & THUMB != 0
}

/// The place of an instruction in an IT block: ITSTATE (A2.5.2). The upper four bits are its
/// condition; the lowest bit that is set says how many follow.
///
/// Nothing may branch into a block, so an instruction is always at the same place.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Block(u8);

impl Block {
    /// Outside of any block.
    pub const NONE: Self = Self(0);

    /// The place that a program status has.
    #[must_use]
    pub const fn of(cpsr: u32) -> Self {
        Self(((cpsr & HIGH) >> 8 | (cpsr & LOW) >> 25) as u8)
    }

    /// The first place of the block that an IT instruction with this condition and mask begins.
    #[must_use]
    pub const fn begun(condition_and_mask: u8) -> Self {
        Self(condition_and_mask)
    }

    /// This place in a program status.
    #[must_use]
    pub const fn in_status(self, cpsr: u32) -> u32 {
        let state = self.0 as u32;
        cpsr & !(HIGH | LOW) | (state << 8 & HIGH) | (state << 25 & LOW)
    }

    /// Whether this is in a block at all.
    #[must_use]
    pub const fn is_inside(self) -> bool {
        self.0 & 0b1111 != 0
    }

    /// Whether this is in a block, and not its last place: only there what follows depends on it.
    #[must_use]
    pub const fn is_before_others(self) -> bool {
        self.0 & 0b0111 != 0
    }

    /// The place after this one (ITAdvance).
    #[must_use]
    pub const fn next(self) -> Self {
        if self.is_before_others() {
            return Self(self.0 & 0b1110_0000 | self.0 << 1 & 0b1_1111);
        }
        Self::NONE
    }

    /// The same condition, in a block of its own.
    #[must_use]
    pub const fn alone(self) -> Self {
        if self.is_inside() {
            return Self(self.0 & 0b1111_0000 | 0b1000);
        }
        Self::NONE
    }

    /// The condition of the instruction here.
    pub(super) const fn condition(self) -> Condition {
        Condition::of(if self.is_inside() {
            (self.0 >> 4) as u32
        } else {
            0b1110
        })
    }
}

/// As the IT instruction that begins the block here has it: `te eq`.
impl fmt::Display for Block {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut place = *self;
        while place.is_before_others() {
            place = place.next();
            let is_same = place.0 >> 4 & 1 == self.0 >> 4 & 1;
            out.write_str(if is_same { "t" } else { "e" })?;
        }
        write!(out, " {}", self.condition().name())
    }
}

#[cfg(test)]
mod tests {
    use super::Block;

    /// `ITTEE EQ`.
    const FOUR: Block = Block::begun(0b0000_0111);

    #[test]
    fn a_block_of_four_ends_after_four() {
        let places = [
            FOUR,
            FOUR.next(),
            FOUR.next().next(),
            FOUR.next().next().next(),
        ];
        let conditions = places.map(|place| place.condition().name());
        assert_eq!(conditions, ["eq", "eq", "ne", "ne"]);
        assert_eq!(
            places.map(Block::is_before_others),
            [true, true, true, false]
        );
        assert!(places.iter().all(|place| place.is_inside()));
        assert_eq!(places[3].next(), Block::NONE);
        assert_eq!(Block::NONE.next(), Block::NONE);
        assert_eq!(Block::NONE.condition().name(), "al");
    }

    #[test]
    fn a_place_is_in_the_status_where_the_manual_has_it() {
        let status = FOUR.in_status(0xf000_0030);
        assert_eq!(status, 0xf600_0430);
        assert_eq!(Block::of(status), FOUR);
        assert_eq!(Block::NONE.in_status(status), 0xf000_0030);
    }

    #[test]
    fn alone_the_condition_is_the_same_and_nothing_follows() {
        let alone = FOUR.next().next().alone();
        assert_eq!(alone.condition().name(), "ne");
        assert!(alone.is_inside() && !alone.is_before_others());
        assert_eq!(Block::NONE.alone(), Block::NONE);
    }
}
