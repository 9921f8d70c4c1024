//! SIGINT and SIGTERM: noticed by everything that waits, so that every guest ends cleanly.

use std::io;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, LazyLock};

use signal_hook::consts::{SIGINT, SIGTERM};
use signal_hook::flag;

static ASKED: LazyLock<Arc<AtomicBool>> = LazyLock::new(Arc::default);

/// From now on the two signals are noticed instead of ending the process; the second one ends it.
pub fn listen() -> io::Result<()> {
    for signal in [SIGINT, SIGTERM] {
        flag::register_conditional_shutdown(signal, 1, Arc::clone(&ASKED))?;
        flag::register(signal, Arc::clone(&ASKED))?;
    }
    Ok(())
}

/// Whether one of them came.
pub fn asked() -> bool {
    ASKED.load(Ordering::Relaxed)
}
