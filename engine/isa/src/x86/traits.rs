//! What an encoding can test of an instruction: one bit for each answer to each question. An
//! encoding is the set of answers that it excludes.

/// A set of answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Traits(u64);

impl Traits {
    pub(super) const NONE: Self = Self(0);
    /// 66 is among the prefixes.
    pub(super) const SIZE: Self = Self::bit(0);
    /// 66 is not.
    pub(super) const NO_SIZE: Self = Self::bit(1);
    /// The last of F2 and F3 is F3.
    pub(super) const F3: Self = Self::bit(2);
    /// The last of F2 and F3 is F2.
    pub(super) const F2: Self = Self::bit(3);
    /// Neither F2 nor F3 is there.
    pub(super) const NO_REPEAT: Self = Self::bit(4);
    pub(super) const LOCK: Self = Self::bit(5);
    /// LOCK where no memory is written.
    pub(super) const LOCK_REGISTER: Self = Self::bit(6);
    pub(super) const W0: Self = Self::bit(7);
    pub(super) const W1: Self = Self::bit(8);
    pub(super) const L128: Self = Self::bit(9);
    pub(super) const L256: Self = Self::bit(10);
    pub(super) const L512: Self = Self::bit(11);
    /// L'L encodes no length.
    pub(super) const NO_LENGTH: Self = Self::bit(24);
    /// EVEX.b with register operands: embedded rounding, with the mode in L'L.
    pub(super) const ROUNDING: Self = Self::bit(12);
    /// EVEX.b with a memory operand: broadcast of one element.
    pub(super) const BROADCAST: Self = Self::bit(13);
    /// vvvv names a register.
    pub(super) const SECOND: Self = Self::bit(14);
    /// V' extends vvvv to a high register.
    pub(super) const SECOND_HIGH: Self = Self::bit(15);
    pub(super) const MASKED: Self = Self::bit(16);
    pub(super) const UNMASKED: Self = Self::bit(17);
    pub(super) const ZEROING: Self = Self::bit(18);
    pub(super) const MEMORY: Self = Self::bit(19);
    pub(super) const REGISTER: Self = Self::bit(20);
    /// A memory operand without an index.
    pub(super) const NO_SIB: Self = Self::bit(21);
    pub(super) const MODE_64: Self = Self::bit(22);
    pub(super) const MODE_32: Self = Self::bit(23);

    /// Every value of L'L.
    pub(super) const LENGTHS: Self = Self::L128
        .and(Self::L256)
        .and(Self::L512)
        .and(Self::NO_LENGTH);

    const fn bit(number: u32) -> Self {
        Self(1_u64.wrapping_shl(number))
    }

    /// The ModRM byte's reg field has this value.
    pub(super) const fn digit(digit: u8) -> Self {
        Self::bit(32_u32.wrapping_add((digit & 0b111) as u32))
    }

    /// Its r/m field has this value, and names a register.
    pub(super) const fn last_digit(digit: u8) -> Self {
        Self::bit(40_u32.wrapping_add((digit & 0b111) as u32))
    }

    /// The union with `others`.
    pub(super) const fn and(self, others: Self) -> Self {
        Self(self.0 | others.0)
    }

    /// These, if `so`.
    pub(super) const fn when(self, so: bool) -> Self {
        if so { self } else { Self::NONE }
    }

    /// These without `others`.
    pub(super) const fn but(self, others: Self) -> Self {
        Self(self.0 & !others.0)
    }

    pub(super) const fn has_any(self, others: Self) -> bool {
        self.0 & others.0 != 0
    }

    pub(super) const fn has_all(self, others: Self) -> bool {
        self.0 & others.0 == others.0
    }
}
