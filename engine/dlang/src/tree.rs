//! The checked tree: each expression has its type, and each conversion is explicit.

use std::rc::Rc;

use engine_dvm::{Builtin, Subroutine};

use crate::ast::Translator;
use crate::fold::{Comparison, Constant, Logic, Operator};
use crate::functions::Function;
use crate::names::VariableId;
use crate::types::{Bits, TypeId, Types};

/// An expression.
#[derive(Debug, Clone)]
pub(crate) struct Expression {
    pub kind: ExpressionKind,
    pub type_: TypeId,
    pub line: u32,
}

impl Expression {
    /// Its value, if it is a constant.
    pub(crate) fn constant(&self) -> Option<Constant> {
        match self.kind {
            ExpressionKind::Constant(value) => Some(Constant {
                value,
                type_: self.type_,
            }),
            _ => None,
        }
    }

    /// Whether it modifies a variable or memory.
    pub(crate) fn changes(&self) -> bool {
        let is_change = matches!(
            self.kind,
            ExpressionKind::Assign(..) | ExpressionKind::Update { .. }
        );
        is_change || self.operands().into_iter().any(Self::changes)
    }

    /// The number of expressions that it consists of, and how deeply they are nested.
    pub(crate) fn extent(&self) -> (u32, u32) {
        let operands = self.operands().into_iter().map(Self::extent);
        let (count, depth) = operands.fold((0, 0), |(count, depth): (u32, u32), it| {
            (count.saturating_add(it.0), depth.max(it.1))
        });
        (count.saturating_add(1), depth + 1)
    }

    fn operands(&self) -> Vec<&Self> {
        match &self.kind {
            ExpressionKind::Constant(_)
            | ExpressionKind::Text(_)
            | ExpressionKind::Builtin(..)
            | ExpressionKind::Variable(_)
            | ExpressionKind::Old
            | ExpressionKind::Aggregation(_) => Vec::new(),
            ExpressionKind::Load(operand)
            | ExpressionKind::AddressOf(operand)
            | ExpressionKind::Member { base: operand, .. }
            | ExpressionKind::Translated(_, operand)
            | ExpressionKind::Convert(operand)
            | ExpressionKind::Narrow(operand)
            | ExpressionKind::Negate(operand)
            | ExpressionKind::Complement(operand)
            | ExpressionKind::Not(operand) => vec![operand],
            ExpressionKind::Subscript(left, right)
            | ExpressionKind::Calculate(_, left, right)
            | ExpressionKind::Distance(left, right, _)
            | ExpressionKind::Compare(_, left, right)
            | ExpressionKind::CompareText(_, left, right)
            | ExpressionKind::Logic(_, left, right)
            | ExpressionKind::Comma(left, right)
            | ExpressionKind::Assign(left, right)
            | ExpressionKind::Update {
                place: left,
                value: right,
                ..
            }
            | ExpressionKind::Offset {
                pointer: left,
                index: right,
                ..
            } => vec![left, right],
            ExpressionKind::Conditional(parts) => parts.iter().collect(),
            ExpressionKind::Element(_, parts)
            | ExpressionKind::Call(_, parts)
            | ExpressionKind::Action(_, parts) => parts.iter().collect(),
            ExpressionKind::Build(parts) => parts.iter().map(|it| &it.value).collect(),
        }
    }

    /// Whether its value may exceed its type: it is an intermediate result, which has 64 bits.
    pub(crate) fn exceeds(&self, types: &Types) -> bool {
        match &self.kind {
            ExpressionKind::Negate(_) | ExpressionKind::Complement(_) => true,
            ExpressionKind::Calculate(operator, left, right) => {
                !operator.keeps_within() || left.exceeds(types) || right.exceeds(types)
            }
            ExpressionKind::Convert(operand) => {
                match (types.integer(self.type_), types.integer(operand.type_)) {
                    (Some(to), Some(from)) if to.size >= from.size => {
                        !to.has(from) || operand.exceeds(types)
                    }
                    _ => false,
                }
            }
            ExpressionKind::Conditional(parts) => parts.iter().any(|part| part.exceeds(types)),
            ExpressionKind::Comma(_, right) => right.exceeds(types),
            _ => false,
        }
    }

    /// Whether it is the constant 0, the null pointer.
    pub(crate) fn is_null(&self) -> bool {
        matches!(self.kind, ExpressionKind::Constant(0))
    }
}

/// The kind of an expression.
#[derive(Debug, Clone)]
pub(crate) enum ExpressionKind {
    Constant(u64),
    Text(Rc<[u8]>),
    /// A built-in variable, and its index.
    Builtin(Builtin, u64),
    Variable(VariableId),
    /// An element of an associative array.
    Element(VariableId, Vec<Expression>),
    /// The data at an address.
    Load(Box<Expression>),
    /// An element of an array.
    Subscript(Box<Expression>, Box<Expression>),
    /// A member of a structure or a union, whose value is its address.
    Member {
        base: Box<Expression>,
        offset: u32,
        bits: Option<Bits>,
    },
    /// The translation of a value, of which only members are evaluated.
    Translated(Rc<Translator>, Box<Expression>),
    /// The address of a structure with these members; the others are 0.
    Build(Vec<Part>),
    /// The address of an element of an array, or of a member.
    AddressOf(Box<Expression>),
    /// The value, converted to the expression's type.
    Convert(Box<Expression>),
    /// The value, truncated to what the expression's type represents.
    Narrow(Box<Expression>),
    Negate(Box<Expression>),
    Complement(Box<Expression>),
    Not(Box<Expression>),
    /// Operands and result have the same type, except for the right operand of a shift.
    Calculate(Operator, Box<Expression>, Box<Expression>),
    /// A pointer plus a number of elements of this size.
    Offset {
        pointer: Box<Expression>,
        index: Box<Expression>,
        scale: u32,
        is_back: bool,
    },
    /// The difference of two pointers, in elements of this size.
    Distance(Box<Expression>, Box<Expression>, u32),
    /// Both operands have the same type.
    Compare(Comparison, Box<Expression>, Box<Expression>),
    CompareText(Comparison, Box<Expression>, Box<Expression>),
    Logic(Logic, Box<Expression>, Box<Expression>),
    Conditional(Box<[Expression; 3]>),
    Assign(Box<Expression>, Box<Expression>),
    /// An assignment whose value depends on the old one.
    Update {
        place: Box<Expression>,
        value: Box<Expression>,
        gives_old: bool,
    },
    /// Within an update's value: the old value.
    Old,
    Call(Subroutine, Vec<Expression>),
    Comma(Box<Expression>, Box<Expression>),
    /// An aggregation; it is not a value.
    Aggregation(usize),
    /// A call of an action or an aggregating function; it is not a value.
    Action(Function, Vec<Expression>),
}

/// A member of a structure that is built, and its value.
#[derive(Debug, Clone)]
pub(crate) struct Part {
    pub offset: u32,
    pub bits: Option<Bits>,
    pub value: Expression,
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
