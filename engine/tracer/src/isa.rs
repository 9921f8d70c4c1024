//! What the engine needs of an instruction set.

use core::convert::Infallible;

use engine_isa::{Fault, Memory, Plan};

/// An instruction set.
pub trait Isa: Send + Sync + 'static {
    /// The registers that a trap saves.
    type Regs;
    /// What the handler will do in place of a displaced instruction.
    type Emulation: Copy + Send + Sync;

    /// Room for its longest instruction.
    type Text: Copy + Default + PartialEq + AsRef<[u8]> + AsMut<[u8]> + Send + Sync;

    /// The trapping instruction, which takes the first bytes of a probed one.
    const TRAP: &'static [u8];

    /// Plans for the instruction that `text` begins with.
    fn plan(text: &Self::Text) -> Plan<Self::Emulation, Infallible>;

    /// Where the trap was taken.
    fn pc(regs: &Self::Regs) -> usize;

    /// Does what the displaced instruction would have done, and moves on behind it.
    fn emulate(
        emulation: Self::Emulation,
        regs: &mut Self::Regs,
        memory: &mut impl Memory,
    ) -> Result<(), Fault>;
}
