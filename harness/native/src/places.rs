//! Where things are in the kernel, and what memory is there.

use zerocopy::{FromBytes, Immutable, IntoBytes, KnownLayout};

/// The bytes of a page.
pub const PAGE: usize = 4096;
/// The bytes of a stack that a run sees.
pub const STACK: usize = 2048;
/// The bytes of data that it sees.
pub const DATA: usize = 4 * PAGE;

/// Where things are in the kernel, for an instruction.
#[derive(Clone, Copy, Default, FromBytes, IntoBytes, KnownLayout, Immutable)]
#[repr(C)]
pub struct Places {
    /// Its number among those that can be probed at once.
    pub number: u64,
    /// The instruction.
    pub site: u64,
    /// The page that it is in.
    pub page: u64,
    /// The stack.
    pub stack: u64,
    /// Its bytes.
    pub stack_size: u64,
    /// The data.
    pub data: u64,
    /// Their bytes.
    pub data_size: u64,
}

/// What words of memory are.
#[derive(Clone, Copy)]
pub enum Contents {
    /// Any.
    Numbers,
    /// Addresses, of so many bytes, at which a run ends.
    Exits(usize),
}

impl Contents {
    /// The byte there.
    pub fn byte(self, at: usize, places: &Places) -> u8 {
        match self {
            Self::Numbers => {
                let word = (at as u32 / 4 + 1).wrapping_mul(0x9e37_79b9);
                word.to_le_bytes()[at % 4]
            }
            Self::Exits(bytes) => {
                let exit = places.page + 4 * (at / bytes % 256) as u64;
                exit.to_le_bytes()[at % bytes]
            }
        }
    }

    /// Fills `bytes`.
    pub fn fill(self, bytes: &mut [u8], places: &Places) {
        for (at, byte) in bytes.iter_mut().enumerate() {
            *byte = self.byte(at, places);
        }
    }
}
