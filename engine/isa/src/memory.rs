//! The memory that an emulated instruction accesses, as the caller provides it.

/// Where an emulated instruction loads and stores.
///
/// It must not overlap the registers that the instruction works on: a handler whose trap frame lies
/// below the interrupted stack pointer must keep a push from overwriting that frame.
///
/// An access is one access of the traced code, with the same width and byte order. `address` need
/// not be aligned; the emulation has checked alignment where the instruction requires it.
pub trait Memory {
    /// Loads a value, zero-extended.
    ///
    /// # Errors
    /// [`Fault`] if the traced code's own load would have faulted.
    fn load(&mut self, address: u64, width: Width) -> Result<u64, Fault>;

    /// Stores the low `width` of `value`.
    ///
    /// # Errors
    /// [`Fault`] if the traced code's own store would have faulted.
    fn store(&mut self, address: u64, width: Width, value: u64) -> Result<(), Fault>;
}

/// The width of an access.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Width {
    /// 8 bits.
    One,
    /// 16 bits.
    Two,
    /// 32 bits.
    Four,
    /// 64 bits.
    Eight,
}

impl Width {
    /// The width in bytes.
    #[must_use]
    pub const fn bytes(self) -> u64 {
        match self {
            Self::One => 1,
            Self::Two => 2,
            Self::Four => 4,
            Self::Eight => 8,
        }
    }
}

/// An access that failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fault {
    /// The address that could not be read or written.
    pub address: u64,
}
