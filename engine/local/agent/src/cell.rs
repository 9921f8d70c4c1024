//! The static that holds the agent's one [`Tracer`].

#![expect(
    unsafe_code,
    reason = "a static that is written once, before it is read"
)]

use core::cell::UnsafeCell;
use core::sync::atomic::{AtomicBool, Ordering};

use engine_tracer::Tracer;

use crate::arch::frame::Native;
use crate::machine::Process;

type Engine = Tracer<Native, Process>;

struct Cell {
    is_there: AtomicBool,
    tracer: UnsafeCell<Option<Engine>>,
}

// SAFETY: `Tracer` is `Sync`; it is written once, by the agent, before `is_there` is set.
unsafe impl Sync for Cell {}

static ENGINE: Cell = Cell {
    is_there: AtomicBool::new(false),
    tracer: UnsafeCell::new(None),
};

/// The tracer; none before [`init`].
pub fn tracer() -> Option<&'static Engine> {
    if !ENGINE.is_there.load(Ordering::Acquire) {
        return None;
    }
    // SAFETY: `init` has written it, and nothing writes it any more.
    unsafe { &*ENGINE.tracer.get() }.as_ref()
}

/// Publishes the tracer. Called once, by the agent.
pub fn init(tracer: Engine) {
    // SAFETY: nobody reads it before `is_there` is set, and it is written once.
    unsafe { *ENGINE.tracer.get() = Some(tracer) };
    ENGINE.is_there.store(true, Ordering::Release);
}
