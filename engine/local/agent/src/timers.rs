//! The agent's timers, fired between requests. Missed periods are skipped.

use alloc::collections::BTreeMap;
use core::time::Duration;

use engine_tracer::Lock;

use crate::clock::{self, ClockId};
use crate::sync::Control;

#[derive(Debug, Clone, Copy)]
struct Timer {
    next: u64,
    interval: u64,
}

/// By number.
static TIMERS: Control<BTreeMap<u32, Timer>> = Control::of(BTreeMap::new());

/// Starts a timer.
pub fn start(number: u32, interval: u64) {
    let next = clock::now(ClockId::Monotonic).wrapping_add(interval);
    TIMERS.with(|timers| timers.insert(number, Timer { next, interval }));
}

/// Stops one.
pub fn stop(number: u32) {
    TIMERS.with(|timers| timers.remove(&number));
}

/// Takes one that is due: its number.
pub fn take_due() -> Option<u32> {
    let now = clock::now(ClockId::Monotonic);
    TIMERS.with(|timers| {
        let (number, timer) = timers.iter_mut().find(|(_, timer)| timer.next <= now)?;
        let next = timer.next.wrapping_add(timer.interval);
        timer.next = next.max(now.wrapping_add(1));
        Some(*number)
    })
}

/// The time until the next one.
pub fn until_next() -> Option<Duration> {
    let next = TIMERS.with(|timers| timers.values().map(|timer| timer.next).min())?;
    let now = clock::now(ClockId::Monotonic);
    Some(Duration::from_nanos(next.saturating_sub(now)))
}
