//! Conversions between types.

use super::{Checker, expression};
use crate::ast::Node;
use crate::error::Mistake;
use crate::fold::Constant;
use crate::stability::KERNEL;
use crate::tag::Tag;
use crate::tree::{Expression, ExpressionKind};
use crate::types::{SIZE, TEXT, Type, TypeId};

impl Checker<'_> {
    /// Converts `value` to `to`, as an operand; a constant stays a constant. An intermediate result
    /// keeps its 64 bits unless the type is smaller.
    pub(super) fn converted(&self, value: Expression, to: TypeId) -> Expression {
        let line = value.line;
        if self.types.base(value.type_) == self.types.base(to) {
            return Expression { type_: to, ..value };
        }
        if let (Some(constant), true) = (value.constant(), self.types.is_scalar(to)) {
            let constant = constant.converted(self.types, to);
            return expression(ExpressionKind::Constant(constant.value), to, line);
        }
        expression(ExpressionKind::Convert(Box::new(value)), to, line)
    }

    /// Converts `value` to `to`, and truncates it to what the type represents.
    pub(super) fn exactly(&self, value: Expression, to: TypeId) -> Expression {
        let value = self.converted(value, to);
        if let Some(constant) = value.constant() {
            return self.constant(constant.cast(self.types, to), value.line);
        }
        if self.types.is_integer(to) && value.exceeds(self.types) {
            let line = value.line;
            return expression(ExpressionKind::Narrow(Box::new(value)), to, line);
        }
        value
    }

    /// Applies C's integer promotions.
    pub(super) fn promoted(&self, value: Expression) -> Expression {
        let to = self.types.promoted(value.type_);
        self.converted(value, to)
    }

    /// `(type) operand`
    pub(super) fn cast(
        &mut self,
        to: TypeId,
        operand: &Node,
        line: u32,
    ) -> Result<Expression, Mistake> {
        let operand = self.expression(operand)?;
        if self.types.is_of_kernel(to) {
            let name = self.types.name(to);
            self.rely_on(KERNEL, format_args!("type {name}"), line)?;
        }
        let types = &self.types;
        let from = operand.type_;
        let is_allowed = types.is_compatible(to, from)
            || types.is_scalar(to) && types.is_scalar(from)
            || types.is_void(to)
            || types.is_pointer(to) && (types.is_array(from) || types.is_text(from))
            || types.is_text(to) && (types.is_scalar(from) || types.is_text_like(from));
        if !is_allowed {
            let message = format!(
                "invalid cast expression: \"{}\" to \"{}\"",
                types.name(from),
                types.name(to)
            );
            return Err(Mistake::new(Tag::CastInval, line, message));
        }
        Ok(self.exactly(operand, to))
    }

    /// `stringof operand`
    pub(super) fn string_of(&self, operand: Expression, line: u32) -> Result<Expression, Mistake> {
        let types = &self.types;
        let from = operand.type_;
        if types.is_scalar(from) || types.is_array(from) || types.is_text(from) {
            return Ok(self.converted(operand, TEXT));
        }
        let message = format!(
            "cannot apply stringof to a value of type {}",
            types.name(from)
        );
        Err(Mistake::new(Tag::StringofType, line, message))
    }

    /// `sizeof operand`
    pub(super) fn size_of(&self, operand: &Expression, line: u32) -> Result<Expression, Mistake> {
        let size = match (&operand.kind, self.types.size_without_nul(operand.type_)) {
            (ExpressionKind::Member { bits: Some(_), .. }, _) => {
                let message = "cannot apply sizeof to a bit-field";
                return Err(Mistake::new(Tag::SizeofBitfield, line, message));
            }
            (ExpressionKind::Text(text), _) => text.len() as u64 + 1,
            (_, 0) => {
                let message = "cannot apply sizeof to an operand of unknown size";
                return Err(Mistake::new(Tag::SizeofType, line, message));
            }
            (_, size) => size.into(),
        };
        Ok(expression(ExpressionKind::Constant(size), SIZE, line))
    }

    /// A constant as an expression.
    pub(super) fn constant(&self, constant: Constant, line: u32) -> Expression {
        let kind = ExpressionKind::Constant(constant.value);
        expression(kind, constant.type_, line)
    }

    /// The element type of a pointer, an array or a string.
    pub(super) fn element(&self, type_: TypeId) -> Option<TypeId> {
        match self.types.kind(type_) {
            Type::Text => Some(crate::types::CHAR),
            _ => self.types.pointee(type_),
        }
    }
}
