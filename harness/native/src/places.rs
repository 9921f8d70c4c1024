//! Addresses and contents of the memory lent to runs.

use zerocopy::{FromBytes, Immutable, IntoBytes, KnownLayout};

/// Bytes of a page.
pub const PAGE: usize = 4096;
/// Bytes of a run's stack.
pub const STACK: usize = 2048;
/// Bytes of a run's data.
pub const DATA: usize = 4 * PAGE;

/// Kernel addresses for a site. The layout is shared with `engine/kmod/selftest.c`.
#[derive(Clone, Copy, Default, FromBytes, IntoBytes, KnownLayout, Immutable)]
#[repr(C)]
pub struct Places {
    /// Number of the site.
    pub number: u64,
    /// Address of the instruction.
    pub site: u64,
    /// Address of its page.
    pub page: u64,
    /// Address of the stack.
    pub stack: u64,
    /// Size of the stack in bytes.
    pub stack_size: u64,
    /// Address of the data.
    pub data: u64,
    /// Size of the data in bytes.
    pub data_size: u64,
}

/// What stack and data are filled with.
#[derive(Clone, Copy)]
pub enum Contents {
    /// Pseudo-random words.
    Numbers,
    /// Addresses in the page at which a run ends, of this many bytes each. Every other one has
    /// these bits in addition.
    Exits(usize, u64),
}

impl Contents {
    /// The byte at this offset.
    pub fn byte(self, at: usize, places: &Places) -> u8 {
        match self {
            Self::Numbers => {
                let word = (at as u32 / 4 + 1).wrapping_mul(0x9e37_79b9);
                word.to_le_bytes()[at % 4]
            }
            Self::Exits(bytes, mode) => {
                let number = (at / bytes % 256) as u64;
                let exit = places.page + 4 * number + number % 2 * mode;
                exit.to_le_bytes()[at % bytes]
            }
        }
    }

    /// Fills a buffer.
    pub fn fill(self, bytes: &mut [u8], places: &Places) {
        for (at, byte) in bytes.iter_mut().enumerate() {
            *byte = self.byte(at, places);
        }
    }
}
