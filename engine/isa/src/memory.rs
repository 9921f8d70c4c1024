//! The memory that an emulated instruction reads and writes, as whoever runs it lends it.

/// Where an emulated instruction loads and stores.
///
/// The memory lent must not hold the registers that the instruction works on:
/// a handler whose trap frame lies below the interrupted stack pointer has to
/// see to it that a push does not land in that frame.
///
/// An access is one access of the traced code: same width, same byte order.
/// `address` need not be aligned; where it must be for the instruction not to
/// fault, its emulation has seen to that.
pub trait Memory {
    /// Loads a value, extended with zeros.
    ///
    /// # Errors
    /// [`Fault`] where the traced code's own load would have faulted.
    fn load(&mut self, address: u64, width: Width) -> Result<u64, Fault>;

    /// Stores the low bits of `value` that `width` has room for.
    ///
    /// # Errors
    /// [`Fault`] where the traced code's own store would have faulted.
    fn store(&mut self, address: u64, width: Width, value: u64) -> Result<(), Fault>;
}

/// How much one access moves.
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

/// An access that did not happen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fault {
    /// The address that could not be read or written.
    pub address: u64,
}
