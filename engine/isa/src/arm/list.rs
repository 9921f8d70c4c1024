//! Load multiple with the pc, and pushes.

use core::fmt;

use super::flow::{Flow, exchange};
use super::operand::{Register, Registers, bit, bits};
use super::transfer::{is_up, load, store};
use super::{Regs, SP};
use crate::mutant::{self, Mutant};
use crate::{Fault, Memory, Width};

/// `ldm base{!}, {..., pc}`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct LoadList {
    registers: Registers,
    base: Register,
    /// Offset of the lowest word from the base, in bytes.
    first: i8,
    /// How far a base that is written back moves, in bytes.
    moves: i8,
    writes_back: bool,
}

impl LoadList {
    /// Decodes `word`: U gives the direction, P whether the first word is at the base or one word
    /// off, W whether the base is written back.
    pub(super) fn new(word: u32) -> Self {
        Self::of(
            word,
            Registers(bits(word, 0, 16) as u16),
            Register::at(word, 16),
        )
    }

    /// The same with a list and a base that are not in `word`.
    pub(super) fn of(word: u32, registers: Registers, base: Register) -> Self {
        let bytes = registers.bytes() as i8;
        let beside = if bit(word, 24) { 4 } else { 0 };
        let (first, moves) = if is_up(word) {
            (beside, bytes)
        } else {
            let down = bytes.wrapping_neg();
            let inward = 4_i8.wrapping_sub(beside);
            let first = down.wrapping_add(inward);
            if mutant::is_chosen(Mutant::DownByList) {
                (first.wrapping_sub(4), down)
            } else {
                (first, down)
            }
        };
        Self {
            registers,
            base,
            first,
            moves,
            writes_back: bit(word, 21),
        }
    }

    /// A load that faults leaves the registers unchanged. If `memory` cannot fault, as in the trap
    /// handler, the compiler drops the copy that this takes.
    pub(super) fn run<const IS_THUMB: bool>(
        self,
        regs: &mut Regs,
        memory: &mut impl Memory,
    ) -> Result<Flow, Fault> {
        let base = self.base.read::<IS_THUMB>(regs);
        if mutant::is_chosen(Mutant::BaseBeforeLoad) {
            self.write_back(base, regs);
        }
        let before = regs.r;
        self.write_back(base, regs);
        match self.load(base, regs, memory) {
            Ok(target) => Ok(exchange(target, regs)),
            Err(fault) => {
                regs.r = before;
                Err(fault)
            }
        }
    }

    /// Loads the registers. The pc is always one of them, and the last; returns its value.
    fn load(self, base: u32, regs: &mut Regs, memory: &mut impl Memory) -> Result<u32, Fault> {
        let mut address = base.wrapping_add_signed(self.first.into());
        let mut loaded = 0;
        for register in self.registers.members() {
            loaded = load(memory, address, Width::Four)?;
            register.write(regs, loaded);
            address = address.wrapping_add(4);
        }
        Ok(loaded)
    }

    fn write_back(self, base: u32, regs: &mut Regs) {
        if self.writes_back {
            let moved = base.wrapping_add_signed(self.moves.into());
            self.base.write(regs, moved);
        }
    }
}

/// Stores `registers`, `bytes` of them, below the stack pointer, and moves that down.
pub(super) fn push(
    registers: Registers,
    bytes: u8,
    regs: &mut Regs,
    memory: &mut impl Memory,
) -> Result<Flow, Fault> {
    let bottom = regs.r[SP].wrapping_sub(bytes.into());
    let mut address = bottom;
    for register in registers.members() {
        store(memory, address, Width::Four, register.saved(regs))?;
        address = address.wrapping_add(4);
    }
    regs.r[SP] = bottom;
    Ok(Flow::Next)
}

impl LoadList {
    /// `ia`, `ib`, `da` or `db`.
    pub(super) fn mode(self) -> &'static str {
        let last = i32::from(self.first).wrapping_add_unsigned(self.registers.bytes());
        match (self.first, last) {
            (0, _) if self.moves >= 0 => "ia",
            (4, _) => "ib",
            (_, 0) => "db",
            (_, _) => "da",
        }
    }
}

/// `sp!, {r4, pc}`.
impl fmt::Display for LoadList {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let written_back = if self.writes_back { "!" } else { "" };
        write!(out, "{}{written_back}, {}", self.base, self.registers)
    }
}
