//! The ftrace calls that are to be enabled.

use alloc::vec::Vec;

use crate::grow::OutOfMemory;

/// ftrace's filter, as it is next set.
#[derive(Debug, Default)]
pub struct Calls {
    /// Addresses of the calls. There is capacity for all that are enabled, so that some can be
    /// disabled without allocating.
    pub addresses: Vec<usize>,
    /// Whether ftrace has refused them. Traps are then used instead, until another consumer starts
    /// tracing.
    pub refused: bool,
}

impl Calls {
    /// Lets the next arming try ftrace again.
    pub fn allow_retry(&mut self) {
        self.refused = false;
    }

    /// Clears the list and reserves capacity for `count` addresses.
    pub fn reserve(&mut self, count: usize) -> Result<(), OutOfMemory> {
        self.addresses.clear();
        self.addresses.try_reserve(count).map_err(|_| OutOfMemory)
    }

    /// Adds an address, within the reserved capacity.
    pub fn push(&mut self, address: usize) {
        // Always true; the check lets the compiler drop `push`'s growing path and the panic in it.
        if self.addresses.len() < self.addresses.capacity() {
            self.addresses.push(address);
        }
    }
}
