//! The system-call index: what firings look up by ABI and number.

use alloc::vec::Vec;

use crate::grow::{OutOfMemory, push};
use crate::platform::Key;
use crate::probe::names::Span;
use crate::providers::Published;
use crate::providers::syscall::Ending;

/// A system call with an enabled probe.
#[derive(Debug)]
pub struct Call {
    /// Its ABI and number.
    pub key: Key,
    /// Names of its ABI and of the call.
    pub names: [Span; 2],
    /// Indices of its probes in the table, by role.
    pub probes: [u32; 2],
    /// How it returns.
    pub ending: Ending,
    /// Whether its entry records the thread as in flight: the return is enabled, but will not
    /// identify the call.
    pub is_tracked: bool,
}

/// A range of keys, not all of them enabled.
#[derive(Debug)]
struct Range {
    first: Key,
    /// Index of the call plus one, or 0 if it is not enabled.
    places: Vec<u16>,
}

/// A gap of this many unused keys starts a new range.
const GAP: usize = 1024;

/// The enabled calls. Ranges cover only what is enabled, so with a single call the lookup is one
/// comparison.
#[derive(Debug, Default)]
pub struct Live {
    calls: Vec<Call>,
    ranges: Vec<Range>,
}

impl Live {
    /// Adds a call. Keys must be ascending.
    pub fn add(&mut self, call: Call) -> Result<(), OutOfMemory> {
        let is_near = |range: &&mut Range| {
            let place = call.key.behind(range.first);
            place.saturating_sub(range.places.len()) < GAP
        };
        let range = match self.ranges.last_mut().filter(is_near) {
            Some(range) => range,
            None => {
                let places = Vec::new();
                let first = call.key;
                push(&mut self.ranges, Range { first, places })?;
                self.ranges.last_mut().ok_or(OutOfMemory)?
            }
        };
        while range.places.len() < call.key.behind(range.first) {
            push(&mut range.places, 0)?;
        }
        push(&mut self.calls, call)?;
        push(&mut range.places, self.calls.len() as u16)
    }

    /// The call of this key, if it is enabled.
    pub fn find(&self, key: Key) -> Option<&Call> {
        for range in &self.ranges {
            if let Some(place) = range.places.get(key.behind(range.first)) {
                return self.calls.get((*place as usize).checked_sub(1)?);
            }
        }
        None
    }
}

impl Published for Live {
    fn bytes(&self) -> usize {
        let places = self.ranges.iter().map(|range| range.places.capacity());
        let places = places.sum::<usize>().wrapping_mul(size_of::<u16>());
        let calls = self.calls.capacity().wrapping_mul(size_of::<Call>());
        places.wrapping_add(calls)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_is_found_by_its_key_and_nothing_else() {
        let keys = [(0, 3), (0, 4), (0, 450), (0, 0xf0002), (1, 0), (1, 3)];
        let mut calls = Live::default();
        let mut names = crate::probe::names::Names::default();
        let name = names.add(b"x").unwrap();
        for (number, (abi, call)) in keys.into_iter().enumerate() {
            let call = Call {
                key: Key::new(abi, call).unwrap(),
                names: [name; 2],
                probes: [number as u32; 2],
                ending: Ending::Usual,
                is_tracked: false,
            };
            calls.add(call).unwrap();
        }
        assert_eq!(calls.ranges.len(), 3);
        let found = |abi, number| Some(calls.find(Key::new(abi, number)?)?.probes[0]);
        for (number, (abi, call)) in keys.into_iter().enumerate() {
            assert_eq!(found(abi, call), Some(number as u32));
        }
        for (abi, number) in [
            (0, 0),
            (0, 2),
            (0, 5),
            (0, 451),
            (0, 0xf0001),
            (1, 1),
            (2, 3),
        ] {
            assert_eq!(found(abi, number), None, "{abi} {number}");
        }
        assert!(Live::default().find(Key::new(0, 0).unwrap()).is_none());
    }
}
