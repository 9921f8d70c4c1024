//! What destructive programs do: one shim call per method, all of them callable in probe context.

use core::ffi::c_int;

use engine_tracer::{Actions, Refused};

use crate::ffi;
use crate::platform::Kernel;

impl Actions for Kernel {
    fn allows_destructive(&self) -> bool {
        ffi::shim_allows_destructive() != 0
    }

    fn raise(&self, signal: u32) -> Result<(), Refused> {
        performed(ffi::shim_raise(signal))
    }

    fn stop(&self) -> Result<(), Refused> {
        performed(ffi::shim_stop())
    }

    fn store_user(&self, address: u64, bytes: &[u8]) -> Result<(), Refused> {
        let address = usize::try_from(address).map_err(|_| Refused)?;
        // SAFETY: `bytes` is valid for reads of its length; the shim writes at no address but of the
        // current process's memory, as only a destructive program asks for.
        performed(unsafe { ffi::shim_copyout(address, bytes.as_ptr().cast(), bytes.len()) })
    }

    fn spin(&self, nanoseconds: u64) {
        ffi::shim_spin(nanoseconds);
    }

    fn panic(&self, probe: u32) -> Result<(), Refused> {
        performed(ffi::shim_panic(probe))
    }

    fn breakpoint(&self) -> Result<(), Refused> {
        performed(ffi::shim_breakpoint())
    }
}

fn performed(error: c_int) -> Result<(), Refused> {
    if error == 0 { Ok(()) } else { Err(Refused) }
}
