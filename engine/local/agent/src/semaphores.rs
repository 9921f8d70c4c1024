//! Counters of the process, which say how many tracers have armed a probe.

use engine_tracer::Uncounted;

use crate::{maps, sys};

/// Adds 1 to a counter, or subtracts 1 again. Another tracer's change at the same moment may be lost, as
/// the kernel's own changes do not exclude ours.
pub fn count(address: usize, is_up: bool) -> Result<(), Uncounted> {
    let line = maps::describe(address).ok_or(Uncounted::Different)?;
    if !line.is_writable || line.is_shared {
        return Err(Uncounted::Different);
    }
    let mut bytes = [0; size_of::<u16>()];
    sys::load(address, &mut bytes).map_err(|_| Uncounted::Different)?;
    let value = u16::from_le_bytes(bytes);
    let sum = match is_up {
        true => value.checked_add(1),
        false => value.checked_sub(1),
    };
    let sum = sum.ok_or(Uncounted::Different)?;
    sys::store(address, &sum.to_le_bytes()).map_err(|_| Uncounted::Different)
}
