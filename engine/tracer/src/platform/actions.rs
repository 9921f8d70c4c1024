//! What destructive programs do to the system. All of it is callable from a trap.

use super::Refused;

/// Changes to the current process and to the machine.
pub trait Actions: Sized + Send + Sync + 'static {
    /// Whether destructive programs may be loaded, and do what they are to do. Called in probe context.
    fn allows_destructive(&self) -> bool;

    /// Sends a signal to the current process, as soon as this CPU takes interrupts. Refused if there
    /// is no such signal, or in a kernel thread, the init process, or a thread that exits.
    fn raise(&self, signal: u32) -> Result<(), Refused>;

    /// Sends the signal that stops a process likewise.
    fn stop(&self) -> Result<(), Refused>;

    /// Writes memory of the current process, without faulting pages in. On failure some of it may
    /// have been written.
    fn store_user(&self, address: u64, bytes: &[u8]) -> Result<(), Refused>;

    /// Spins for so many nanoseconds, at most [`Chill::MOST`](crate::Chill::MOST).
    fn spin(&self, nanoseconds: u64);

    /// Panics the kernel: it returns only where there is none. `probe` is the ID of the probe.
    fn panic(&self, probe: u32) -> Result<(), Refused>;

    /// Enters the kernel's debugger. Refused if none is attached.
    fn breakpoint(&self) -> Result<(), Refused>;
}
