//! Primary expressions and postfix operators: subscripts, calls, members, `++`.

use std::rc::Rc;

use super::Parser;
use crate::ast::{Node, NodeKind};
use crate::builtin;
use crate::error::Mistake;
use crate::functions::Function;
use crate::lex::{Keyword, Symbol, TokenKind};
use crate::names::Variable;
use crate::nearest::nearest;
use crate::tag::Tag;
use crate::types::{Member, TypeId};
use crate::{member, missing};
use engine_abi::Scope;

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
            TokenKind::Text(text) => self.text(text),
            TokenKind::Aggregation(name) => self.taken(NodeKind::Aggregation(name)),
            TokenKind::Word(name) => self.named(name),
            _ => Err(self.syntax()),
        }
    }

    /// Adjacent string constants are one.
    fn text(&mut self, first: Rc<[u8]>) -> Result<Node, Mistake> {
        self.advance()?;
        let TokenKind::Text(_) = &self.token.kind else {
            return Ok(self.leaf(NodeKind::Text(first)));
        };
        let mut all = first.to_vec();
        while let TokenKind::Text(next) = &self.token.kind {
            all.extend_from_slice(next);
            self.advance()?;
        }
        Ok(self.leaf(NodeKind::Text(all.into())))
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

    /// The name of a member, which may be a reserved word: the kernel's structures have such names.
    pub(super) fn member_name(&mut self) -> Result<Rc<str>, Mistake> {
        let TokenKind::Keyword(keyword) = self.token.kind else {
            return self.name();
        };
        self.advance()?;
        Ok(keyword.word().into())
    }

    /// `offsetof(type, member.member)`
    fn offsetof(&mut self) -> Result<Node, Mistake> {
        self.advance()?;
        self.expect(Symbol::Open)?;
        let mut type_ = self.type_name()?;
        self.expect(Symbol::Comma)?;
        let mut offset = 0;
        loop {
            let name = self.member_name()?;
            let member = self.offset_of(type_, &name)?;
            offset += u64::from(member.offset);
            type_ = member.type_;
            if !self.accept(Symbol::Dot)? {
                break;
            }
        }
        self.expect(Symbol::Close)?;
        Ok(self.size(offset))
    }

    /// The member that an operand of `offsetof` names.
    fn offset_of(&mut self, type_: TypeId, name: &str) -> Result<Member, Mistake> {
        if !self.types.is_structure(type_) {
            let message = "offsetof operand must be a struct or union type";
            return Err(Mistake::new(Tag::OffsetofType, self.line, message));
        }
        let member = member::find(self.types, type_, name, "offsetof", self.line)?;
        if member.bits.is_some() {
            let message = format!("cannot take offset of a bit-field: {name}");
            return Err(Mistake::new(Tag::OffsetofBitfield, self.line, message));
        }
        Ok(member)
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
        let below = depth(&keys);
        if let NodeKind::Inline(definition, None) = &base.kind
            && definition.parameters.is_some()
        {
            let below = below + definition.value.depth;
            return self.node(NodeKind::Inline(definition.clone(), Some(keys)), below);
        }
        let depth = below.max(base.depth);
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
        let variable = variable.and_then(|number| self.names.variables.get(number));
        let kind = builtin::kind(name).or(variable.map(Variable::kind));
        Err(match kind {
            Some(kind) => {
                let message = format!("{kind} '{name}' may not be referenced as a function");
                Mistake::new(Tag::FuncIdkind, line, message)
            }
            None => missing::name(name, line).unwrap_or_else(|| {
                let meant = nearest(name, Function::names());
                let hint = meant.map_or_else(String::new, |it| format!(": did you mean {it}( )?"));
                let message = format!("undefined function name: {name}{hint}");
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
        let name = self.member_name()?;
        let depth = base.depth;
        let kind = NodeKind::Member {
            base: Box::new(base),
            name,
            is_arrow,
        };
        self.node(kind, depth)
    }

    fn postfix_step(&mut self, place: Node, is_up: bool) -> Result<Node, Mistake> {
        self.advance()?;
        self.note_assigned(&place);
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
