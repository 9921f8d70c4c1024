//! The instruction set of the kernel that this is built for.

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
