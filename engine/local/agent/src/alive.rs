//! Whether the traced process has ended: the agent outlives it.

use core::sync::atomic::{AtomicI32, Ordering};
use core::time::Duration;

use crate::sys::{self, Fd};

/// A pidfd of the process.
static HANDLE: AtomicI32 = AtomicI32::new(-1);

/// Learns which process it is, by the ID that it has for itself.
pub fn watch(pid: u32) {
    if let Ok(Fd(handle)) = sys::handle_of(pid) {
        HANDLE.store(handle, Ordering::Relaxed);
    }
}

/// Whether the process has not ended.
pub fn is_alive() -> bool {
    let handle = HANDLE.load(Ordering::Relaxed);
    handle < 0 || !sys::poll(Fd(handle), Some(Duration::ZERO))
}
