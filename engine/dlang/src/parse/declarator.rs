//! Declarators: how a declared name modifies its type (`*x`, `(*x)[3]`).

use std::rc::Rc;

use super::Parser;
use crate::ast::{Node, NodeKind};
use crate::error::Mistake;
use crate::lex::{Keyword, Symbol, TokenKind};
use crate::tag::Tag;
use crate::types::{FUNCTION, Type, TypeId};

/// The maximum size of an array in bytes.
const ARRAY_MAX: u32 = 1 << 16;

/// A modifier of the type before it.
pub(super) enum Layer {
    Pointer,
    Array(u32),
    /// An array without a size.
    Open,
    /// An associative array.
    Keys(Vec<TypeId>),
    Function,
}

/// A declared name, and the modifiers of its type, in order of application.
pub(super) struct Declarator {
    pub name: Option<Rc<str>>,
    pub layers: Vec<Layer>,
}

impl Parser<'_, '_> {
    /// The type in a cast or in `sizeof`.
    pub(super) fn type_name(&mut self) -> Result<TypeId, Mistake> {
        let specifiers = self.specifiers()?;
        let base = self.specified(&specifiers)?;
        let declarator = self.declarator()?;
        if declarator.name.is_some() || specifiers.class.is_some() {
            return Err(self.syntax());
        }
        self.layered(base, declarator.layers)
    }

    /// `*`, a name or a parenthesized declarator, `[...]` and `(...)`, all optional.
    pub(super) fn declarator(&mut self) -> Result<Declarator, Mistake> {
        self.nested(Self::declarator_here)
    }

    fn declarator_here(&mut self) -> Result<Declarator, Mistake> {
        let mut layers = Vec::new();
        while self.accept(Symbol::Mul)? {
            layers.push(Layer::Pointer);
            while let TokenKind::Keyword(Keyword::Const | Keyword::Restrict | Keyword::Volatile) =
                self.token.kind
            {
                self.advance()?;
            }
        }
        let mut inner = self.declarator_core()?;
        let mut suffixes = Vec::new();
        while let Some(suffix) = self.suffix()? {
            suffixes.push(suffix);
        }
        layers.extend(suffixes.into_iter().rev());
        layers.append(&mut inner.layers);
        Ok(Declarator {
            name: inner.name,
            layers,
        })
    }

    /// A name, a parenthesized declarator, or nothing.
    fn declarator_core(&mut self) -> Result<Declarator, Mistake> {
        let mut core = Declarator {
            name: None,
            layers: Vec::new(),
        };
        if let TokenKind::Word(name) = &self.token.kind {
            core.name = Some(name.clone());
            self.advance()?;
            if matches!(self.token.kind, TokenKind::Word(_)) {
                let message = "old-style declaration or incorrect type specified";
                return Err(self.mistake(Tag::DeclIdent, message));
            }
        } else if self.accept(Symbol::Open)? {
            if self.is(Symbol::Close) || self.is_type() {
                core.layers.push(self.function_suffix()?);
            } else {
                core = self.declarator()?;
                self.expect(Symbol::Close)?;
            }
        }
        Ok(core)
    }

    /// `[...]` or `(...)`
    fn suffix(&mut self) -> Result<Option<Layer>, Mistake> {
        if self.accept(Symbol::OpenBracket)? {
            return self.array_suffix().map(Some);
        }
        if self.accept(Symbol::Open)? {
            return self.function_suffix().map(Some);
        }
        Ok(None)
    }

    fn array_suffix(&mut self) -> Result<Layer, Mistake> {
        if self.accept(Symbol::CloseBracket)? {
            return Ok(Layer::Open);
        }
        if self.is_type() || self.is(Symbol::Ellipsis) || self.is_class() {
            return Ok(Layer::Keys(self.parameters(Symbol::CloseBracket, true)?));
        }
        let size = self.conditional_expression()?;
        self.expect(Symbol::CloseBracket)?;
        self.array_size(&size).map(Layer::Array)
    }

    fn array_size(&self, size: &Node) -> Result<u32, Mistake> {
        match size.kind {
            NodeKind::Constant(constant) if constant.is_positive(self.types) => {
                u32::try_from(constant.value)
                    .map_err(|_| self.mistake(Tag::DeclArrbig, "array dimension too big"))
            }
            _ => {
                let message = "positive integral constant expression or tuple signature expected \
                               as array declaration subscript";
                Err(self.mistake(Tag::DeclArrsub, message))
            }
        }
    }

    /// Whether a storage class is next.
    fn is_class(&self) -> bool {
        matches!(self.token.kind, TokenKind::Keyword(keyword) if keyword.declares())
    }

    fn function_suffix(&mut self) -> Result<Layer, Mistake> {
        self.parameters(Symbol::Close, false)?;
        Ok(Layer::Function)
    }

    /// The types of parameters, up to and including `end`.
    fn parameters(&mut self, end: Symbol, are_keys: bool) -> Result<Vec<TypeId>, Mistake> {
        let mut types = Vec::new();
        while !self.is(end) {
            if self.accept(Symbol::Ellipsis)? {
                if are_keys {
                    let message = "array prototype may not use a variable-length argument list";
                    return Err(self.mistake(Tag::DeclProtoVarargs, message));
                }
                break;
            }
            types.push(self.parameter(are_keys, types.len() + 1)?);
            if !self.accept(Symbol::Comma)? {
                break;
            }
        }
        self.expect(end)?;
        Ok(types)
    }

    fn parameter(&mut self, is_key: bool, position: usize) -> Result<TypeId, Mistake> {
        let specifiers = self.specifiers()?;
        if specifiers.class.is_some() {
            let message = "inappropriate storage class for function or associative array parameter";
            return Err(self.mistake(Tag::DeclParmclass, message));
        }
        let base = self.specified(&specifiers)?;
        let declarator = self.declarator()?;
        let type_ = self.layered(base, declarator.layers)?;
        if is_key && matches!(self.types.kind(type_), Type::Void | Type::Function) {
            let name = declarator.name.as_deref().unwrap_or("(anonymous)");
            let message = format!(
                "array prototype may not use parameter of type {}: {name}, parameter #{position}",
                self.types.name(type_)
            );
            return Err(self.mistake(Tag::DeclProtoType, message));
        }
        Ok(type_)
    }

    /// Applies `layers` to `base`.
    pub(super) fn layered(&mut self, base: TypeId, layers: Vec<Layer>) -> Result<TypeId, Mistake> {
        layers.into_iter().try_fold(base, |type_, layer| {
            let type_ = self.layer(type_, layer)?;
            self.check_depth(self.types.depth(type_))?;
            Ok(type_)
        })
    }

    fn layer(&mut self, type_: TypeId, layer: Layer) -> Result<TypeId, Mistake> {
        match layer {
            Layer::Pointer => Ok(self.types.pointer_to(type_)),
            Layer::Function => Ok(FUNCTION),
            Layer::Array(count) => self.array_of(type_, count),
            Layer::Open => {
                let message = "array declaration requires array dimension or tuple signature";
                Err(self.mistake(Tag::DeclArrnull, message))
            }
            Layer::Keys(_) => {
                let message = "cannot declare array of associative arrays";
                Err(self.mistake(Tag::DeclDynobj, message))
            }
        }
    }

    fn array_of(&mut self, type_: TypeId, count: u32) -> Result<TypeId, Mistake> {
        if self.types.is_void(type_) {
            return Err(self.mistake(Tag::DeclVoidobj, "cannot declare array of void"));
        }
        if self.types.size(type_) == 0 {
            let name = self.types.name(type_);
            let message = format!("cannot declare array of {name}: its elements have no size");
            return Err(self.mistake(Tag::DeclVoidobj, message));
        }
        let bytes = self.types.size(type_).checked_mul(count);
        if bytes.is_none_or(|bytes| bytes > ARRAY_MAX) {
            return Err(self.mistake(Tag::DeclArrbig, "array dimension too big"));
        }
        Ok(self.types.number(Type::Array(type_, count)))
    }
}
