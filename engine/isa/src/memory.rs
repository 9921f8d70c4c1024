//! The memory that an emulated instruction writes, as whoever runs it lends it.

/// Where an emulated instruction stores.
///
/// The memory lent must not hold the registers that the instruction works on:
/// a handler whose trap frame lies below the interrupted stack pointer has to
/// see to it that a push does not land in that frame.
pub trait Memory {
    /// Stores one word, in the byte order and with the alignment rules of an
    /// ordinary store by the traced code. `address` need not be aligned.
    ///
    /// # Errors
    /// [`Fault`] where the traced code's own store would have faulted.
    fn store(&mut self, address: u32, word: u32) -> Result<(), Fault>;
}

/// A store that did not happen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fault {
    /// The address that could not be written.
    pub address: u32,
}
