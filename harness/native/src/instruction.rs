//! An instruction of any set, and the engine's plan for it: together, a vector.

use std::fmt;

/// Bytes of the longest instruction of any set.
pub const LONGEST: usize = 15;

/// The engine's plan for an instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Plan {
    /// The trap handler emulates it.
    Emulate,
    /// A copy of it is executed in a slot.
    Relocate,
    /// It cannot be probed.
    Refuse,
}

impl<E, R> From<engine_isa::Plan<E, R>> for Plan {
    fn from(plan: engine_isa::Plan<E, R>) -> Self {
        match plan {
            engine_isa::Plan::Emulate(_) => Self::Emulate,
            engine_isa::Plan::Relocate(_) => Self::Relocate,
            engine_isa::Plan::Refuse(_) => Self::Refuse,
        }
    }
}

/// An instruction's bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Text {
    bytes: [u8; LONGEST],
    length: usize,
}

impl Text {
    /// From 1 to [`LONGEST`] bytes.
    pub fn new(bytes: &[u8]) -> Option<Self> {
        let mut text = Self {
            bytes: [0; LONGEST],
            length: bytes.len(),
        };
        text.bytes.get_mut(..bytes.len())?.copy_from_slice(bytes);
        (!bytes.is_empty()).then_some(text)
    }

    /// From a 32-bit word.
    pub fn of_word(word: u32) -> Self {
        let mut bytes = [0; LONGEST];
        bytes[..4].copy_from_slice(&word.to_le_bytes());
        Self { bytes, length: 4 }
    }

    /// The first four bytes as a little-endian word.
    pub fn word(&self) -> u32 {
        let [a, b, c, d, ..] = self.bytes;
        u32::from_le_bytes([a, b, c, d])
    }

    /// The bytes.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes[..self.length]
    }

    /// The bytes, mutable.
    pub fn bytes_mut(&mut self) -> &mut [u8] {
        &mut self.bytes[..self.length]
    }

    /// The bytes, padded with zeros.
    pub fn padded(&self) -> &[u8; LONGEST] {
        &self.bytes
    }
}

impl fmt::Display for Text {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.bytes()
            .iter()
            .try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

/// A vector.
pub struct Vector {
    /// The instruction.
    pub text: Text,
    /// Its disassembly.
    pub disassembly: String,
    /// The engine's plan for it.
    pub plan: Plan,
}

impl Vector {
    /// The seed for this vector in a run with seed `run`.
    pub fn seed(&self, run: u64) -> u64 {
        let bytes = self.text.bytes().iter();
        bytes.fold(run, |seed, &byte| {
            seed.rotate_left(8).wrapping_mul(0x9e37_79b9) ^ u64::from(byte)
        })
    }
}
