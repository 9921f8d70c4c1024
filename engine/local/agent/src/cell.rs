//! The agent's one [`Tracer`], for threads to find.

#![expect(
    unsafe_code,
    reason = "what a pointer refers to is freed when nobody uses it"
)]

use alloc::boxed::Box;
use core::ptr::null_mut;
use core::sync::atomic::{AtomicPtr, Ordering};

use engine_tracer::Tracer;

use crate::arch::frame::Native;
use crate::machine::Process;
use crate::{alive, slots, waiters};

type Engine = Tracer<Native, Process>;

static ENGINE: AtomicPtr<Engine> = AtomicPtr::new(null_mut());

/// The tracer; none before [`init`] and after [`clear`]. For threads that occupy a slot or are among the
/// [`waiters`], and for the agent.
pub fn tracer() -> Option<&'static Engine> {
    // SAFETY: null, or what `init` has published. `clear` frees it when nobody has it any more.
    unsafe { ENGINE.load(Ordering::SeqCst).as_ref() }
}

/// Publishes the tracer. Called by the agent, when there is none.
pub fn init(tracer: Engine) {
    ENGINE.store(Box::into_raw(Box::new(tracer)), Ordering::SeqCst);
}

/// Takes the tracer away, and frees it. Returns false if a thread may still have it: then it stays.
pub fn clear() -> bool {
    let last = ENGINE.swap(null_mut(), Ordering::SeqCst);
    let is_unused = slots::synchronize(alive::is_alive) && waiters::are_gone();
    if is_unused && !last.is_null() {
        // SAFETY: `init` has made it of a `Box`, and no slot and no waiter has it.
        drop(unsafe { Box::from_raw(last) });
    }
    is_unused
}
