//! What destructive programs do to the fake kernel.

use std::cell::{Cell, RefCell};

use engine_tracer::{Actions, Refused};

use super::*;

thread_local! {
    /// What they have done, in order.
    pub static DONE: RefCell<Vec<String>> = const { RefCell::new(Vec::new()) };
    /// Whether they may be loaded.
    pub static ALLOWED: Cell<bool> = const { Cell::new(true) };
}

fn done(action: String) -> Result<(), Refused> {
    DONE.with_borrow_mut(|done| done.push(action));
    Ok(())
}

impl Actions for &'static Fake {
    fn allows_destructive(&self) -> bool {
        ALLOWED.get()
    }

    fn raise(&self, signal: u32) -> Result<(), Refused> {
        done(format!("raise {signal}"))
    }

    fn stop(&self) -> Result<(), Refused> {
        done("stop".into())
    }

    fn store_user(&self, address: u64, bytes: &[u8]) -> Result<(), Refused> {
        done(format!("{bytes:?} at {address:#x}"))
    }

    /// The clock shows it.
    fn spin(&self, nanoseconds: u64) {
        NOW.set(NOW.get() + nanoseconds);
    }

    fn panic(&self, probe: u32) -> Result<(), Refused> {
        done(format!("panic at probe {probe}"))
    }

    fn breakpoint(&self) -> Result<(), Refused> {
        Err(Refused)
    }
}
