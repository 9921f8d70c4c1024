//! Semantic checks: from the syntax tree to a tree in which names are resolved, every expression
//! has a type, and every conversion is explicit.
//!
//! A variable or an aggregation gets its type from its first use, so clauses are checked in order,
//! and a checked clause changes [`Names`](crate::names::Names). The messages and tags are DTrace's
//! where it has them.

mod call;
mod compatible;
mod condition;
mod convert;
mod index;
mod name;
mod operator;
mod place;
mod statement;

use crate::ast::{Binary, Node, NodeKind, Unary};
use crate::error::Mistake;
use crate::names::Names;
use crate::tag::Tag;
use crate::tree::{Expression, ExpressionKind};
use crate::types::{TEXT, TypeId, Types};

/// The state of checking one text.
pub(crate) struct Checker<'n> {
    pub types: &'n mut Types,
    pub names: &'n mut Names,
    /// The text's number.
    pub number: usize,
}

impl Checker<'_> {
    /// Checks an expression.
    pub(crate) fn expression(&mut self, node: &Node) -> Result<Expression, Mistake> {
        let line = node.line;
        match &node.kind {
            NodeKind::Constant(constant) => {
                let kind = ExpressionKind::Constant(constant.value);
                Ok(expression(kind, constant.type_, line))
            }
            NodeKind::Text(text) => Ok(expression(ExpressionKind::Text(text.clone()), TEXT, line)),
            NodeKind::Name(name) => self.name(name, line),
            NodeKind::Scoped(scope, name) => self.scoped(*scope, name, line),
            NodeKind::Aggregation(name) => self.aggregation(name, line),
            NodeKind::Index(base, keys) => self.index(base, keys, line),
            NodeKind::Call(function, arguments) => self.call(*function, arguments, line),
            NodeKind::Member { base, is_arrow } => self.member(base, *is_arrow, line),
            NodeKind::Step {
                place,
                is_prefix,
                is_up,
            } => self.step(place, *is_prefix, *is_up, line),
            NodeKind::Unary(operator, operand) => self.unary(*operator, operand, line),
            NodeKind::Binary(operator, left, right) => self.binary(*operator, left, right, line),
            NodeKind::Conditional(parts) => self.conditional(parts, line),
            NodeKind::Assign(operator, place, value) => {
                self.assignment(*operator, place, value, line)
            }
            NodeKind::Cast(type_, operand) => self.cast(*type_, operand, line),
            NodeKind::Translate(type_, operand) => self.translation(*type_, operand, line),
            NodeKind::Comma(left, right) => self.comma(left, right, line),
        }
    }

    /// Checks the predicate of a clause.
    pub(crate) fn predicate(&mut self, node: &Node) -> Result<Expression, Mistake> {
        let predicate = self.expression(node)?;
        if self.types.is_scalar(predicate.type_) {
            return Ok(predicate);
        }
        let message = "predicate result must be of scalar type";
        Err(Mistake::new(Tag::PredScalar, node.line, message))
    }

    fn unary(&mut self, operator: Unary, operand: &Node, line: u32) -> Result<Expression, Mistake> {
        let operand = self.expression(operand)?;
        match operator {
            Unary::Plus => {
                self.needs_number(operator.word(), &operand, line)?;
                Ok(self.promoted(operand))
            }
            Unary::Minus => self.negated(operand, line),
            Unary::Complement => self.complemented(operand, line),
            Unary::Not => self.not(operand, line),
            Unary::Dereference => self.dereference(operand, line),
            Unary::Address => self.address(operand, line),
            Unary::Sizeof => self.size_of(&operand, line),
            Unary::Stringof => self.string_of(operand, line),
        }
    }

    fn binary(
        &mut self,
        operator: Binary,
        left: &Node,
        right: &Node,
        line: u32,
    ) -> Result<Expression, Mistake> {
        let left = self.expression(left)?;
        let right = self.expression(right)?;
        match operator {
            Binary::Calculate(operator) => self.calculated(operator, left, right, line),
            Binary::Compare(comparison) => self.compared(comparison, left, right, line),
            Binary::Logic(logic) => self.logic(logic, left, right, line),
        }
    }

    fn comma(&mut self, left: &Node, right: &Node, line: u32) -> Result<Expression, Mistake> {
        let left = self.expression(left)?;
        let right = self.expression(right)?;
        if is_aggregation(&left) || is_aggregation(&right) {
            let message = "operator , operands cannot be of dynamic type";
            return Err(Mistake::new(Tag::OpDyn, line, message));
        }
        if is_action(&left) || is_action(&right) {
            let message = "operator , operands cannot be actions";
            return Err(Mistake::new(Tag::OpAct, line, message));
        }
        let type_ = right.type_;
        let kind = ExpressionKind::Comma(Box::new(left), Box::new(right));
        Ok(expression(kind, type_, line))
    }

    fn translation(
        &mut self,
        type_: TypeId,
        operand: &Node,
        line: u32,
    ) -> Result<Expression, Mistake> {
        let operand = self.expression(operand)?;
        let message = format!(
            "cannot translate from \"{}\" to \"{}\"",
            self.types.name(operand.type_),
            self.types.name(type_)
        );
        Err(Mistake::new(Tag::XlateNone, line, message))
    }

    /// `base.member`, `base->member`: always an error, as no type has members.
    fn member(&mut self, base: &Node, is_arrow: bool, line: u32) -> Result<Expression, Mistake> {
        let base = self.expression(base)?;
        let name = self.types.name(base.type_);
        let (tag, message) = match (is_arrow, self.types.pointee(base.type_)) {
            (false, _) => {
                let message = format!(
                    "operator . cannot be applied to type \"{name}\"; must be applied to a struct \
                     or union"
                );
                (Tag::OpSou, message)
            }
            (true, Some(to)) if self.types.is_pointer(base.type_) => {
                let message = format!(
                    "operator -> cannot be applied to pointer to type \"{}\"; must be applied to a \
                     struct or union pointer",
                    self.types.name(to)
                );
                (Tag::OpSou, message)
            }
            (true, _) => {
                let message = "operator -> must be applied to a pointer".to_owned();
                (Tag::OpPtr, message)
            }
        };
        Err(Mistake::new(tag, line, message))
    }

    /// An error about incompatible operands.
    fn incompatible(&self, left: TypeId, operator: &str, right: TypeId, line: u32) -> Mistake {
        let message = format!(
            "operands have incompatible types: \"{}\" {operator} \"{}\"",
            self.types.name(left),
            self.types.name(right)
        );
        Mistake::new(Tag::OpIncompat, line, message)
    }
}

/// An expression of this kind.
fn expression(kind: ExpressionKind, type_: TypeId, line: u32) -> Expression {
    Expression { kind, type_, line }
}

/// Whether it is an aggregation, or the result of an aggregating function.
fn is_aggregation(expression: &Expression) -> bool {
    expression.type_ == crate::types::AGGREGATION
}

/// Whether it is an action.
fn is_action(expression: &Expression) -> bool {
    matches!(
        expression.kind,
        ExpressionKind::Action(crate::functions::Function::Action(_), _)
    )
}
