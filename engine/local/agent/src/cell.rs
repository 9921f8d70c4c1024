//! The static that holds the agent's one [`Tracer`].

#![expect(unsafe_code, reason = "a static that is written while it is not read")]

use core::cell::UnsafeCell;
use core::sync::atomic::{AtomicBool, Ordering};

use engine_tracer::Tracer;

use crate::arch::frame::Native;
use crate::machine::Process;
use crate::{alive, slots};

type Engine = Tracer<Native, Process>;

struct Cell {
    is_there: AtomicBool,
    tracer: UnsafeCell<Option<Engine>>,
}

// SAFETY: `Tracer` is `Sync`; the agent writes it while `is_there` is not set.
unsafe impl Sync for Cell {}

static ENGINE: Cell = Cell {
    is_there: AtomicBool::new(false),
    tracer: UnsafeCell::new(None),
};

/// The tracer; none before [`init`].
pub fn tracer() -> Option<&'static Engine> {
    if !ENGINE.is_there.load(Ordering::SeqCst) {
        return None;
    }
    // SAFETY: `init` has written it. `clear` waits for who has seen that.
    unsafe { &*ENGINE.tracer.get() }.as_ref()
}

/// Takes the tracer away, and frees it, unless a thread may still use it.
pub fn clear() {
    ENGINE.is_there.store(false, Ordering::SeqCst);
    if slots::synchronize(alive::is_alive) {
        // SAFETY: no slot has seen it, and none sees it any more.
        drop(unsafe { (*ENGINE.tracer.get()).take() });
    }
}

/// Publishes the tracer. Called by the agent, when there is none.
pub fn init(tracer: Engine) {
    // SAFETY: nobody reads it before `is_there` is set. One that could not be freed is not dropped.
    unsafe { ENGINE.tracer.get().write(Some(tracer)) };
    ENGINE.is_there.store(true, Ordering::SeqCst);
}
