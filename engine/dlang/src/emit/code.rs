//! The code of one clause under construction: instructions, forward branches, and the beginnings of
//! actions.

use engine_abi::Instruction;
use engine_dvm::{Op, limits};

use super::registers::{Register, Registers};
use crate::error::Mistake;
use crate::tag::Tag;

/// The pending branches to a place that has not been emitted yet.
#[derive(Debug, Default)]
pub(super) struct Label(Vec<usize>);

/// The code of a clause.
pub(super) struct Code {
    pub instructions: Vec<Instruction>,
    /// The first instruction of each action.
    pub actions: Vec<u32>,
    /// Bytes of scratch memory that a run may use.
    pub scratch: u32,
    /// The same of the heap, apart from what the program asks for itself.
    pub heap: u32,
    /// Whether it does.
    pub asks_for_heap: bool,
    registers: Registers,
    /// The number of labels with pending branches.
    pending: usize,
    /// The current statement's line.
    pub line: u32,
}

impl Code {
    /// No code yet.
    pub(super) fn new(line: u32) -> Self {
        Self {
            instructions: Vec::new(),
            actions: Vec::new(),
            scratch: 0,
            heap: 0,
            asks_for_heap: false,
            registers: Registers::FREE,
            pending: 0,
            line,
        }
    }

    /// Emits an instruction.
    pub(super) fn push(
        &mut self,
        op: Op,
        d: Register,
        (a, b): (Register, Register),
        immediate: u32,
    ) {
        self.instructions.push(Instruction {
            op: op.code(),
            d: d.number(),
            a: a.number(),
            b: b.number(),
            immediate,
        });
    }

    /// Emits an instruction that writes no register.
    pub(super) fn act(&mut self, op: Op, a: Register, immediate: u32) {
        self.push(op, Register::ZERO, (a, Register::ZERO), immediate);
    }

    /// `d = op(a, b)`. `d` is one of the operands, or a new register if both are `r0`; the other
    /// operand is released.
    pub(super) fn combine(
        &mut self,
        op: Op,
        a: Register,
        b: Register,
    ) -> Result<Register, Mistake> {
        let d = match (a, b) {
            (Register::ZERO, Register::ZERO) => self.take()?,
            (Register::ZERO, other) => other,
            (one, other) => {
                self.give(other);
                one
            }
        };
        self.push(op, d, (a, b), 0);
        Ok(d)
    }

    /// `d = op(a)`. `d` is `a`, unless that is `r0`.
    pub(super) fn transform(&mut self, op: Op, a: Register) -> Result<Register, Mistake> {
        self.combine(op, a, Register::ZERO)
    }

    /// A new register with the result of an op without operands.
    pub(super) fn make(&mut self, op: Op, immediate: u32) -> Result<Register, Mistake> {
        let d = self.take()?;
        self.push(op, d, (Register::ZERO, Register::ZERO), immediate);
        Ok(d)
    }

    /// A register with a constant.
    pub(super) fn constant(&mut self, value: u64) -> Result<Register, Mistake> {
        if value == 0 {
            return Ok(Register::ZERO);
        }
        let low = value as u32;
        let d = self.make(Op::Seti, low)?;
        if i64::from(low.cast_signed()).cast_unsigned() != value {
            self.push(Op::Seth, d, (d, Register::ZERO), (value >> 32) as u32);
        }
        Ok(d)
    }

    /// Allocates a register.
    pub(super) fn take(&mut self) -> Result<Register, Mistake> {
        self.registers.take().ok_or_else(|| {
            let message = "Insufficient registers to generate code";
            Mistake::new(Tag::NoReg, self.line, message)
        })
    }

    /// Releases a register.
    pub(super) fn give(&mut self, register: Register) {
        self.registers.give(register);
    }

    /// Moves `from` to `to`, which is free except for the value that the other path left in it.
    pub(super) fn unite(&mut self, from: Register, to: Register) {
        if from != to {
            self.push(Op::Mov, to, (from, Register::ZERO), 0);
            self.give(from);
            self.registers.claim(to);
        }
    }

    /// Whether every register has been released.
    pub(super) fn is_balanced(&self) -> bool {
        self.registers.are_free() && self.pending == 0
    }

    /// Emits a branch to `label`.
    pub(super) fn branch(&mut self, op: Op, a: Register, label: &mut Label) -> Result<(), Mistake> {
        if label.0.is_empty() {
            self.pending += 1;
            if self.pending > limits::TARGETS_MAX {
                let message = "conditions are nested too deeply";
                return Err(Mistake::new(Tag::Limit, self.line, message));
            }
        }
        label.0.push(self.instructions.len());
        self.act(op, a, 0);
        Ok(())
    }

    /// Resolves the branches to `label`, which is here.
    pub(super) fn land(&mut self, label: Label) {
        let here = self.here();
        self.pending -= usize::from(!label.0.is_empty());
        for branch in label.0 {
            if let Some(branch) = self.instructions.get_mut(branch) {
                branch.immediate = here;
            }
        }
    }

    /// Marks the beginning of an action.
    pub(super) fn begin_action(&mut self) {
        let here = self.here();
        self.actions.push(here);
    }

    /// Adds to the scratch memory that a run may use.
    pub(super) fn takes(&mut self, bytes: u32) {
        let bytes = bytes.checked_next_multiple_of(8).unwrap_or(u32::MAX);
        self.scratch = self.scratch.saturating_add(bytes);
    }

    /// Adds to the memory that a run may allocate on the heap.
    pub(super) fn allocates(&mut self, bytes: u32) {
        let bytes = bytes.checked_next_multiple_of(8).unwrap_or(u32::MAX);
        self.heap = self.heap.saturating_add(bytes);
    }

    fn here(&self) -> u32 {
        u32::try_from(self.instructions.len()).unwrap_or(u32::MAX)
    }
}
