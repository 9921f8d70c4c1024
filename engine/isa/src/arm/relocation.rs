//! A copy of an instruction that has the same effect at any address, and the way back from it.

use core::fmt;

/// An instruction that is position-independent, or that is at a place where it can be: a copy of it
/// has the same effect, its condition included.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Relocation {
    /// The instruction; a short one is the upper half.
    word: u32,
    /// Its length in bytes.
    length: u8,
    /// The copy, and what comes after it.
    code: [u8; 8],
    /// 1 if the next instruction is Thumb, else 0.
    thumb: u8,
}

impl Relocation {
    /// Size of a slot in bytes.
    pub const SIZE: usize = 12;

    /// `code` is a copy of `word`, and a jump to the address in the word that follows it.
    pub(super) const fn of(word: u32, length: u8, code: [u8; 8], thumb: u8) -> Self {
        Self {
            word,
            length,
            code,
            thumb,
        }
    }

    /// The length of the instruction in bytes.
    #[must_use]
    pub const fn length(self) -> usize {
        self.length as usize
    }

    /// The contents of a slot, at a multiple of 4: the copy, a jump, and its target. `next` is the
    /// address of the instruction after the displaced one.
    ///
    /// The jump changes nothing but the pc. It loads from the slot, which does not clear the
    /// exclusive monitor (A3.4.1), in the interrupted code's data endianness. That is
    /// little-endian: instructions that could change it are refused.
    #[must_use]
    pub const fn slot(self, next: u32) -> [u8; Self::SIZE] {
        let [a, b, c, d, e, f, g, h] = self.code;
        let [i, j, k, l] = (next | self.thumb as u32).to_le_bytes();
        [a, b, c, d, e, f, g, h, i, j, k, l]
    }
}

/// The instruction in the slot.
impl fmt::Display for Relocation {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.length {
            2 => write!(out, "{:04x}", self.word >> 16),
            _ => write!(out, "{:08x}", self.word),
        }
    }
}
