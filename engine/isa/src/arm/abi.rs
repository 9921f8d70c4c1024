//! ARM as Linux uses it: the breakpoint, and the procedure call standard (AAPCS32).

use core::ops::Range;

use super::state::{THUMB, is_thumb};
use super::t32::T32;
use super::{
    A32, Block, Emulation, LR, PC, Regs, Relocation, SP, TRAP, Version, control, plan, t32,
};
use crate::arch::{self, Arch, Load, Planned};
use crate::body::{self, Exit, Leaves, Text, Unwalked, Walk};
use crate::{Control, Exclusive, Fault, Memory, Plan};

/// ARM: ARMv6 and later.
#[derive(Clone, Copy, Debug)]
pub struct Arm;

/// The instruction encodings of ARM.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// ARM state.
    A32,
    /// Thumb state, at a place of an IT block or outside of any.
    T32(Block),
}

/// How many arguments are passed in registers, from r0 on.
const IN_REGISTERS: u64 = 4;

/// Thumb's breakpoints in memory.
const SHORT_TRAP: [u8; 2] = t32::TRAP.to_le_bytes();
const LONG_TRAP: [u8; 4] = t32::LONG_TRAP.rotate_left(16).to_le_bytes();

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

    fn plan(text: &[u8; 4], mode: Mode) -> Planned<Self> {
        match mode {
            Mode::A32 => plan(u32::from_le_bytes(*text)),
            Mode::T32(block) => t32::plan(t32::word(*text), block),
        }
    }

    /// Of an instruction that is refused this is A32's; [`t32::length`] knows Thumb's.
    fn length(plan: &Planned<Self>) -> usize {
        match plan {
            Plan::Emulate(emulation) => emulation.length(),
            Plan::Relocate(relocation) => relocation.length(),
            Plan::Refuse(_) => Self::TRAP.len(),
        }
    }

    fn code_at(pointer: usize, _: bool) -> (usize, Mode) {
        match pointer & 1 {
            0 => (pointer, Mode::A32),
            _ => (pointer & !1, Mode::T32(Block::NONE)),
        }
    }

    fn status(mode: Mode) -> u32 {
        match mode {
            Mode::A32 => 0,
            Mode::T32(block) => block.in_status(THUMB),
        }
    }

    fn next_mode(text: &[u8; 4], mode: Mode) -> Mode {
        match mode {
            Mode::A32 => mode,
            Mode::T32(block) => Mode::T32(t32::next(t32::word(*text), block)),
        }
    }

    fn trap(mode: Mode, length: usize) -> &'static [u8] {
        match mode {
            Mode::A32 => Self::TRAP,
            Mode::T32(block) if block.is_inside() && length == LONG_TRAP.len() => &LONG_TRAP,
            Mode::T32(_) => &SHORT_TRAP,
        }
    }

    fn exclusive(text: &[u8; 4], mode: Mode) -> Option<Exclusive> {
        match mode {
            Mode::A32 => super::exclusive(u32::from_le_bytes(*text)),
            Mode::T32(_) => t32::exclusive(t32::word(*text)),
        }
    }

    fn is_trap(text: &[u8]) -> bool {
        [Self::TRAP, &SHORT_TRAP, &LONG_TRAP]
            .iter()
            .any(|trap| text.starts_with(trap))
    }

    fn slot(relocation: Relocation, _: usize, _: usize, next: usize) -> Option<Self::Slot> {
        Some(relocation.slot(next as u32))
    }

    fn control(text: &[u8; 4], mode: Mode, address: usize) -> Control {
        match mode {
            Mode::A32 => control(u32::from_le_bytes(*text), address as u32),
            Mode::T32(block) => t32::control(t32::word(*text), block, address as u32),
        }
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

    #[inline(never)]
    fn instructions(
        text: &Text<'_>,
        function: Range<usize>,
        mode: Mode,
        memory: &mut [u64],
        see: &mut dyn FnMut(usize, Mode, Option<Exit>),
    ) -> Result<(), Unwalked> {
        match mode {
            Mode::A32 => arch::instructions::<A32>(text, function, memory, &mut |at, exit| {
                see(at, mode, exit);
            }),
            Mode::T32(_) => {
                let walk = Walk::<T32>::over(text, arch::widened(function), memory)?;
                walk.placed(&mut |at, block, exit| see(at as usize, Mode::T32(block), exit));
                Ok(())
            }
        }
    }

    fn room(bytes: usize, mode: Mode) -> usize {
        match mode {
            Mode::A32 => body::room::<A32>(bytes as u64),
            Mode::T32(_) => body::room::<T32>(bytes as u64),
        }
    }

    fn pc(regs: &Regs) -> usize {
        regs.r[PC] as usize
    }

    fn set_pc(regs: &mut Regs, pc: usize) {
        regs.r[PC] = pc as u32;
    }

    /// In an IT block the copy is in a block of its own, so that what follows it is unconditional.
    fn enter(regs: &mut Regs, slot: usize) {
        regs.r[PC] = slot as u32;
        if is_thumb(regs.cpsr) {
            regs.cpsr = Block::of(regs.cpsr).alone().in_status(regs.cpsr);
        }
    }

    fn ends_in_trap(mode: Mode) -> bool {
        matches!(mode, Mode::T32(block) if block.is_before_others())
    }

    fn leave(regs: &mut Regs, mode: Mode, next: usize) {
        regs.r[PC] = next as u32;
        if let Mode::T32(block) = mode {
            regs.cpsr = block.next().in_status(regs.cpsr | THUMB);
        }
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
        emulation.run(Version::OWN, regs, memory)
    }
}
