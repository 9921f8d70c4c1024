//! What destructive programs do: to the traced process itself.

use core::time::Duration;

use engine_tracer::{Actions, Refused};

use crate::machine::{self, Process};
use crate::sys;

/// SIGSTOP
const STOP: u32 = 19;

impl Actions for Process {
    fn allows_destructive(&self) -> bool {
        true
    }

    fn raise(&self, signal: u32) -> Result<(), Refused> {
        sys::kill(machine::own_pid(), signal).map_err(|_| Refused)
    }

    fn stop(&self) -> Result<(), Refused> {
        self.raise(STOP)
    }

    fn store_user(&self, address: u64, bytes: &[u8]) -> Result<(), Refused> {
        sys::store(address as usize, bytes).map_err(|_| Refused)
    }

    fn spin(&self, nanoseconds: u64) {
        sys::sleep(Duration::from_nanos(nanoseconds));
    }

    fn panic(&self, _: u32) -> Result<(), Refused> {
        Err(Refused)
    }

    fn breakpoint(&self) -> Result<(), Refused> {
        Err(Refused)
    }
}
