//! Clocks and timers.

use crate::grow::OutOfMemory;

/// Clocks, timers, and chance.
pub trait Clock: Sized + Send + Sync + 'static {
    /// Nanoseconds of the monotonic clock. Callable from a trap.
    fn now(&self) -> u64;

    /// Nanoseconds since 1970. Callable from a trap.
    fn wall_time(&self) -> u64;

    /// A coarse clock that wraps around, as precise as the kernel's tick. Callable before the guard is taken.
    fn ticks(&self) -> u32;

    /// Starts a timer: from now on, each time so many nanoseconds are over, `Tracer::tick` is called with
    /// its number, as if from a trap; on one CPU, or on every CPU that is online. May sleep.
    fn timer_start(
        &self,
        number: u32,
        nanoseconds: u64,
        every_cpu: bool,
    ) -> Result<(), OutOfMemory>;

    /// Stops the timer of this number; when it returns, the last tick is over. May sleep.
    fn timer_stop(&self, number: u32);

    /// From now on has `Tracer::beat` called on each CPU, and `Tracer::watch`, once a second each, until they
    /// answer false; the limit that the first beat will have. May be called again.
    fn deadman_start(&self) -> u32;

    /// A number nobody foresees. Callable from a trap.
    fn random(&self) -> u64;
}
