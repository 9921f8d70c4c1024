//! The syntax tree, with constants folded and types resolved.

use std::rc::Rc;

use engine_abi::{Description, Scope};

use crate::fold::{Comparison, Constant, Logic, Operator};
use crate::functions::Function;
use crate::types::TypeId;

/// A clause.
#[derive(Debug, Clone)]
pub(crate) struct Clause {
    pub line: u32,
    /// The probes that it is for, as written and as parsed.
    pub descriptions: Vec<(String, Description)>,
    pub predicate: Option<Node>,
    pub statements: Vec<Node>,
}

/// A node of an expression.
#[derive(Debug, Clone)]
pub(crate) struct Node {
    pub kind: NodeKind,
    pub line: u32,
    /// The depth of the tree below it.
    pub depth: u32,
}

/// The kind of a node.
#[derive(Debug, Clone)]
pub(crate) enum NodeKind {
    Constant(Constant),
    Text(Rc<[u8]>),
    Name(Rc<str>),
    /// `self->name`, `this->name`
    Scoped(Scope, Rc<str>),
    /// `@name`
    Aggregation(String),
    /// `base[keys]`
    Index(Box<Node>, Vec<Node>),
    /// A named expression; with keys if it has parameters.
    Inline(Rc<Definition>, Option<Vec<Node>>),
    Call(Function, Vec<Node>),
    /// `base.name`, or `base->name`
    Member {
        base: Box<Node>,
        name: Rc<str>,
        is_arrow: bool,
    },
    Step {
        place: Box<Node>,
        is_prefix: bool,
        is_up: bool,
    },
    Unary(Unary, Box<Node>),
    Binary(Binary, Box<Node>, Box<Node>),
    /// `condition ? one : other`
    Conditional(Box<[Node; 3]>),
    /// `place = value`, or `place operator= value`
    Assign(Option<Operator>, Box<Node>, Box<Node>),
    Cast(TypeId, Box<Node>),
    /// `xlate <type> (value)`
    Translate(TypeId, Box<Node>),
    Comma(Box<Node>, Box<Node>),
}

/// A unary operator.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Unary {
    Plus,
    Minus,
    Not,
    Complement,
    Dereference,
    Address,
    Sizeof,
    Stringof,
}

impl Unary {
    /// Its spelling.
    pub(crate) fn word(self) -> &'static str {
        match self {
            Self::Plus => "+",
            Self::Minus => "-",
            Self::Not => "!",
            Self::Complement => "~",
            Self::Dereference => "*",
            Self::Address => "&",
            Self::Sizeof => "sizeof",
            Self::Stringof => "stringof",
        }
    }
}

/// A binary operator without side effects.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Binary {
    Calculate(Operator),
    Compare(Comparison),
    Logic(Logic),
}

/// `inline type name = value`, or `inline type name[parameters] = value`
#[derive(Debug)]
pub(crate) struct Definition {
    pub name: Rc<str>,
    pub type_: TypeId,
    pub parameters: Option<Vec<(Rc<str>, TypeId)>>,
    pub value: Node,
}

/// `translator output < input parameter > { members }`
#[derive(Debug)]
pub(crate) struct Translator {
    pub output: TypeId,
    pub input: TypeId,
    pub parameter: Rc<str>,
    pub members: Vec<(Rc<str>, Node)>,
}

/// The maximum nesting of an expression or a declaration.
pub(crate) const DEPTH_MAX: u32 = 200;
