//! Which events of the kernel the engine is told of.

use alloc::vec::Vec;

use crate::grow::{OutOfMemory, filled};
use crate::platform::{Event, Numbers};

/// Of which system calls each event is told; on the heap, since it is large for a kernel's stack.
#[derive(Debug)]
pub struct Subscriptions(Vec<Numbers>);

impl Subscriptions {
    /// Of none.
    pub fn none() -> Result<Self, OutOfMemory> {
        filled(Event::ALL.len(), || Numbers::NONE).map(Self)
    }

    /// Of which calls that event is told.
    pub fn of(&self, event: Event) -> Numbers {
        self.0.get(event as usize).copied().unwrap_or(Numbers::NONE)
    }

    pub fn set(&mut self, event: Event, numbers: Numbers) {
        if let Some(place) = self.0.get_mut(event as usize) {
            *place = numbers;
        }
    }
}
