//! SIGINT and SIGTERM. Every wait polls the flag, so that guests are shut down in order.

use std::io;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, LazyLock};

use signal_hook::consts::{SIGINT, SIGTERM};
use signal_hook::flag;

static PENDING: LazyLock<Arc<AtomicBool>> = LazyLock::new(Arc::default);

/// Installs the handlers: the first signal sets the flag, a second one ends the process with status
/// 1.
pub fn listen() -> io::Result<()> {
    for signal in [SIGINT, SIGTERM] {
        flag::register_conditional_shutdown(signal, 1, Arc::clone(&PENDING))?;
        flag::register(signal, Arc::clone(&PENDING))?;
    }
    Ok(())
}

/// Whether a signal has arrived.
pub fn is_pending() -> bool {
    PENDING.load(Ordering::Relaxed)
}
