//! Calls of the function tracer that are switched on.

use alloc::vec::Vec;

use crate::grow::OutOfMemory;

/// What the function tracer is told.
#[derive(Debug, Default)]
pub struct Calls {
    /// The calls that are to be switched on. There is room for all that are, so that some can be switched
    /// off where there is no memory.
    pub addresses: Vec<usize>,
    /// Whether it would not have them: until another consumer begins, traps take their place.
    pub refused: bool,
}

impl Calls {
    /// It may be asked again.
    pub fn allow_retry(&mut self) {
        self.refused = false;
    }

    /// Makes room for so many.
    pub fn reserve(&mut self, count: usize) -> Result<(), OutOfMemory> {
        self.addresses.clear();
        self.addresses.try_reserve(count).map_err(|_| OutOfMemory)
    }

    /// Adds one, for which there is room.
    pub fn push(&mut self, address: usize) {
        // Always so: it spares the compiler the growing path, and so its panic.
        if self.addresses.len() < self.addresses.capacity() {
            self.addresses.push(address);
        }
    }
}
