//! Checks comparisons and logical operators.

use super::{Checker, expression, is_action, is_aggregation};
use crate::ast::Node;
use crate::error::Mistake;
use crate::fold::{self, Comparison, Constant, Logic};
use crate::tag::Tag;
use crate::tree::{Expression, ExpressionKind};
use crate::types::{INT, TEXT, Type, TypeId, VOID_POINTER};

impl Checker<'_> {
    /// `left comparison right`
    pub(super) fn compared(
        &self,
        comparison: Comparison,
        left: Expression,
        right: Expression,
        line: u32,
    ) -> Result<Expression, Mistake> {
        let types = &self.types;
        if types.is_integer(left.type_) && types.is_integer(right.type_) {
            return Ok(self.compared_integers(comparison, left, right, line));
        }
        let goes = types.is_text_like(left.type_) && types.is_text_like(right.type_)
            || types.is_compatible(left.type_, right.type_) && !types.is_structure(left.type_)
            || self
                .common_pointer((&left).into(), (&right).into())
                .is_some();
        if !goes {
            return Err(self.incompatible(left.type_, comparison.word(), right.type_, line));
        }
        let kind = if types.is_text(left.type_) || types.is_text(right.type_) {
            ExpressionKind::CompareText(comparison, Box::new(left), Box::new(right))
        } else {
            let left = self.converted(left, VOID_POINTER);
            let right = self.converted(right, VOID_POINTER);
            ExpressionKind::Compare(comparison, Box::new(left), Box::new(right))
        };
        Ok(expression(kind, INT, line))
    }

    fn compared_integers(
        &self,
        comparison: Comparison,
        left: Expression,
        right: Expression,
        line: u32,
    ) -> Expression {
        if let (Some(one), Some(other)) = (left.constant(), right.constant()) {
            let holds = fold::compare(self.types, comparison, one, other);
            return self.constant(Constant::int(holds.into()), line);
        }
        let (left, right) = self.common(left, right);
        let kind = ExpressionKind::Compare(comparison, Box::new(left), Box::new(right));
        expression(kind, INT, line)
    }

    /// `left logic right`
    pub(super) fn logic(
        &self,
        logic: Logic,
        left: Expression,
        right: Expression,
        line: u32,
    ) -> Result<Expression, Mistake> {
        if !self.types.is_scalar(left.type_) || !self.types.is_scalar(right.type_) {
            let word = logic.word();
            let message = format!("operator {word} requires operands of scalar type");
            return Err(Mistake::new(Tag::OpScalar, line, message));
        }
        let kind = ExpressionKind::Logic(logic, Box::new(left), Box::new(right));
        Ok(expression(kind, INT, line))
    }

    /// `condition ? one : other`
    pub(super) fn conditional(
        &mut self,
        parts: &[Node; 3],
        line: u32,
    ) -> Result<Expression, Mistake> {
        let [condition, one, other] = parts;
        let condition = self.expression(condition)?;
        let one = self.expression(one)?;
        let other = self.expression(other)?;
        if !self.types.is_scalar(condition.type_) {
            let message = "operator ?: expression must be of scalar type";
            return Err(Mistake::new(Tag::OpScalar, line, message));
        }
        if is_aggregation(&one) || is_aggregation(&other) {
            let message = "operator ?: operands cannot be of dynamic type";
            return Err(Mistake::new(Tag::OpDyn, line, message));
        }
        let type_ = self.either(&one, &other).ok_or_else(|| {
            let message = "operator ?: operands must have compatible types";
            Mistake::new(Tag::OpIncompat, line, message)
        })?;
        if is_action(&one) || is_action(&other) {
            let message = "action cannot be used in a conditional context";
            return Err(Mistake::new(Tag::OpAct, line, message));
        }
        let one = self.converted(one, type_);
        let other = self.converted(other, type_);
        if let Some(constant) = condition.constant() {
            return Ok(if constant.value != 0 { one } else { other });
        }
        let kind = ExpressionKind::Conditional(Box::new([condition, one, other]));
        Ok(expression(kind, type_, line))
    }

    /// The common type of two values.
    fn either(&mut self, one: &Expression, other: &Expression) -> Option<TypeId> {
        let types = &self.types;
        if types.is_integer(one.type_) && types.is_integer(other.type_) {
            return Some(types.common(one.type_, other.type_));
        }
        if types.is_compatible(one.type_, other.type_) {
            return Some(one.type_);
        }
        let are_texts = types.is_text_like(one.type_) && types.is_text_like(other.type_);
        if are_texts && (types.is_text(one.type_) || types.is_text(other.type_)) {
            return Some(TEXT);
        }
        let common = self.common_pointer(one.into(), other.into())?;
        match *types.kind(common) {
            Type::Array(of, _) => Some(self.types.pointer_to(of)),
            _ => Some(common),
        }
    }
}
