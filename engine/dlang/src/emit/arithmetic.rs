//! Code for arithmetic, which is done in 64 bits.

use engine_dvm::{Op, mutant};

use super::Emitter;
use super::registers::Register;
use crate::error::Mistake;
use crate::fold::{Comparison, Operator};
use crate::tree::Expression;
use crate::types::{Type, TypeId};

impl Emitter<'_> {
    /// Converts a value to another type.
    pub(super) fn convert(
        &mut self,
        operand: &Expression,
        to: TypeId,
    ) -> Result<Register, Mistake> {
        let value = self.value(operand)?;
        let from = self.types.integer(operand.type_);
        if let Some(integer) = self.types.integer(to) {
            let is_kept = from.is_some_and(|from| integer.size >= from.size);
            return if is_kept {
                Ok(value)
            } else {
                self.narrow(value, to)
            };
        }
        match self.types.kind(to) {
            Type::Void => {
                self.code.give(value);
                Ok(Register::ZERO)
            }
            // A 32-bit address is never sign-extended.
            Type::Pointer(_) | Type::Text
                if self.types.pointer == 4
                    && !mutant::is_active("address-signed")
                    && from.is_some_and(|from| from.size <= 4)
                    && (from.is_some_and(|from| from.is_signed) || operand.exceeds(self.types)) =>
            {
                self.code.transform(Op::Zxtw, value)
            }
            _ => Ok(value),
        }
    }

    /// Truncates a number to its type, and extends it accordingly.
    pub(super) fn narrow(&mut self, value: Register, type_: TypeId) -> Result<Register, Mistake> {
        let op = match self.types.integer(type_).map(|it| (it.size, it.is_signed)) {
            _ if mutant::is_active("not-narrowed") => return Ok(value),
            Some((4, true)) if mutant::is_active("sign-lost") => Op::Zxtw,
            Some((1, true)) => Op::Sxtb,
            Some((1, false)) => Op::Zxtb,
            Some((2, true)) => Op::Sxth,
            Some((2, false)) => Op::Zxth,
            Some((4, true)) => Op::Sxtw,
            Some((4, false)) => Op::Zxtw,
            _ => return Ok(value),
        };
        self.code.transform(op, value)
    }

    pub(super) fn negate(&mut self, operand: &Expression) -> Result<Register, Mistake> {
        let operand = self.value(operand)?;
        self.code.combine(Op::Sub, Register::ZERO, operand)
    }

    pub(super) fn complement(&mut self, operand: &Expression) -> Result<Register, Mistake> {
        let operand = self.value(operand)?;
        self.code.transform(Op::Not, operand)
    }

    pub(super) fn calculate(
        &mut self,
        operator: Operator,
        left: &Expression,
        right: &Expression,
        type_: TypeId,
    ) -> Result<Register, Mistake> {
        let left = self.value(left)?;
        let right = self.value(right)?;
        let is_signed = self.types.integer(type_).is_some_and(|it| it.is_signed);
        self.code.combine(op(operator, is_signed), left, right)
    }

    /// A pointer plus an offset.
    pub(super) fn offset(
        &mut self,
        pointer: &Expression,
        index: &Expression,
        scale: u32,
        is_back: bool,
    ) -> Result<Register, Mistake> {
        let pointer = self.value(pointer)?;
        let distance = self.scaled(index, scale)?;
        let op = if is_back { Op::Sub } else { Op::Add };
        self.code.combine(op, pointer, distance)
    }

    /// An index times the element size.
    pub(super) fn scaled(&mut self, index: &Expression, scale: u32) -> Result<Register, Mistake> {
        if let Some(constant) = index.constant() {
            return self
                .code
                .constant(constant.value.wrapping_mul(scale.into()));
        }
        let index = self.value(index)?;
        if scale == 1 || mutant::is_active("unscaled") {
            return Ok(index);
        }
        let scale = self.code.constant(scale.into())?;
        self.code.combine(Op::Mul, index, scale)
    }

    pub(super) fn distance(
        &mut self,
        left: &Expression,
        right: &Expression,
        scale: u32,
        type_: TypeId,
    ) -> Result<Register, Mistake> {
        let left = self.value(left)?;
        let right = self.value(right)?;
        let bytes = self.code.combine(Op::Sub, left, right)?;
        if scale == 1 {
            return self.narrow(bytes, type_);
        }
        let scale = self.code.constant(scale.into())?;
        let things = self.code.combine(Op::Sdiv, bytes, scale)?;
        self.narrow(things, type_)
    }
}

fn op(operator: Operator, is_signed: bool) -> Op {
    match (operator, is_signed) {
        (Operator::Add, _) => Op::Add,
        (Operator::Sub, _) => Op::Sub,
        (Operator::Mul, _) => Op::Mul,
        (Operator::Div, true) => Op::Sdiv,
        (Operator::Div, false) => Op::Udiv,
        (Operator::Mod, true) => Op::Srem,
        (Operator::Mod, false) => Op::Urem,
        (Operator::And, _) => Op::And,
        (Operator::Or, _) => Op::Or,
        (Operator::Xor, _) => Op::Xor,
        (Operator::Left, _) => Op::Sll,
        (Operator::Right, true) => Op::Sra,
        (Operator::Right, false) if mutant::is_active("shift-signed") => Op::Sra,
        (Operator::Right, false) => Op::Srl,
    }
}

/// The op of a comparison, and whether to swap its operands.
pub(super) fn comparison(comparison: Comparison, is_signed: bool) -> (Op, bool) {
    let is_signed = is_signed && !mutant::is_active("compared-unsigned");
    let less = if is_signed { Op::Clt } else { Op::Cltu };
    let at_most = if is_signed { Op::Cle } else { Op::Cleu };
    match comparison {
        Comparison::Equal => (Op::Ceq, false),
        Comparison::Unequal => (Op::Cne, false),
        Comparison::Less => (less, false),
        Comparison::AtMost => (at_most, false),
        Comparison::Greater => (less, true),
        Comparison::AtLeast => (at_most, true),
    }
}
