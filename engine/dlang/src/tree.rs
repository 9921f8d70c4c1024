//! Clauses with everything known: each expression has its type, and each conversion is there.

use std::rc::Rc;

use engine_dvm::{Builtin, Subroutine};

use crate::fold::{Comparison, Constant, Logic, Operator};
use crate::functions::Function;
use crate::names::VariableId;
use crate::types::TypeId;

/// An expression.
#[derive(Debug, Clone)]
pub(crate) struct Expression {
    pub kind: ExpressionKind,
    pub type_: TypeId,
    pub line: u32,
}

impl Expression {
    /// The constant that it is.
    pub(crate) fn constant(&self) -> Option<Constant> {
        match self.kind {
            ExpressionKind::Constant(value) => Some(Constant {
                value,
                type_: self.type_,
            }),
            _ => None,
        }
    }

    /// Whether it changes a variable, or what is at an address.
    pub(crate) fn changes(&self) -> bool {
        match &self.kind {
            ExpressionKind::Assign(..) | ExpressionKind::Update { .. } => true,
            ExpressionKind::Constant(_)
            | ExpressionKind::Text(_)
            | ExpressionKind::Builtin(..)
            | ExpressionKind::Variable(_)
            | ExpressionKind::Old
            | ExpressionKind::Aggregation(_) => false,
            ExpressionKind::Load(operand)
            | ExpressionKind::AddressOf(operand)
            | ExpressionKind::Convert(operand)
            | ExpressionKind::Negate(operand)
            | ExpressionKind::Complement(operand)
            | ExpressionKind::Not(operand) => operand.changes(),
            ExpressionKind::Subscript(left, right)
            | ExpressionKind::Calculate(_, left, right)
            | ExpressionKind::Distance(left, right, _)
            | ExpressionKind::Compare(_, left, right)
            | ExpressionKind::CompareText(_, left, right)
            | ExpressionKind::Logic(_, left, right)
            | ExpressionKind::Comma(left, right)
            | ExpressionKind::Offset {
                pointer: left,
                index: right,
                ..
            } => left.changes() || right.changes(),
            ExpressionKind::Conditional(parts) => parts.iter().any(Self::changes),
            ExpressionKind::Element(_, parts)
            | ExpressionKind::Call(_, parts)
            | ExpressionKind::Action(_, parts) => parts.iter().any(Self::changes),
        }
    }

    /// Whether it is the constant 0, which is also a pointer to nothing.
    pub(crate) fn is_null(&self) -> bool {
        matches!(self.kind, ExpressionKind::Constant(0))
    }
}

/// What it is.
#[derive(Debug, Clone)]
pub(crate) enum ExpressionKind {
    Constant(u64),
    Text(Rc<[u8]>),
    /// A built-in variable, and its index.
    Builtin(Builtin, u64),
    Variable(VariableId),
    /// An element of an associative array.
    Element(VariableId, Vec<Expression>),
    /// What is at an address.
    Load(Box<Expression>),
    /// An element of an array.
    Subscript(Box<Expression>, Box<Expression>),
    /// The address of an element of an array.
    AddressOf(Box<Expression>),
    /// The value as this type has it.
    Convert(Box<Expression>),
    Negate(Box<Expression>),
    Complement(Box<Expression>),
    Not(Box<Expression>),
    /// Both operands and the result are of the same type, but for shifts' right operands.
    Calculate(Operator, Box<Expression>, Box<Expression>),
    /// A pointer, moved by a number of things of this size.
    Offset {
        pointer: Box<Expression>,
        index: Box<Expression>,
        scale: u32,
        is_back: bool,
    },
    /// How many things of this size are between two pointers.
    Distance(Box<Expression>, Box<Expression>, u32),
    /// Both operands are of the same type.
    Compare(Comparison, Box<Expression>, Box<Expression>),
    CompareText(Comparison, Box<Expression>, Box<Expression>),
    Logic(Logic, Box<Expression>, Box<Expression>),
    Conditional(Box<[Expression; 3]>),
    Assign(Box<Expression>, Box<Expression>),
    /// An assignment of a value that is made of the old one.
    Update {
        place: Box<Expression>,
        value: Box<Expression>,
        gives_old: bool,
    },
    /// Within an update's value: the old one.
    Old,
    Call(Subroutine, Vec<Expression>),
    Comma(Box<Expression>, Box<Expression>),
    /// An aggregation, which is no value.
    Aggregation(usize),
    /// A call of what is no subroutine, which is no value either.
    Action(Function, Vec<Expression>),
}

/// A statement.
#[derive(Debug, Clone)]
pub(crate) enum Statement {
    Expression(Expression),
    /// `@name[keys] = function(arguments)`
    Aggregate {
        aggregation: usize,
        keys: Vec<Expression>,
        arguments: Vec<Expression>,
        line: u32,
    },
    /// `@name`, which does nothing.
    Mention {
        aggregation: usize,
        line: u32,
    },
    Action {
        action: crate::functions::Action,
        arguments: Vec<Expression>,
        line: u32,
    },
}
