//! Clocks, timers and random numbers.

use crate::grow::OutOfMemory;

/// Clocks, timers and random numbers.
pub trait Clock: Sized + Send + Sync + 'static {
    /// The monotonic clock, in nanoseconds. Callable from a trap.
    fn now(&self) -> u64;

    /// The wall clock, in nanoseconds since 1970. Callable from a trap.
    fn wall_time(&self) -> u64;

    /// A coarse clock that wraps around, in kernel ticks. Callable before the guard is held.
    fn ticks(&self) -> u32;

    /// Starts a periodic timer: every `nanoseconds`, `Tracer::tick` is called with `number` and
    /// interrupts disabled, on one CPU or on every online CPU. May sleep.
    fn timer_start(
        &self,
        number: u32,
        nanoseconds: u64,
        every_cpu: bool,
    ) -> Result<(), OutOfMemory>;

    /// Stops a timer; its last tick is over when this returns. May sleep.
    fn timer_stop(&self, number: u32);

    /// Starts the deadman: calls `Tracer::beat` on each CPU and `Tracer::watch`, each once a second
    /// until it returns false. Returns the limit in ticks for the first heartbeat. May be called
    /// while it runs.
    fn deadman_start(&self) -> u32;

    /// A pseudo-random number that traced processes cannot predict. Callable from a trap.
    fn random(&self) -> u64;
}
