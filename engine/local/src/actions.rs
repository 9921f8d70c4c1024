//! What destructive programs do in a process: signals and pauses concern the process itself, and
//! there is no kernel to panic.

use std::thread;
use std::time::Duration;

use engine_tracer::{Actions, Refused};
use rustix::process::{Signal, getpid, kill_process};

use crate::machine::Machine;

impl Actions for Machine {
    fn allows_destructive(&self) -> bool {
        true
    }

    fn raise(&self, signal: u32) -> Result<(), Refused> {
        let signal = i32::try_from(signal).map_err(|_| Refused)?;
        send(Signal::from_named_raw(signal).ok_or(Refused)?)
    }

    fn stop(&self) -> Result<(), Refused> {
        send(Signal::STOP)
    }

    /// Nor is there memory to read.
    fn store_user(&self, _: u64, _: &[u8]) -> Result<(), Refused> {
        Err(Refused)
    }

    fn spin(&self, nanoseconds: u64) {
        thread::sleep(Duration::from_nanos(nanoseconds));
    }

    fn panic(&self, _: u32) -> Result<(), Refused> {
        Err(Refused)
    }

    fn breakpoint(&self) -> Result<(), Refused> {
        Err(Refused)
    }
}

fn send(signal: Signal) -> Result<(), Refused> {
    kill_process(getpid(), signal).map_err(|_| Refused)
}
