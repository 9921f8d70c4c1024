//! The registers of a process as a signal's frame has them: what sigreturn(2) loads, and what the
//! next signal finds.
#![expect(unsafe_code, reason = "reads and writes the frames of signals")]

#[cfg(target_arch = "aarch64")]
mod arm64;
#[cfg(target_arch = "aarch64")]
pub use arm64::{ELF_FLAGS, EXIT, HAS_THUMB, MACHINE, Own, Thumb, begin_handler, load, pc, store};
#[cfg(target_arch = "aarch64")]
use arm64::{Registers, extended, registers, set_registers};

#[cfg(target_arch = "arm")]
mod arm;
#[cfg(target_arch = "arm")]
pub use arm::{ELF_FLAGS, EXIT, HAS_THUMB, MACHINE, Own, Thumb, begin_handler, load, pc, store};
#[cfg(target_arch = "arm")]
use arm::{Registers, extended, registers, set_registers};

#[cfg(not(target_arch = "x86_64"))]
mod records;

#[cfg(target_arch = "x86_64")]
mod x86;
#[cfg(target_arch = "x86_64")]
pub use x86::{ELF_FLAGS, EXIT, HAS_THUMB, MACHINE, Own, Thumb, begin_handler, load, pc, store};
#[cfg(target_arch = "x86_64")]
use x86::{Registers, extended, registers, set_registers};

/// A copy of all registers in a frame.
pub struct Frame {
    registers: Registers,
    extended: Vec<u8>,
}

impl Frame {
    /// Those of a context.
    pub fn of(context: &mut libc::ucontext_t) -> Self {
        Self {
            registers: registers(context),
            extended: extended(context).to_vec(),
        }
    }

    /// Puts them into another context of the same process.
    pub fn restore(&self, context: &mut libc::ucontext_t) {
        set_registers(context, &self.registers);
        extended(context).copy_from_slice(&self.extended);
    }
}

/// Copies what both have.
fn copy(to: &mut [u8], from: &[u8]) {
    to.iter_mut().zip(from).for_each(|(to, from)| *to = *from);
}
