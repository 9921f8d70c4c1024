//! Primary expressions and postfix operators: subscripts, calls, members, `++`.

use std::rc::Rc;

use engine_abi::Scope;
use engine_dvm::Builtin;

use super::Parser;
use crate::ast::{Node, NodeKind};
use crate::builtin;
use crate::error::Mistake;
use crate::functions::Function;
use crate::lex::{Keyword, Symbol, TokenKind};
use crate::missing;
use crate::tag::Tag;

impl Parser<'_, '_> {
    pub(super) fn postfix_expression(&mut self) -> Result<Node, Mistake> {
        let first = self.primary()?;
        self.postfix(first)
    }

    fn primary(&mut self) -> Result<Node, Mistake> {
        let kind = self.token.kind.clone();
        match kind {
            TokenKind::Symbol(Symbol::Open) => {
                self.advance()?;
                self.parenthesised()
            }
            TokenKind::Keyword(Keyword::Self_) => self.scoped(Scope::Thread, "self"),
            TokenKind::Keyword(Keyword::This) => self.scoped(Scope::Clause, "this"),
            TokenKind::Keyword(Keyword::Offsetof) => self.offsetof(),
            TokenKind::Keyword(Keyword::Xlate) => self.translation(),
            TokenKind::Integer(integer) => {
                self.advance()?;
                self.integer(integer)
            }
            TokenKind::Text(text) => self.taken(NodeKind::Text(text)),
            TokenKind::Aggregation(name) => self.taken(NodeKind::Aggregation(name)),
            TokenKind::Word(name) => {
                let inlined = self.names.inlines.get(&*name).cloned();
                self.taken(inlined.unwrap_or(NodeKind::Name(name)))
            }
            _ => Err(self.syntax()),
        }
    }

    /// A leaf that consists of the next token.
    fn taken(&mut self, kind: NodeKind) -> Result<Node, Mistake> {
        self.advance()?;
        Ok(self.leaf(kind))
    }

    /// `self->name`; `self` without an arrow is a name.
    fn scoped(&mut self, scope: Scope, word: &str) -> Result<Node, Mistake> {
        self.advance()?;
        if !self.accept(Symbol::Arrow)? {
            return Ok(self.leaf(NodeKind::Name(word.into())));
        }
        let name = self.name()?;
        Ok(self.leaf(NodeKind::Scoped(scope, name)))
    }

    /// A name, which must be next.
    pub(super) fn name(&mut self) -> Result<Rc<str>, Mistake> {
        let TokenKind::Word(name) = &self.token.kind else {
            return Err(self.syntax());
        };
        let name = name.clone();
        self.advance()?;
        Ok(name)
    }

    /// `offsetof(type, member)`
    fn offsetof(&mut self) -> Result<Node, Mistake> {
        self.advance()?;
        self.expect(Symbol::Open)?;
        self.type_name()?;
        self.expect(Symbol::Comma)?;
        self.name()?;
        self.expect(Symbol::Close)?;
        let message = "offsetof operand must be a struct or union type";
        Err(Mistake::new(Tag::OffsetofType, self.line, message))
    }

    /// `xlate <type> (value)`
    fn translation(&mut self) -> Result<Node, Mistake> {
        self.advance()?;
        self.expect(Symbol::Less)?;
        let type_ = self.type_name()?;
        self.expect(Symbol::Greater)?;
        self.expect(Symbol::Open)?;
        let value = self.expression()?;
        self.expect(Symbol::Close)?;
        let depth = value.depth;
        self.node(NodeKind::Translate(type_, Box::new(value)), depth)
    }

    /// Applies postfix operators to `node`.
    pub(super) fn postfix(&mut self, node: Node) -> Result<Node, Mistake> {
        let mut node = node;
        loop {
            let TokenKind::Symbol(symbol) = self.token.kind else {
                return Ok(node);
            };
            node = match symbol {
                Symbol::OpenBracket => self.index(node)?,
                Symbol::Open => self.call(node)?,
                Symbol::Dot => self.member(node, false)?,
                Symbol::Arrow => self.member(node, true)?,
                Symbol::Increment => self.postfix_step(node, true)?,
                Symbol::Decrement => self.postfix_step(node, false)?,
                _ => return Ok(node),
            };
        }
    }

    fn index(&mut self, base: Node) -> Result<Node, Mistake> {
        self.advance()?;
        let keys = self.list(Symbol::CloseBracket)?;
        if keys.is_empty() {
            return Err(self.syntax());
        }
        self.expect(Symbol::CloseBracket)?;
        let depth = depth(&keys).max(base.depth);
        self.node(NodeKind::Index(Box::new(base), keys), depth)
    }

    fn call(&mut self, designator: Node) -> Result<Node, Mistake> {
        let line = designator.line;
        self.advance()?;
        let arguments = self.list(Symbol::Close)?;
        self.expect(Symbol::Close)?;
        let NodeKind::Name(name) = designator.kind else {
            let message = "function designator is not of function type";
            return Err(Mistake::new(Tag::FuncIdent, line, message));
        };
        let function = self.function(&name, line)?;
        let depth = depth(&arguments);
        let call = self.node(NodeKind::Call(function, arguments), depth)?;
        Ok(Node { line, ..call })
    }

    /// The function with this name.
    fn function(&self, name: &str, line: u32) -> Result<Function, Mistake> {
        if let Some(function) = Function::of(name) {
            return Ok(function);
        }
        let variable = self.names.variable(Scope::Global, self.number, name);
        let kind = match (builtin::of(name), variable) {
            (Some((Builtin::Arg | Builtin::Uregs, None)), _) => Some("associative array"),
            (Some(_), _) => Some("scalar"),
            (None, Some(number)) => self.names.variables.get(number).map(|it| it.kind()),
            (None, None) => None,
        };
        Err(match kind {
            Some(kind) => {
                let message = format!("{kind} '{name}' may not be referenced as a function");
                Mistake::new(Tag::FuncIdkind, line, message)
            }
            None => missing::name(name, line).unwrap_or_else(|| {
                let message = format!("undefined function name: {name}");
                Mistake::new(Tag::FuncUndef, line, message)
            }),
        })
    }

    /// Comma-separated expressions, up to `end`.
    fn list(&mut self, end: Symbol) -> Result<Vec<Node>, Mistake> {
        let mut list = Vec::new();
        if self.is(end) {
            return Ok(list);
        }
        loop {
            list.push(self.assignment()?);
            if !self.accept(Symbol::Comma)? {
                return Ok(list);
            }
        }
    }

    fn member(&mut self, base: Node, is_arrow: bool) -> Result<Node, Mistake> {
        self.advance()?;
        self.name()?;
        let depth = base.depth;
        let kind = NodeKind::Member {
            base: Box::new(base),
            is_arrow,
        };
        self.node(kind, depth)
    }

    fn postfix_step(&mut self, place: Node, is_up: bool) -> Result<Node, Mistake> {
        self.advance()?;
        let depth = place.depth;
        let kind = NodeKind::Step {
            place: Box::new(place),
            is_prefix: false,
            is_up,
        };
        self.node(kind, depth)
    }
}

fn depth(nodes: &[Node]) -> u32 {
    nodes.iter().map(|node| node.depth).max().unwrap_or(0)
}
