//! Code for comparisons and branches.

use engine_dvm::{Op, mutant};

use super::Emitter;
use super::arithmetic::comparison;
use super::code::Label;
use super::registers::Register;
use crate::error::Mistake;
use crate::fold::{Comparison, Logic};
use crate::tree::{Expression, ExpressionKind};

impl Emitter<'_> {
    /// Branches to `label` if the condition has the wanted truth value.
    pub(super) fn jump(
        &mut self,
        condition: &Expression,
        wanted: bool,
        label: &mut Label,
    ) -> Result<(), Mistake> {
        match &condition.kind {
            ExpressionKind::Not(operand) => self.jump(operand, !wanted, label),
            ExpressionKind::Logic(logic @ (Logic::And | Logic::Or), left, right) => {
                // The value of the left operand that decides alone: false for &&, true for ||.
                let decisive = (*logic == Logic::Or) != mutant::is_active("and-is-or");
                if decisive == wanted {
                    self.jump(left, wanted, label)?;
                    return self.jump(right, wanted, label);
                }
                let mut decided = Label::default();
                self.jump(left, decisive, &mut decided)?;
                self.jump(right, wanted, label)?;
                self.code.land(decided);
                Ok(())
            }
            _ => {
                let value = self.value(condition)?;
                let op = if wanted { Op::Bnz } else { Op::Bz };
                self.code.branch(op, value, label)?;
                self.code.give(value);
                Ok(())
            }
        }
    }

    /// A condition as 0 or 1.
    pub(super) fn truth(&mut self, condition: &Expression) -> Result<Register, Mistake> {
        match &condition.kind {
            ExpressionKind::Not(operand) => {
                let operand = self.value(operand)?;
                self.code.combine(Op::Ceq, operand, Register::ZERO)
            }
            ExpressionKind::Compare(comparison, left, right) => {
                let is_signed = self
                    .types
                    .integer(left.type_)
                    .is_some_and(|it| it.is_signed);
                let left = self.value(left)?;
                let right = self.value(right)?;
                self.compare(*comparison, is_signed, left, right)
            }
            ExpressionKind::CompareText(comparison, left, right) => {
                let left = self.value(left)?;
                let right = self.value(right)?;
                let order = self.code.combine(Op::Scmp, left, right)?;
                self.compare(*comparison, true, order, Register::ZERO)
            }
            ExpressionKind::Logic(Logic::Xor, left, right) => {
                let left = self.value(left)?;
                let left = self.code.combine(Op::Cne, left, Register::ZERO)?;
                let right = self.value(right)?;
                let right = self.code.combine(Op::Cne, right, Register::ZERO)?;
                self.code.combine(Op::Xor, left, right)
            }
            _ => self.decided(condition),
        }
    }

    fn compare(
        &mut self,
        wanted: Comparison,
        is_signed: bool,
        left: Register,
        right: Register,
    ) -> Result<Register, Mistake> {
        match comparison(wanted, is_signed) {
            (op, false) => self.code.combine(op, left, right),
            (op, true) => self.code.combine(op, right, left),
        }
    }

    /// A condition as 0 or 1, by branches.
    fn decided(&mut self, condition: &Expression) -> Result<Register, Mistake> {
        let (mut fails, mut end) = (Label::default(), Label::default());
        self.jump(condition, false, &mut fails)?;
        let value = self.code.make(Op::Seti, 1)?;
        self.code.branch(Op::Ba, Register::ZERO, &mut end)?;
        self.code.land(fails);
        let zeros = (Register::ZERO, Register::ZERO);
        self.code.push(Op::Seti, value, zeros, 0);
        self.code.land(end);
        Ok(value)
    }

    /// `condition ? one : other`
    pub(super) fn conditional(&mut self, parts: &[Expression; 3]) -> Result<Register, Mistake> {
        let [condition, one, other] = parts;
        let (mut fails, mut end) = (Label::default(), Label::default());
        self.jump(condition, false, &mut fails)?;
        let one = self.value(one)?;
        // If both are the constant 0, no register is allocated.
        let value = match one {
            Register::ZERO => self.code.make(Op::Seti, 0)?,
            register => register,
        };
        self.code.branch(Op::Ba, Register::ZERO, &mut end)?;
        self.code.land(fails);
        if mutant::is_active("other-forgotten") {
            self.code.land(end);
            return Ok(value);
        }
        self.code.give(value);
        let other = self.value(other)?;
        self.code.unite(other, value);
        self.code.land(end);
        Ok(value)
    }
}
