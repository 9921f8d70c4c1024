//! Checks operators without side effects.

use super::{Checker, expression};
use crate::error::Mistake;
use crate::fold::{self, Constant, Operator};
use crate::tag::Tag;
use crate::tree::{Expression, ExpressionKind};
use crate::types::{INT, PTRDIFF, Type, TypeId};

impl Checker<'_> {
    /// An operand that must be a number.
    pub(super) fn needs_number(
        &self,
        operator: &str,
        operand: &Expression,
        line: u32,
    ) -> Result<(), Mistake> {
        if self.types.is_integer(operand.type_) {
            return Ok(());
        }
        let message = format!("operator {operator} requires an operand of arithmetic type");
        Err(Mistake::new(Tag::OpArith, line, message))
    }

    pub(super) fn negated(&self, operand: Expression, line: u32) -> Result<Expression, Mistake> {
        self.needs_number("-", &operand, line)?;
        if let Some(constant) = operand.constant() {
            return Ok(self.constant(fold::negate(self.types, constant), line));
        }
        let operand = self.promoted(operand);
        let type_ = operand.type_;
        let kind = ExpressionKind::Negate(Box::new(operand));
        Ok(expression(kind, type_, line))
    }

    pub(super) fn complemented(
        &self,
        operand: Expression,
        line: u32,
    ) -> Result<Expression, Mistake> {
        if !self.types.is_integer(operand.type_) {
            let message = "operator ~ requires an operand of integral type";
            return Err(Mistake::new(Tag::OpInt, line, message));
        }
        if let Some(constant) = operand.constant() {
            return Ok(self.constant(fold::complement(self.types, constant), line));
        }
        let operand = self.promoted(operand);
        let type_ = operand.type_;
        let kind = ExpressionKind::Complement(Box::new(operand));
        Ok(expression(kind, type_, line))
    }

    pub(super) fn not(&self, operand: Expression, line: u32) -> Result<Expression, Mistake> {
        if !self.types.is_scalar(operand.type_) {
            let message = "operator ! requires an operand of scalar type";
            return Err(Mistake::new(Tag::OpScalar, line, message));
        }
        if let Some(constant) = operand.constant() {
            let folded = Constant::int((constant.value == 0).into());
            return Ok(self.constant(folded, line));
        }
        Ok(expression(
            ExpressionKind::Not(Box::new(operand)),
            INT,
            line,
        ))
    }

    /// `left operator right`
    pub(super) fn calculated(
        &mut self,
        operator: Operator,
        left: Expression,
        right: Expression,
        line: u32,
    ) -> Result<Expression, Mistake> {
        if matches!(operator, Operator::Add | Operator::Sub) {
            return self.added(operator, left, right, line);
        }
        self.need_integers(operator.word(), operator, &left, &right, line)?;
        self.arithmetic(operator, left, right, line)
    }

    /// Requires integer operands; for `*` and `/` DTrace's message speaks of numbers.
    pub(super) fn need_integers(
        &self,
        word: &str,
        operator: Operator,
        left: &Expression,
        right: &Expression,
        line: u32,
    ) -> Result<(), Mistake> {
        if self.types.is_integer(left.type_) && self.types.is_integer(right.type_) {
            return Ok(());
        }
        let (tag, kind) = match operator {
            Operator::Mul | Operator::Div => (Tag::OpArith, "arithmetic"),
            _ => (Tag::OpInt, "integral"),
        };
        let message = format!("operator {word} requires operands of {kind} type");
        Err(Mistake::new(tag, line, message))
    }

    /// Two integers, in the type of the operation.
    pub(super) fn arithmetic(
        &self,
        operator: Operator,
        left: Expression,
        right: Expression,
        line: u32,
    ) -> Result<Expression, Mistake> {
        if operator.is_division() && right.is_null() {
            let message = "expression contains division by zero";
            return Err(Mistake::new(Tag::DivZero, line, message));
        }
        if let (Some(one), Some(other)) = (left.constant(), right.constant())
            && let Some(folded) = fold::calculate(self.types, operator, one, other)
        {
            return Ok(self.constant(folded, line));
        }
        let (left, right) = if operator.is_shift() {
            (self.promoted(left), right)
        } else {
            self.common(left, right)
        };
        let type_ = left.type_;
        let kind = ExpressionKind::Calculate(operator, Box::new(left), Box::new(right));
        Ok(expression(kind, type_, line))
    }

    /// Converts two integers to their common type.
    pub(super) fn common(&self, left: Expression, right: Expression) -> (Expression, Expression) {
        let type_ = self.types.common(left.type_, right.type_);
        (self.converted(left, type_), self.converted(right, type_))
    }

    /// `+` and `-`, including pointer arithmetic.
    fn added(
        &mut self,
        operator: Operator,
        left: Expression,
        right: Expression,
        line: u32,
    ) -> Result<Expression, Mistake> {
        let is_back = operator == Operator::Sub;
        let are_integers = (
            self.types.is_integer(left.type_),
            self.types.is_integer(right.type_),
        );
        match (self.scale(left.type_), self.scale(right.type_)) {
            _ if are_integers == (true, true) => self.arithmetic(operator, left, right, line),
            (Some(scale), _) if are_integers.1 => Ok(self.moved(left, right, scale, is_back, line)),
            (_, Some(scale)) if are_integers.0 && !is_back => {
                Ok(self.moved(right, left, scale, false, line))
            }
            (Some(scale), Some(_))
                if is_back
                    && self
                        .common_pointer((&left).into(), (&right).into())
                        .is_some() =>
            {
                let kind = ExpressionKind::Distance(Box::new(left), Box::new(right), scale);
                Ok(expression(kind, PTRDIFF, line))
            }
            _ => Err(self.incompatible(left.type_, operator.word(), right.type_, line)),
        }
    }

    /// Size of the element type of a pointer, an array or a string in bytes, if it is known.
    pub(super) fn scale(&mut self, type_: TypeId) -> Option<u32> {
        let element = self.element(type_)?;
        self.types.find_definition(element);
        let size = self.types.size(element);
        (size > 0).then_some(size)
    }

    /// A pointer plus an offset; an array decays to a pointer to its elements.
    pub(super) fn moved(
        &mut self,
        pointer: Expression,
        index: Expression,
        scale: u32,
        is_back: bool,
        line: u32,
    ) -> Expression {
        let type_ = match *self.types.kind(pointer.type_) {
            Type::Array(of, _) => self.types.pointer_to(of),
            _ => pointer.type_,
        };
        let kind = ExpressionKind::Offset {
            pointer: Box::new(pointer),
            index: Box::new(index),
            scale,
            is_back,
        };
        expression(kind, type_, line)
    }
}
