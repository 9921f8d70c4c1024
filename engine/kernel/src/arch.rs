//! The instruction set of the kernel that this is built for, and how its traps reach memory.

use core::convert::Infallible;

use engine_isa::arm::{self, Emulation, Regs};
use engine_isa::{Fault, Memory, Plan};
use engine_tracer::Isa;

/// The instruction set of this kernel.
pub type Native = Arm;

/// A32 on ARMv6 and later.
pub struct Arm;

impl Isa for Arm {
    type Regs = Regs;
    type Emulation = Emulation;
    type Text = [u8; 4];

    const TRAP: &'static [u8] = &arm::TRAP.to_le_bytes();

    fn plan(text: &[u8; 4]) -> Plan<Emulation, Infallible> {
        arm::plan(u32::from_le_bytes(*text))
    }

    fn pc(regs: &Regs) -> usize {
        regs.r[15] as usize
    }

    fn emulate(
        emulation: Emulation,
        regs: &mut Regs,
        memory: &mut impl Memory,
    ) -> Result<(), Fault> {
        emulation.run(regs, memory)
    }
}

/// Memory as the displaced instruction would have reached it.
pub struct Interrupted;

impl Memory for Interrupted {
    /// Stores where the instruction would have stored, in the same mode and address space. What
    /// faults there would have faulted in the interrupted code; it does so here, and is as fatal.
    fn store(&mut self, address: u32, word: u32) -> Result<(), Fault> {
        if !address.is_multiple_of(4) {
            return Err(Fault { address });
        }
        // SAFETY: aligned, and the interrupted code was about to do this very store.
        unsafe { (address as usize as *mut u32).write_volatile(word) };
        Ok(())
    }
}
