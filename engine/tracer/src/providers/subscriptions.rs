//! The kernel events that the engine is subscribed to.

use alloc::vec::Vec;

use crate::grow::{OutOfMemory, filled};
use crate::platform::{Event, Numbers};

/// The subscribed system calls of each event; on the heap, as it is too large for a kernel stack.
#[derive(Debug)]
pub struct Subscriptions(Vec<Numbers>);

impl Subscriptions {
    /// No subscriptions.
    pub fn none() -> Result<Self, OutOfMemory> {
        filled(Event::ALL.len(), || Numbers::NONE).map(Self)
    }

    /// The calls that this event is subscribed to for.
    pub fn of(&self, event: Event) -> Numbers {
        self.0.get(event as usize).copied().unwrap_or(Numbers::NONE)
    }

    pub fn set(&mut self, event: Event, numbers: Numbers) {
        if let Some(place) = self.0.get_mut(event as usize) {
            *place = numbers;
        }
    }
}
