//! ARM as Linux uses it: the breakpoint, and the procedure call standard (AAPCS32).

use super::{A32, Emulation, LR, PC, Regs, Relocation, SP, TRAP, Version, control, plan};
use crate::arch::{self, Arch, Load, Planned};
use crate::body::Leaves;
use crate::{Control, Fault, Memory};

/// ARM: ARMv6 and later.
#[derive(Clone, Copy, Debug)]
pub struct Arm;

/// The instruction encodings of ARM.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// ARM state.
    A32,
}

/// How many arguments are passed in registers, from r0 on.
const IN_REGISTERS: u64 = 4;

impl Arch for Arm {
    type Mode = Mode;
    type Set = A32;
    type Regs = Regs;
    type Emulation = Emulation;
    type Relocation = Relocation;
    type Text = [u8; 4];
    type Slot = [u8; Relocation::SIZE];

    const KERNEL: Mode = Mode::A32;
    const TRAP: &'static [u8] = &TRAP.to_le_bytes();

    fn plan(text: &[u8; 4], Mode::A32: Mode) -> Planned<Self> {
        plan(u32::from_le_bytes(*text))
    }

    fn length(_: &Planned<Self>) -> usize {
        Self::TRAP.len()
    }

    fn slot(relocation: Relocation, _: usize, _: usize, next: usize) -> Option<Self::Slot> {
        Some(relocation.slot(next as u32))
    }

    fn control(text: &[u8; 4], Mode::A32: Mode, address: usize) -> Control {
        control(u32::from_le_bytes(*text), address as u32)
    }

    fn is_placeholder(text: &[u8; 4]) -> bool {
        const NOP: u32 = 0xe320_f000;
        /// `mov r0, r0`, the no-op before ARMv6K.
        const OLD_NOP: u32 = 0xe1a0_0000;
        const B: u32 = 0xea;
        let word = u32::from_le_bytes(*text);
        word == NOP || word == OLD_NOP || word >> 24 == B
    }

    /// The flags are undefined at a function's entry, so its first instruction is unconditional. Of
    /// the encodings without a condition, only `cps` and memory hints begin functions.
    fn begins_function(text: &[u8; 4]) -> bool {
        matches!(text[3], 0xe0..=0xef | 0xf1 | 0xf5 | 0xf7)
    }

    fn pc(regs: &Regs) -> usize {
        regs.r[PC] as usize
    }

    fn set_pc(regs: &mut Regs, pc: usize) {
        regs.r[PC] = pc as u32;
    }

    fn argument(regs: &Regs, _: Mode, number: u64, load: &mut Load<'_>) -> u64 {
        match regs.r.get(number as usize) {
            Some(&r) if number < IN_REGISTERS => r.into(),
            _ => {
                let index = number.wrapping_sub(IN_REGISTERS);
                arch::stack_word::<4>(regs.r[SP].into(), index, load)
            }
        }
    }

    fn caller(regs: &Regs, _: Mode, _: &mut Load<'_>) -> u64 {
        regs.r[LR].into()
    }

    fn returned(regs: &Regs) -> u64 {
        regs.r[0].into()
    }

    fn goes(emulation: Emulation, regs: &Regs) -> bool {
        emulation.goes(regs)
    }

    /// Unwind tables describe the body of a function, not how far its epilogue has progressed.
    fn after(
        emulation: Emulation,
        leaves: Leaves,
        regs: &Regs,
        memory: &mut impl Memory,
    ) -> Option<Regs> {
        let mut after = *regs;
        match leaves {
            Leaves::Return => Self::emulate(emulation, &mut after, memory).ok()?,
            Leaves::Tail => after.r[PC] = after.r[LR],
        }
        Some(after)
    }

    fn emulate(
        emulation: Emulation,
        regs: &mut Regs,
        memory: &mut impl Memory,
    ) -> Result<(), Fault> {
        emulation.run(Version::V6, regs, memory)
    }
}
