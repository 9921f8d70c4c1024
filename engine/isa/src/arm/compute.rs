//! Data processing that reads or writes the pc (A5.2.1, A5.2.3).

use core::fmt;

use super::flow::{Flow, write_pc};
use super::operand::{Register, Shift, bit, bits};
use super::{Regs, Version};

/// `op{s} to, left, right`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Compute {
    operation: Operation,
    to: Register,
    left: Register,
    right: Right,
}

/// An opcode, 0 to 15, in the upper bits, and in bit 0 whether the flags are set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Operation(u8);

/// The second operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Right {
    /// Eight bits, rotated right by twice the rotation.
    Constant { rotation: u8, value: u8 },
    /// A shifted register.
    Register { register: Register, shift: Shift },
}

/// An operation's result, and the carry and overflow flags that it would set.
struct Outcome {
    result: u32,
    carry: bool,
    overflow: bool,
}

impl Compute {
    /// Decodes `word`, whose second operand is a constant.
    pub(super) const fn with_constant(word: u32) -> Self {
        let right = Right::Constant {
            rotation: bits(word, 8, 4) as u8,
            value: bits(word, 0, 8) as u8,
        };
        Self::with(word, right)
    }

    /// Decodes `word`, whose second operand is a register.
    pub(super) const fn with_register(word: u32) -> Self {
        let right = Right::Register {
            register: Register::at(word, 0),
            shift: Shift::of(word),
        };
        Self::with(word, right)
    }

    /// `add to, left, right`, or `mov to, right`: in Thumb state no other reads or writes the pc.
    pub(super) const fn plain(to: u32, left: Option<u32>, right: u32) -> Self {
        const ADD: u8 = 0b0_1000;
        const MOV: u8 = 0b1_1010;
        let right = Right::Register {
            register: Register::numbered(right),
            shift: Shift::left(0),
        };
        let (operation, left) = match left {
            Some(left) => (ADD, left),
            None => (MOV, 0),
        };
        Self {
            operation: Operation(operation),
            to: Register::numbered(to),
            left: Register::numbered(left),
            right,
        }
    }

    const fn with(word: u32, right: Right) -> Self {
        Self {
            operation: Operation(bits(word, 20, 5) as u8),
            to: Register::at(word, 12),
            left: Register::at(word, 16),
            right,
        }
    }

    /// The register of which the result is a copy, if it is one.
    pub(super) fn copied(self) -> Option<Register> {
        match self.right {
            Right::Register { register, shift } if shift == Shift::left(0) => {
                self.operation.has_no_left().then_some(register)
            }
            _ => None,
        }
    }

    /// Whether the result goes to the pc.
    pub(super) const fn writes_pc(self) -> bool {
        self.to.is_pc() && !self.operation.only_compares()
    }

    pub(super) fn run<const IS_THUMB: bool>(self, version: Version, regs: &mut Regs) -> Flow {
        let carry = bit(regs.cpsr, 29);
        let (right, shifted_out) = self.right.value::<IS_THUMB>(regs, carry);
        let outcome = self.operation.outcome(
            self.left.read::<IS_THUMB>(regs),
            right,
            Outcome {
                result: 0,
                carry: shifted_out,
                overflow: bit(regs.cpsr, 28),
            },
            carry,
        );
        if self.operation.sets_flags() {
            regs.cpsr = outcome.flags() | regs.cpsr & !(0b1111 << 28);
        }
        self.write::<IS_THUMB>(outcome.result, version, regs)
    }

    fn write<const IS_THUMB: bool>(self, result: u32, version: Version, regs: &mut Regs) -> Flow {
        if self.operation.only_compares() {
            return Flow::Next;
        }
        if self.to.is_pc() {
            return write_pc::<IS_THUMB>(result, version, regs);
        }
        self.to.write(regs, result);
        Flow::Next
    }
}

impl Right {
    /// The operand's value, and the shifter's carry out.
    fn value<const IS_THUMB: bool>(self, regs: &Regs, carry: bool) -> (u32, bool) {
        match self {
            Self::Constant { rotation: 0, value } => (value.into(), carry),
            Self::Constant { rotation, value } => {
                let rotated = u32::from(value).rotate_right(u32::from(rotation).wrapping_mul(2));
                (rotated, bit(rotated, 31))
            }
            Self::Register { register, shift } => {
                shift.shift(register.read::<IS_THUMB>(regs), carry)
            }
        }
    }
}

impl Operation {
    const fn sets_flags(self) -> bool {
        self.0 & 1 == 1
    }

    /// TST, TEQ, CMP, CMN.
    const fn only_compares(self) -> bool {
        self.0 >> 3 == 0b10
    }

    /// MOV, MVN.
    const fn has_no_left(self) -> bool {
        self.0 >> 1 & 0b1101 == 0b1101
    }

    /// Computes the result; flags that a logical operation leaves alone are as in `shifted`.
    const fn outcome(self, left: u32, right: u32, shifted: Outcome, carry: bool) -> Outcome {
        let result = match self.0 >> 1 {
            0b0000 | 0b1000 => left & right,
            0b0001 | 0b1001 => left ^ right,
            0b0010 | 0b1010 => return sum(left, !right, true),
            0b0011 => return sum(!left, right, true),
            0b0100 | 0b1011 => return sum(left, right, false),
            0b0101 => return sum(left, right, carry),
            0b0110 => return sum(left, !right, carry),
            0b0111 => return sum(!left, right, carry),
            0b1100 => left | right,
            0b1101 => right,
            0b1110 => left & !right,
            _ => !right,
        };
        Outcome { result, ..shifted }
    }

    const fn name(self) -> &'static str {
        match self.0 >> 1 {
            0b0000 => "and",
            0b0001 => "eor",
            0b0010 => "sub",
            0b0011 => "rsb",
            0b0100 => "add",
            0b0101 => "adc",
            0b0110 => "sbc",
            0b0111 => "rsc",
            0b1000 => "tst",
            0b1001 => "teq",
            0b1010 => "cmp",
            0b1011 => "cmn",
            0b1100 => "orr",
            0b1101 => "mov",
            0b1110 => "bic",
            _ => "mvn",
        }
    }
}

/// The sum of the three: AddWithCarry in the manual (A2.2.1).
const fn sum(left: u32, right: u32, carry: bool) -> Outcome {
    let (partial, first) = left.overflowing_add(right);
    let (result, second) = partial.overflowing_add(carry as u32);
    Outcome {
        result,
        carry: first || second,
        overflow: (left ^ result) & (right ^ result) & 1 << 31 != 0,
    }
}

impl Outcome {
    /// N, Z, C and V at their positions in the CPSR.
    const fn flags(&self) -> u32 {
        let zero = self.result == 0;
        self.result & 1 << 31
            | (zero as u32) << 30
            | (self.carry as u32) << 29
            | (self.overflow as u32) << 28
    }
}

/// The operands, as text after the mnemonic and its condition.
pub(super) struct Operands(pub(super) Compute);

impl Compute {
    /// `add`.
    pub(super) const fn name(self) -> &'static str {
        self.operation.name()
    }

    /// `s` if the flags are set and the mnemonic does not imply it.
    pub(super) const fn suffix(self) -> &'static str {
        if self.operation.sets_flags() && !self.operation.only_compares() {
            return "s";
        }
        ""
    }
}

/// `r0, pc, #0x8`.
impl fmt::Display for Operands {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self(compute) = self;
        if !compute.operation.only_compares() {
            write!(out, "{}, ", compute.to)?;
        }
        if !compute.operation.has_no_left() {
            write!(out, "{}, ", compute.left)?;
        }
        match compute.right {
            Right::Register { register, shift } => write!(out, "{register}{shift}"),
            Right::Constant { rotation, value } => {
                let rotation = u32::from(rotation).wrapping_mul(2);
                write!(out, "#{:#x}", u32::from(value).rotate_right(rotation))
            }
        }
    }
}
