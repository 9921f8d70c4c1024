//! Semantic checks: from the syntax tree to a tree in which names are resolved, every expression
//! has a type, and every conversion is explicit.
//!
//! A variable or an aggregation gets its type from its first use, so clauses are checked in order,
//! and a checked clause changes [`Names`](crate::names::Names). The messages and tags are DTrace's
//! where it has them.

pub(crate) mod argument;
mod arguments;
mod call;
mod compatible;
mod condition;
mod convert;
mod declared;
mod expand;
mod index;
mod member;
mod name;
mod operator;
mod place;
mod process;
pub(crate) mod stability;
mod statement;
mod symbol;
mod translate;

use std::rc::Rc;

use engine_abi::Description;

use crate::ast::{Binary, Node, NodeKind, Unary};
use crate::error::Mistake;
use crate::lines::Lines;
use crate::names::Names;
use crate::stability::{Attributes, DEFAULT};
use crate::tag::Tag;
use crate::tree::{Expression, ExpressionKind};
use crate::types::{TEXT, TypeId, Types};

/// The state of checking one text.
pub(crate) struct Checker<'n> {
    pub types: &'n mut Types,
    pub names: &'n mut Names,
    /// What the text's lines are called.
    pub lines: &'n Lines,
    /// The text's number.
    number: usize,
    /// The clause's probes, as written and as parsed.
    descriptions: &'n [(String, Description)],
    /// The name of the clause's probe, if it is one that has no `args[]`.
    without_arguments: Option<&'static str>,
    /// Whether an argument was checked where no probes are known.
    is_without_probes: bool,
    /// The least attributes of what has been checked.
    pub attributes: Attributes,
    /// Whether attributes do not count here: at a definition, and in one that has its own.
    is_vouched: bool,
    /// The parameters of the inline or the translator that is being expanded.
    bindings: Vec<(Rc<str>, Expression)>,
    /// The nesting of expressions here, expanded ones included.
    depth: u32,
    /// The number of inlines and translators around this expression.
    expansions: u32,
    /// The number of expressions that they have expanded to.
    expanded: u32,
}

impl<'n> Checker<'n> {
    /// A checker for the text with this number.
    pub(crate) fn new(
        types: &'n mut Types,
        names: &'n mut Names,
        lines: &'n Lines,
        number: usize,
    ) -> Self {
        Self {
            types,
            names,
            lines,
            number,
            descriptions: &[],
            without_arguments: None,
            is_without_probes: false,
            attributes: DEFAULT,
            is_vouched: false,
            bindings: Vec::new(),
            depth: 0,
            expansions: 0,
            expanded: 0,
        }
    }
}

impl<'n> Checker<'n> {
    /// With the probes of the clause.
    pub(crate) fn of(self, descriptions: &'n [(String, Description)]) -> Self {
        Self {
            descriptions,
            without_arguments: without_arguments(descriptions),
            ..self
        }
    }
}

impl Checker<'_> {
    /// Checks an expression.
    pub(crate) fn expression(&mut self, node: &Node) -> Result<Expression, Mistake> {
        let found = self.unbuilt(node)?;
        self.built(found)
    }

    /// Checks an expression; a translation is not built, since only a member of it may be needed.
    fn unbuilt(&mut self, node: &Node) -> Result<Expression, Mistake> {
        if self.expansions > 0 {
            self.charge(1, node.line)?;
        }
        self.depth += 1;
        let room = self.check_depth(0, node.line);
        let found = room.and_then(|()| self.checked(node));
        self.depth -= 1;
        found
    }

    fn checked(&mut self, node: &Node) -> Result<Expression, Mistake> {
        let line = node.line;
        match &node.kind {
            NodeKind::Constant(constant) => {
                let kind = ExpressionKind::Constant(constant.value);
                Ok(expression(kind, constant.type_, line))
            }
            NodeKind::Text(text) => Ok(expression(ExpressionKind::Text(text.clone()), TEXT, line)),
            NodeKind::Name(name) => match self.bound(name, line)? {
                Some(found) => Ok(found),
                None => self.name(name, line),
            },
            NodeKind::Inline(definition, keys) => self.inline(definition, keys.as_deref(), line),
            NodeKind::Scoped(scope, name) => self.scoped(*scope, name, line),
            NodeKind::Aggregation(name) => self.aggregation(name, line),
            NodeKind::Index(base, keys) => self.index(base, keys, line),
            NodeKind::Call(function, arguments) => self.call(*function, arguments, line),
            NodeKind::Member {
                base,
                name,
                is_arrow,
            } => self.member(base, name, *is_arrow, line),
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

/// The name of a probe that has no `args[]`, if one of these descriptions is for it.
fn without_arguments(descriptions: &[(String, Description)]) -> Option<&'static str> {
    let mut descriptions = descriptions.iter().map(|(_, description)| description);
    descriptions.find_map(|it| match (it.provider(), it.name()) {
        (b"" | b"dtrace", b"BEGIN") => Some("dtrace:::BEGIN"),
        (b"" | b"dtrace", b"END") => Some("dtrace:::END"),
        (b"" | b"dtrace", b"ERROR") => Some("dtrace:::ERROR"),
        _ => None,
    })
}
