//! T16 and T32: reference disassembler and reference processor.

pub mod census;
#[cfg(feature = "unicorn")]
pub mod guest;
#[cfg(feature = "unicorn")]
pub mod judged;
#[cfg(feature = "unicorn")]
pub mod set;
pub mod spelling;
pub mod walked;

use engine_isa::arm::Block;
use engine_isa::arm::t32::{self, ROWS};

use crate::prng::{Rng, percent};
use crate::words;

/// An instruction, and its place in an IT block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Placed {
    /// The instruction; a short one is the upper half, and the lower is 0.
    pub word: u32,
    /// ITSTATE.
    pub state: u8,
}

impl Placed {
    /// An instruction outside of any block.
    pub const fn alone(word: u32) -> Self {
        let word = match t32::length(word) {
            2 => word & 0xffff_0000,
            _ => word,
        };
        Self { word, state: 0 }
    }

    /// Its place.
    pub const fn block(self) -> Block {
        Block::begun(self.state)
    }

    /// Its bytes in memory.
    pub fn bytes(&self) -> Vec<u8> {
        let bytes = self.word.rotate_left(16).to_le_bytes();
        bytes[..t32::length(self.word)].to_vec()
    }
}

/// A random instruction outside of any block: of a row, one or two bits away from one, or uniform.
pub fn any(rng: &mut Rng) -> Placed {
    Placed::alone(words::any(ROWS, |word, _| word, rng))
}

/// The same instruction at a random place: a third of the time in a block.
pub fn placed(one: Placed, rng: &mut Rng) -> Placed {
    if !percent(rng, 35) {
        return one;
    }
    let condition = rng.u8(0..14) << 4;
    let mask = [0b1000, 0b0100, 0b1100, 0b0010, 0b1010, 0b1110][rng.usize(0..6)];
    Placed {
        state: condition | mask | u8::from(mask & 0b11 == 0b10 && rng.bool()),
        ..one
    }
}
